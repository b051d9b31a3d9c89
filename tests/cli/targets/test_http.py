"""The headless commands over HTTP: exit statuses, clean streams, no secret told."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.approved import approved
from tests.cli.running import Command, Ended, run
from tests.tiers import first_quick
from tests.transport.webbed import failing, scripted

PROSE = approved("headless")

CALLS: dict[str, tuple[str, int, str]] = {
    "echo": ("", 0, "ok"),
    "is_error": ("", 1, "tool-error"),
    "error": ("", 1, "protocol-error"),
    "structured_mismatch": ("", 4, "ok"),
    "huge_integer": ("", 4, "ok"),
    "never": ("--timeout=0.3", 6, "timeout"),
    "crash": ("", 5, "connection-lost"),
}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ended]:
    """Each call to a server of its own, which tells clients apart by nothing."""
    folder = tmp_path_factory.mktemp("calls")
    found: dict[str, Ended] = {}
    for name, (option, _, _) in CALLS.items():
        with scripted("--with", "all") as (url, _):
            secret = url.replace("http://", "http://me:s3cret@")
            words = ("call", name, "--json", "--trust", "--url", secret)
            found[name] = run(folder, *words, *filter(None, [option]))
    return found


@pytest.mark.parametrize("name", first_quick(CALLS))
def test_the_exit_status_says_how_it_went(name: str, ended: dict[str, Ended]) -> None:
    _, status, outcome = CALLS[name]
    assert ended[name].stderr == ""
    assert (ended[name].status, ended[name].report["outcome"]) == (status, outcome)
    assert "s3cret" not in ended[name].stdout


def test_a_server_that_is_not_there_is_told_and_no_secret_with_it(tmp_path: Path) -> None:
    found = run(tmp_path, "tools", "--url", "http://me:s3cret@127.0.0.1:9/mcp")
    assert (found.status, found.stdout) == (5, "")
    PROSE.holds("failure: no server", found.stderr)
    assert "s3cret" not in found.stderr
    assert "Traceback" not in found.stderr


FAILURES: dict[str, tuple[int, str, str]] = {
    "forbidden": (5, "not-taken", "failure: forbidden"),
    "too_many": (5, "not-taken", "failure: too many requests"),
    "broken": (5, "server-failed", "failure: an exception"),
    "forgotten": (5, "not-taken", "failure: a forgotten session"),
    "reset": (5, "connection-lost", "failure: a reset"),
    "body_cut": (5, "connection-lost", "failure: a cut body"),
    "page": (4, "unreadable", "failure: a page"),
}


@pytest.mark.parametrize("name", first_quick(FAILURES, 2))
def test_a_failure_over_http_says_why_in_text_and_json(name: str, tmp_path: Path) -> None:
    status, outcome, key = FAILURES[name]
    with failing(name) as (url, _):
        text = run(tmp_path, "call", name, "--trust", "--url", url)
        found = run(tmp_path, "call", name, "--json", "--trust", "--url", url)
    assert (found.status, found.stderr) == (status, "")
    assert found.report["outcome"] == outcome
    PROSE.holds(key, found.report["reason"], ADDRESS=urlsplit(url).netloc)
    assert (text.status, text.stderr) == (status, "")
    assert found.report["reason"][:20] in text.stdout
    assert text.stdout.count(found.report["reason"][20:]) == 1
    assert all(line.strip() for line in text.stdout.splitlines())


def test_a_server_of_the_old_transport_is_opened_unless_it_is_left_out(tmp_path: Path) -> None:
    with scripted("--old-sse") as (url, _):
        found = run(tmp_path, "tools", "--json", "--url", url)
        asked = run(tmp_path, "tools", "--json", "--url", url, "--transport", "sse")
        alone = run(tmp_path, "tools", "--url", url, "--transport", "http")
    assert (found.status, asked.status) == (0, 0)
    assert found.report["tools"] == asked.report["tools"]
    assert (alone.status, alone.stdout) == (5, "")
    PROSE.holds("failure: the old transport", alone.stderr, URL=url)


def test_only_an_address_has_a_transport(tmp_path: Path) -> None:
    found = run(tmp_path, "tools", "demo", "--transport", "sse")
    assert found.status == 2
    PROSE.holds("usage: a transport of a command", found.stderr)


@pytest.mark.slow
def test_a_bomb_is_left_at_four_times_the_limit_and_costs_no_memory(tmp_path: Path) -> None:
    """At the true limits: 1 GB in 1 MB, in an answer and in an event stream."""
    if sys.platform == "win32":
        pytest.skip("this is for POSIX")
    most = {}
    with failing("bomb", "comment_bomb") as (url, _):
        for name in ("fine", "bomb", "comment_bomb"):
            command = Command(tmp_path, "call", name, "--json", "--trust", "--url", url)
            stdout = command.process.stdout
            assert stdout is not None
            written = stdout.read()
            _, _, usage = os.wait4(command.process.pid, 0)
            most[name] = usage.ru_maxrss / 1_000
            if name != "fine":
                PROSE.holds("failure: a bomb", json.loads(written)["reason"])
    calm = most.pop("fine")
    # Up to the limit of 64 MB a body is kept in memory, and once more while it goes to the disk.
    assert all(one - calm < 200 for one in most.values()), (calm, most)
