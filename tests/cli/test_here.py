"""A command in the process of the tests does what one in a process of its own does."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
from pathlib import Path

import pytest

from tests.cli.running import Command, Ended, call, run

SAID: dict[str, tuple[list[str], str]] = {
    "a report": (call("echo", "--json", "--trust", "-a", "text=ü"), ""),
    "a refusal": (call("echo", "-a", "text=x"), ""),
    "what is typed": (call("echo", "--trust", "--args", "-"), '{"text": "tüped"}'),
    "the bundled server": (["tools", "demo"], ""),
    "its help": (["call", "--help"], ""),
    "no such option": (["call", "--frob"], ""),
    "no such program": (["tools", "--", "/no/such/program"], ""),
}


def without_numbers(told: Ended) -> Ended:
    """Processes, times and the digest of a target, by each folder's own key, are others."""
    numbers = r"[0-9a-f]{32}|\d[\d.]*"
    stdout, stderr = (re.sub(numbers, "0", text) for text in (told.stdout, told.stderr))
    return Ended(told.status, stdout, stderr)


@pytest.mark.slow
@pytest.mark.parametrize("name", SAID)
def test_it_says_the_same(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words, typed = SAID[name]
    told = []
    for where in ("alone", "here"):
        # What is kept of a server changes what the next command says of it.
        folder = tmp_path / where
        folder.mkdir()
        monkeypatch.setenv("XDG_STATE_HOME", str(folder))
        if where == "alone":
            told.append(Command(folder, *words, stdin=typed).end())
        else:
            told.append(run(folder, *words, stdin=typed))
    alone, here = told
    assert alone.stdout + alone.stderr
    assert without_numbers(here) == without_numbers(alone)


def test_it_leaves_nothing_behind(tmp_path: Path) -> None:
    def state() -> object:
        handlers = [signal.getsignal(one) for one in sorted(signal.valid_signals())]
        streams = [(sys.stdin, sys.stdout, sys.stderr), [os.fstat(one)[:3] for one in range(3)]]
        hooks = threading.excepthook, sys.unraisablehook
        return dict(os.environ), Path.cwd(), handlers, streams, hooks

    before = state()
    assert run(tmp_path, *call("echo", "--trust"), OF_ITS_OWN="x").status == 0
    assert run(tmp_path, "--frob").status == 2
    assert state() == before


def test_what_counts_at_a_start_wants_a_process(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="use Command"):
        run(tmp_path, "--help", PYTHONUTF8="0")


async def test_a_command_has_the_only_loop(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="use Command"):
        run(tmp_path, "--help")
