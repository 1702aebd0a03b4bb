"""A process that may have no more memory: after a MemoryError an object answers as before, or says that it cannot.

The native test of the same name fails every allocation in turn; here the whole package runs against a limit of its
address space, in a process of its own, and must end by itself.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

resource = pytest.importorskip("resource", reason="only POSIX limits the address space")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps to the limit")

MEGABYTES = "12"
SCRIPT = """
import resource, sys
import numpy as np
from scipy.sparse import csr_array
import sapwood

SENTENCE = "ran out of memory in the middle of a change and can no longer be used"
random = np.random.default_rng(1)
n, m = 20, 200


def batch():
    # Nearly every feature is a new one.
    ids = np.sort(random.integers(0, 2**29, (n, m)), axis=1)
    X = csr_array((np.ones(n * m, dtype=bool), ids.ravel(), np.arange(0, n * m + 1, m)), shape=(n, 2**29))
    X.sum_duplicates()
    return X, np.arange(n) % 2


def limit(megabytes):
    with open("/proc/self/statm") as status:
        now = int(status.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + megabytes * 2**20, resource.RLIM_INFINITY))


def must_serve(use):
    '''Whether an object still answers; if not, it must have said why.'''
    try:
        use()
    except RuntimeError as error:
        assert SENTENCE in str(error), error
        return False
    return True


megabytes = int(sys.argv[1])
make = {make}
model, learn, ask = make()
# Made beforehand: what is made in the loop fails in other packages, too.
batches = [batch() for _ in range(400)]
first = batches[0]
learn(*first)
ask(first[0])
limit(megabytes)
failed = False
try:
    for each in batches:
        learn(*each)
except MemoryError:
    failed = True
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert failed
served = must_serve(lambda: ask(first[0]))
assert must_serve(lambda: learn(*first)) is served
print("serves" if served else "refuses")
"""

TREE = """lambda: (
    (model := sapwood.{name}(leaf_prediction="naive_bayes")),
    lambda X, y: model.partial_fit(X, y, classes=[0, 1]),
    lambda X: model.predict(X),
)"""
FINDER = """lambda: (
    (model := sapwood.SplitFinder(search="{name}")),
    lambda X, y: [model.add(X.indices[X.indptr[i] : X.indptr[i + 1]], y[i]) for i in range(len(y))],
    lambda X: model.best(),
)"""
CASES = {
    **{name: FINDER.format(name=name) for name in ("certified", "exhaustive", "approximate")},
    **{
        name: TREE.format(name=name)
        for name in ("HoeffdingTreeClassifier", "StreamingTreeClassifier", "SlidingWindowTreeClassifier")
    },
    "DynamicTreeClassifier": TREE.format(name="DynamicTreeClassifier"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_after_a_memory_error(name: str) -> None:
    script = textwrap.dedent(SCRIPT.replace("{make}", CASES[name]))
    run = subprocess.run(
        [sys.executable, "-c", script, MEGABYTES], capture_output=True, text=True, timeout=300, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() in {"serves", "refuses"}
