"""docs/cli.md is what the commands say of themselves, and docs/tutorial.md works."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import COMMAND, call, done

from sapwood.cli.app import COMMANDS
from sapwood.cli.reference import reference

DOCS = Path(__file__).parents[1] / "docs"


def test_the_reference_is_current() -> None:
    assert (DOCS / "cli.md").read_text(encoding="utf-8") == reference(), "docs/cli.md is not current: run `make docs`"


@pytest.mark.parametrize(
    "command", [[command.__name__] for command in COMMANDS] + [["generate", "sparse"], ["generate", "text"]]
)
def test_the_reference_has_every_option_of_the_help(command: list[str]) -> None:
    section = reference().partition(f"\n## sapwood {' '.join(command)}\n")[2].partition("\n## ")[0]
    of_help = set(re.findall(r"--[a-z][a-z0-9-]*", done(*command, "--help").partition("\nOptions:\n")[2])) - {"--help"}
    assert of_help
    assert of_help <= set(re.findall(r"--[a-z][a-z0-9-]*", section))


def test_examples_use_options_that_there_are() -> None:
    for block in re.findall(r"```sh\n(.*?)```", reference(), re.DOTALL):
        for line in block.splitlines():
            for stage in line.split("|"):
                words = shlex.split(stage.partition(">")[0])
                if words[:1] != ["sapwood"]:
                    continue
                name = words[1:3] if words[1] == "generate" else words[1:2]
                known = done(*name, "--help")
                for word in words:
                    if word.startswith("-") and word != "-":
                        assert word in known, line


def steps() -> list[str]:
    text = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    return re.findall(r"^## \d\. (.*)$", text, re.MULTILINE)


def test_the_tutorial_has_five_steps() -> None:
    assert len(steps()) == 5


def test_the_tutorial_works(tmp_path: Path) -> None:
    """Each command that it shows is run in the order shown, in an empty folder; what it shows is what is printed."""
    text = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 5
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "sapwood"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(COMMAND)} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    path = f"{folder}:{Path(sys.executable).parent}:/usr/bin:/bin"
    for block in blocks:
        for command, shown in re.findall(r"^\$ (.*(?:\\\n.*)*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            if command.startswith("pip install"):
                continue
            run = subprocess.run(
                ["/bin/sh", "-c", command],
                cwd=tmp_path,
                env={"PATH": path, "LC_ALL": "C.UTF-8"},
                stdout=subprocess.PIPE,
                # As on a terminal, where what is printed comes in one order.
                stderr=subprocess.STDOUT,
                check=False,
            )
            printed = run.stdout.decode()
            assert run.returncode == 0, (command, printed)
            assert _same(shown, printed), (command, printed)


def _same(shown: str, printed: str) -> bool:
    """Whether what is shown was printed: `...` stands for anything, and times and memory differ."""
    shown, printed = (re.sub(r"[\d.]+ s \([\d,]+ per second\)|[\d.]+ [kM]B", "#", text) for text in (shown, printed))
    pattern = ".*".join(re.escape(part) for part in shown.strip().split("..."))
    return re.search(pattern, printed, re.DOTALL) is not None


def test_the_way_of_comparing_can_fail() -> None:
    assert _same("a ... c", "a b c")
    assert not _same("a ... d", "a b c")
    assert not _same("x", call("--version").stdout)
