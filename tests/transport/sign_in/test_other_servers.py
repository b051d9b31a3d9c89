"""Sign-ins at authorization servers that other people wrote, started by npx and uvx."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import urlopen

import httpx2
import pytest
import uvicorn

from signoff.app.demo.authorization import CALL, READ
from signoff.app.demo.serve import HOST, MCP, Protected
from tests.approved import approved
from tests.cli.running import run
from tests.transport.linked import call
from tests.transport.sign_in import browsing
from tests.transport.sign_in.browsing import kept_in, place_of, signed_in
from tests.transport.sign_in.test_client_sign_in import Behind

if sys.platform == "win32":
    pytest.skip("npx and uvx are ended with all their children here", allow_module_level=True)

PROSE = approved("transport-other-servers")
HERE = Path(__file__).resolve().parent
NODE = "node@24"
OIDC_PROVIDER = "oidc-provider@9.13.3"
OAUTH2_MOCK = "oauth2-mock-server@9.3.0"
OIDC_MOCK = "oidc-provider-mock==0.3.4"
STARTS = 120.0
CLIENTS = ("sign in anyway:", "refuse:", "guess an address:", "not known:")
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((found for one in CHROMIUMS if (found := shutil.which(one))), None)
FORM = re.compile(r"<form method=\"post\">")

pytestmark = pytest.mark.slow
needs_npx = pytest.mark.skipif(shutil.which("npx") is None, reason="npx is not installed")


class Elsewhere:
    """An authorization server in another process, as `Protected` needs it."""

    fault = resource = ""

    def __init__(self, port: int) -> None:
        self.issuer = f"http://{HOST}:{port}"

    def scope_of(self, token: str) -> str | None:
        if not token:
            return None
        with urlopen(f"{self.issuer}/check/{token}", timeout=10) as response:
            found: str | None = json.load(response)
        return found


@contextlib.contextmanager
def started(argv: Sequence[str], word: str) -> Iterator[None]:
    """A program that says a word as soon as it can be used."""
    with TemporaryDirectory() as folder:
        process = subprocess.Popen(
            argv,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        said: list[str] = []
        ready = threading.Event()

        def read() -> None:
            assert process.stdout is not None
            for line in process.stdout:
                said.append(line)
                if word in line:
                    ready.set()
            ready.set()

        reading = threading.Thread(target=read, daemon=True)
        reading.start()
        try:
            assert ready.wait(STARTS), said
            if process.poll() is not None:
                pytest.skip(f"{argv[0]} could not start it: {said[-3:]}")
            yield
        finally:
            # npx and uvx are only the parents of it.
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(20)
            reading.join(20)


@contextlib.contextmanager
def protected(server: Any) -> Iterator[str]:
    """The URL of a server whose tokens come from elsewhere."""
    with socket.create_server((HOST, 0)) as listening:
        origin = f"http://{HOST}:{listening.getsockname()[1]}"
        app = Protected(Behind(), origin, server, 0)
        config = uvicorn.Config(app, log_level="critical", lifespan="off")
        web = uvicorn.Server(config)
        thread = threading.Thread(target=web.run, args=([listening],), daemon=True)
        thread.start()
        try:
            yield f"{origin}{MCP}"
        finally:
            web.should_exit = True
            thread.join(10)


def free_port() -> int:
    with socket.create_server((HOST, 0)) as free:
        port: int = free.getsockname()[1]
    return port


def npx(*words: str, package: str) -> list[str]:
    return ["npx", "--yes", "-p", NODE, "-p", package, *words]


async def by_forms(page: str) -> tuple[str, int]:
    """Follow the pages without a browser: each form is sent as it is."""
    async with httpx2.AsyncClient(verify=False) as web:
        response = await web.get(page)
        for _ in range(20):
            if response.next_request is not None:
                response = await web.get(response.next_request.url)
            elif FORM.search(response.text):
                response = await web.post(response.url)
            else:
                break
    return str(response.url), response.status_code


async def by_chromium(page: str) -> tuple[str, int]:
    """Open the page in a browser, which sends the forms by their scripts."""
    assert CHROMIUM is not None
    with TemporaryDirectory() as folder:
        process = await asyncio.create_subprocess_exec(
            CHROMIUM,
            *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"),
            *(f"--user-data-dir={folder}", "--virtual-time-budget=20000", "--dump-dom", page),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        out, _ = await process.communicate()
    return "", 200 if b"Signoff has the answer" in out else 0


WAYS = [
    "forms",
    pytest.param(
        "chromium", marks=pytest.mark.skipif(CHROMIUM is None, reason="no chromium is installed")
    ),
]


@needs_npx
@pytest.mark.parametrize("way", WAYS)
async def test_oidc_provider_signs_a_person_in(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browsing, "visited", by_forms if way == "forms" else by_chromium)
    port = free_port()
    server = Elsewhere(port)
    with protected(server) as url:
        argv = npx("node", str(HERE / "oidc_provider.mjs"), str(port), url, package=OIDC_PROVIDER)
        with started(argv, "ready"):
            async with signed_in(url, kept_in(tmp_path)) as (link, person):
                assert not (await call(link, "echo")).problem
                assert person.closed == [""]
                assert person.asked[0].scopes == (READ, "offline_access")
                assert link.signed_in is not None
                assert {READ} <= {*link.signed_in.scopes} <= {READ, CALL, "offline_access"}
            async with signed_in(url, kept_in(tmp_path)) as (link, person):
                # A token that the server does not know any more is refreshed, and rotated.
                sign_in: Any = link._client_sign_in
                before = sign_in._entry.refresh_token
                setattr(server, "scope_of", forgets(server, sign_in._token.value))  # noqa: B010
                assert not (await call(link, "echo")).problem
                assert sign_in._entry.refresh_token not in ("", before)
                assert person.asked == []


def forgets(server: Elsewhere, forgotten: str) -> Any:
    known = server.scope_of
    return lambda token: None if token == forgotten else known(token)


def told(folder: Path, port: int, key: str) -> None:
    """Explain the sign-in of a server with the authorization server on a port.

    What clients do about each problem is the subject of other tests.
    """
    server = Elsewhere(port)
    with protected(server) as url:
        words = ("doctor", "--url", url, "--sign-in-only", "--no-audit", "--no-memory")
        done = run(folder, *words)
    lines = (done.stdout + done.stderr).splitlines()
    kept = "\n".join(one for one in lines if not one.lstrip().startswith(CLIENTS))
    PROSE.holds(key, place_of(kept, url, server.issuer), PORT=port)


@needs_npx
def test_oauth2_mock_server_is_explained(tmp_path: Path) -> None:
    port = free_port()
    argv = npx("oauth2-mock-server", "-a", HOST, "-p", str(port), package=OAUTH2_MOCK)
    with started(argv, "issuer"):
        told(tmp_path, port, "oauth2-mock-server")


@pytest.mark.skipif(shutil.which("uvx") is None, reason="uvx is not installed")
def test_oidc_provider_mock_is_explained(tmp_path: Path) -> None:
    port = free_port()
    argv = ["uvx", "--from", OIDC_MOCK, "oidc-provider-mock", "--port", str(port)]
    with started(argv, "running"):
        told(tmp_path, port, "oidc-provider-mock")
