"""Signing in from a terminal without the screen, by the installed program."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from signoff.app.demo.authorization import AuthorizationServer
from tests.e2e.program import signoff
from tests.e2e.terminal import Terminal
from tests.servers.signing_in import signing_in_with
from tests.transport.sign_in.test_client_sign_in import Behind

if sys.platform == "win32":
    pytest.skip("this is for POSIX", allow_module_level=True)

PAGE = r"http://127\.0\.0\.1:[0-9]+/authorize\?[^\s]+"


@pytest.fixture
def served() -> Iterator[tuple[str, AuthorizationServer, Behind]]:
    behind = Behind()
    with signing_in_with("", behind) as (url, server):
        yield url, server, behind


def _page(terminal: Terminal) -> str:
    """Agree, and read the address of the page, which is on one line however wide that is."""
    terminal.wait_for("Type sign-in and Enter")
    terminal.wait_for(r":\s*\Z")
    terminal.send("sign-in\r")
    terminal.wait_for("Paste the address, or type cancel")
    found = re.search(PAGE, terminal.text)
    assert found is not None, terminal.text
    return found.group()


@pytest.mark.parametrize("command", ["sign-in", "tools"])
def test_a_sign_in_counts_for_later_commands(
    command: str, served: tuple[str, AuthorizationServer, Behind], tmp_path: Path
) -> None:
    url, server, behind = served
    state = {"XDG_STATE_HOME": str(tmp_path)}
    with Terminal(signoff(command, "--url", url), 2_000, 100, env=state) as terminal:
        page = _page(terminal)
        assert server._clients
        urllib.request.urlopen(page, timeout=20).read()
        terminal.wait_for("token until" if command == "sign-in" else "echo")
        assert terminal.wait_exit() == 0
        assert not any(one in terminal.text for one in behind.tokens)
    words = signoff("tools", "--json", "--url", url)
    ended = subprocess.run(
        words,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        env={**os.environ, **state},
    )
    found = json.loads(ended.stdout)["server"]["sign_in"]
    assert found["by"] == "browser"
    assert found["signed_in"] is True


def test_what_is_not_agreed_to_registers_nothing(
    served: tuple[str, AuthorizationServer, Behind],
) -> None:
    url, server, _ = served
    with Terminal(signoff("sign-in", "--url", url), 200, 100) as terminal:
        terminal.wait_for("Type sign-in and Enter")
        terminal.wait_for(r":\s*\Z")
        terminal.send("yes\r")
        terminal.wait_for("not signed in: refused by you")
        assert terminal.wait_exit() == 5
    assert not server._clients


@pytest.mark.parametrize("typed", ["cancel\r", "\x03"])
def test_a_page_that_is_given_up_leaves_nothing(
    typed: str, served: tuple[str, AuthorizationServer, Behind]
) -> None:
    url, _, behind = served
    with Terminal(signoff("sign-in", "--url", url), 2_000, 100) as terminal:
        _page(terminal)
        terminal.send(typed)
        assert terminal.wait_exit() != 0
    assert not behind.tokens


def _host_of(url: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """What a host gets from a proxy in front of a URL: a list and a call, then it closes."""
    info = {"name": "test-host", "version": "1"}
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
    messages: list[dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 1, "method": "tools/list"},
        {"id": 2, "method": "tools/call", "params": {"name": "echo", "arguments": {"text": "a"}}},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in messages)
    return subprocess.run(
        signoff("proxy", *options, "--url", url),
        input=lines,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "XDG_STATE_HOME": str(folder)},
    )


def test_a_proxy_uses_a_sign_in_that_its_host_never_sees(
    served: tuple[str, AuthorizationServer, Behind], tmp_path: Path
) -> None:
    url, _, behind = served
    # It would put the token into its results.
    behind.says = {}
    with Terminal(
        signoff("sign-in", "--url", url), 2_000, 100, env={"XDG_STATE_HOME": str(tmp_path / "s")}
    ) as terminal:
        urllib.request.urlopen(_page(terminal), timeout=20).read()
        terminal.wait_for("token until")
        assert terminal.wait_exit() == 0
    kept = {one: str(tmp_path / one) for one in ("capture", "record", "html")}
    options = [word for name, file in kept.items() for word in (f"--{name}", file)]
    ended = _host_of(url, tmp_path / "s", *options)
    assert ended.returncode == 0, ended.stderr
    answers = {one.get("id"): one for one in map(json.loads, ended.stdout.splitlines())}
    assert "result" in answers[1]
    assert "result" in answers[2]
    assert behind.tokens
    log = tmp_path / "s" / "signoff" / "audit.jsonl"
    files = [*map(Path, kept.values()), log]
    written = [one.read_text("utf-8") for one in files]
    assert all(written)
    for text in (ended.stdout, ended.stderr, *written):
        assert not [one for one in behind.tokens if one in text]


def test_a_proxy_without_a_sign_in_is_an_error_with_advice(
    served: tuple[str, AuthorizationServer, Behind], tmp_path: Path
) -> None:
    url, server, _ = served
    ended = _host_of(url, tmp_path)
    first = json.loads(ended.stdout.splitlines()[0])
    assert first["id"] == 0
    assert "signoff sign-in" in first["error"]["message"]
    assert not server._clients


class EndsTokens(Behind):
    """The same, but each list of tools ends every token that was given out before."""

    server: AuthorizationServer

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        methods: list[str] = []

        async def read() -> Any:
            part = await receive()
            methods.extend(re.findall(r'"method": ?"([^"]+)"', part.get("body", b"").decode()))
            return part

        await super().__call__(scope, read, send)
        if "tools/list" in methods:
            self.server._tokens.clear()


def test_a_proxy_renews_a_token_that_ends_in_the_middle(tmp_path: Path) -> None:
    behind = EndsTokens()
    with signing_in_with("", behind) as (url, server):
        behind.server, behind.says = server, {}
        state = {"XDG_STATE_HOME": str(tmp_path)}
        with Terminal(signoff("sign-in", "--url", url), 2_000, 100, env=state) as terminal:
            urllib.request.urlopen(_page(terminal), timeout=20).read()
            terminal.wait_for("token until")
            assert terminal.wait_exit() == 0
        ended = _host_of(url, tmp_path)
    assert ended.returncode == 0, ended.stderr
    answers = {one.get("id"): one for one in map(json.loads, ended.stdout.splitlines())}
    assert "result" in answers[1]
    assert "result" in answers[2], ended.stdout
    assert len(set(behind.tokens)) > 1
    assert not [one for one in behind.tokens if one in ended.stdout + ended.stderr]
