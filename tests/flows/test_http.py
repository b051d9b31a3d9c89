"""The headless commands over HTTP: exit statuses, clean streams, no secret told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.flows.commands import Command, Ended, run
from tests.link.webbed import scripted

CALLS: dict[str, tuple[str, int, str]] = {
    "echo": ("", 0, "ok"),
    "is_error": ("", 1, "tool-error"),
    "error": ("", 1, "protocol-error"),
    "structured_mismatch": ("", 4, "ok"),
    "huge_integer": ("", 4, "unreadable"),
    "never": ("--timeout=0.3", 6, "timeout"),
    "crash": ("", 5, "connection-lost"),
}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ended]:
    """Each call to a server of its own, which tells clients apart by nothing; a few at a time."""
    folder = tmp_path_factory.mktemp("calls")
    found: dict[str, Ended] = {}
    for some in batched(CALLS, 3):
        with ExitStack() as servers:
            commands = {}
            for name in some:
                url, _ = servers.enter_context(scripted("--with", "all"))
                secret = url.replace("http://", "http://me:s3cret@")
                words = ("call", name, "--json", "--trust", "--url", secret)
                commands[name] = Command(folder, *words, *filter(None, [CALLS[name][0]]))
            found |= {name: command.end() for name, command in commands.items()}
    return found


def batched(names: Iterable[str], size: int) -> Iterator[list[str]]:
    left = list(names)
    while left:
        yield left[:size]
        del left[:size]


@pytest.mark.parametrize("name", CALLS)
def test_the_exit_status_says_how_it_went(name: str, ended: dict[str, Ended]) -> None:
    _, status, outcome = CALLS[name]
    assert ended[name].stderr == ""
    assert (ended[name].status, ended[name].report["outcome"]) == (status, outcome)
    assert "s3cret" not in ended[name].stdout


def test_a_server_that_is_not_there_is_told_and_no_secret_with_it(tmp_path: Path) -> None:
    found = run(tmp_path, "tools", "--url", "http://me:s3cret@127.0.0.1:9/mcp")
    assert (found.status, found.stdout) == (5, "")
    assert "no connection to 127.0.0.1:9: connection refused" in found.stderr
    assert "s3cret" not in found.stderr
    assert "Traceback" not in found.stderr
