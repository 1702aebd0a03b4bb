"""Locks in a child process: a fork while another thread works leaves a model that serves or says why it does not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="only POSIX forks")

BEGINNING = """
import os, random, signal, sys, threading, time, warnings
import numpy as np
from scipy.sparse import random as random_matrix
from sapwood import SplitFinder, StreamingTreeClassifier
warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn of any fork with threads
X = random_matrix(4000, 300, density=0.05, format="csr", random_state=1)
X.data[:] = 1
y = np.arange(4000) % 2
model = StreamingTreeClassifier(leaf_prediction="majority").partial_fit(X[:200], y[:200], classes=[0, 1])
finder = SplitFinder()
done = threading.Event()
def child(work):
    pid = os.fork()
    if pid == 0:
        signal.alarm(20)  # one that hangs is killed
        try:
            work()
        except RuntimeError as error:
            os._exit(3 if "forked while another thread" in str(error) else 4)
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(5)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
"""


def outcomes(work: str) -> list[int]:
    """Run a program that prints the exit codes of its children."""
    program = textwrap.dedent(BEGINNING) + textwrap.dedent(work)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=300)
    assert run.returncode == 0, run.stderr
    codes = [int(code) for code in run.stdout.split()]
    assert -signal.SIGALRM not in codes, f"a child hangs: {run.stdout} {run.stderr}"
    assert set(codes) <= {0, 3}, f"{run.stdout} {run.stderr}"
    return codes


def test_a_child_predicts_and_learns_while_the_parent_reads() -> None:
    codes = outcomes("""
        def read():
            while not done.is_set():
                model.predict(X)
        readers = [threading.Thread(target=read) for _ in range(3)]
        for reader in readers: reader.start()
        def work():
            model.predict(X[:10])
            model.partial_fit(X[:10], y[:10])
            model.to_bytes()
        print(*(child(work) for _ in range(20)))
        done.set()
        for reader in readers: reader.join()
    """)
    assert codes == [0] * 20


def test_a_child_does_not_hang_while_the_parent_learns() -> None:
    codes = outcomes("""
        def learn():
            while not done.is_set():
                model.partial_fit(X, y)
        learner = threading.Thread(target=learn)
        learner.start()
        def work():
            model.predict(X[:10])
            model.partial_fit(X[:10], y[:10])
        # At least so many, and on until one came in the middle.
        codes, end = [], time.monotonic() + 20
        while len(codes) < 30 or (3 not in codes and time.monotonic() < end):
            codes.append(child(work))
        print(*codes)
        done.set()
        learner.join()
    """)
    assert 3 in codes  # nearly always somebody is learning


def test_a_child_does_not_hang_while_a_finder_adds() -> None:
    codes = outcomes("""
        def add():
            while not done.is_set():
                finder.add_many(X, y)
        adder = threading.Thread(target=add)
        adder.start()
        def work():
            finder.add([1], 1)
            finder.best()
        # At least so many, and on until one came in the middle.
        codes, end = [], time.monotonic() + 20
        while len(codes) < 30 or (3 not in codes and time.monotonic() < end):
            codes.append(child(work))
        print(*codes)
        done.set()
        adder.join()
    """)
    assert 3 in codes


def test_a_child_of_a_signal_handler_goes_on() -> None:
    codes = outcomes("""
        codes = []
        def work():
            finder.add([1], 1)
            finder.best()
            model.predict(X[:10])
        def fork(*_):
            codes.append(child(work))
        signal.signal(signal.SIGUSR1, fork)
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGUSR1)).start()
        end = time.monotonic() + 20
        while not codes and time.monotonic() < end:
            finder.add_many(X, y)
        print(*codes)
    """)
    assert codes == [0]


@pytest.mark.parametrize(("renumbers", "code"), [(False, 0), (True, 3)])
def test_a_child_of_a_process_in_which_the_classes_of_a_tree_that_forgets_are_told(renumbers: bool, code: int) -> None:
    """They have a lock in Python, which a thread that is gone may have held: to answer or to renumber them."""
    codes = outcomes(f"""
        from sapwood import DynamicTreeClassifier
        model = DynamicTreeClassifier().partial_fit(X[:200], y[:200], classes=[0, 1])
        of_core, held = model._learner.model, threading.Event()
        def hold():
            with of_core.numbering:
                of_core.is_renumbering = {renumbers}
                held.set()
                done.wait()
        holder = threading.Thread(target=hold)
        holder.start()
        held.wait()
        print(child(lambda: (model.predict(X[:10]), model.predict_proba(X[:10]))))
        done.set()
        holder.join()
    """)
    assert codes == [code]
