"""A server over HTTP on the screen: listed, approved, called, left."""

from __future__ import annotations

import socket
from pathlib import Path

from tests.e2e.program import quit_program, signoff
from tests.e2e.steps import approve_by_key, choose, wait_for_start
from tests.e2e.terminal import Terminal
from tests.servers import recorded
from tests.servers.signing_in import signing_in
from tests.transport.webbed import scripted


def test_a_call_over_http_is_approved_and_its_progress_shown(tmp_path: Path) -> None:
    record = tmp_path / "record"
    with scripted("--session", "--record", str(record)) as (url, _):
        secret = url.replace("http://", "http://me:s3cret@")
        with Terminal(signoff("--url", secret)) as terminal:
            wait_for_start(terminal)
            assert "s3cret" not in terminal.text
            choose(terminal, "slow")
            terminal.press("f5")
            approve_by_key(terminal)
            terminal.wait_for("step [1-5] of 5")
            terminal.wait_for("5 steps")
            assert "s3cret" not in terminal.text
            assert quit_program(terminal) == 0
    assert [entry["tool"] for entry in recorded(record)] == ["slow"]


def test_a_server_that_requires_a_sign_in_is_explained_on_80_columns() -> None:
    with signing_in("no-pkce") as url, Terminal(signoff("--url", url), 80, 24) as terminal:
        terminal.wait_for("signoff doctor --url")
        assert "A sign-in is required." in terminal.text
        assert "shift+f5" in terminal.text
        assert quit_program(terminal) in (0, 5)


def test_quitting_does_not_wait_for_a_server_that_never_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/mcp"
        with Terminal(signoff("--url", url)) as terminal:
            terminal.wait_for("waiting for a response to server/discover")
            assert quit_program(terminal) in (0, 5)
