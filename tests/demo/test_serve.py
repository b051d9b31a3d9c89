"""`signoff demo serve`: the sign-in is sound for the SDK's client, and its faults are faults."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from signoff.app.cli.commands.demo_serve import faults
from signoff.app.protocol.clients.sign_in import Does, behaviour
from tests.cli.running import run
from tests.manual import page
from tests.servers.signing_in import signing_in
from tests.tiers import first_quick

REDIRECT = "http://127.0.0.1:9999/callback"


class Memory:
    """What the SDK's client keeps."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


async def signed_in(url: str) -> tuple[int, Memory]:
    """Sign in as the SDK's client does; a person follows the redirect at once."""
    answers: list[str] = []

    async def open_page(page: str) -> None:
        async with httpx2.AsyncClient() as browser:
            response = await browser.get(page)
        answers.append(response.headers["location"])

    async def callback() -> AuthorizationCodeResult:
        given = {key: one[0] for key, one in parse_qs(urlsplit(answers[-1]).query).items()}
        return AuthorizationCodeResult(
            code=given.get("code", ""), state=given.get("state"), iss=given.get("iss")
        )

    memory = Memory()
    metadata = OAuthClientMetadata(redirect_uris=[AnyUrl(REDIRECT)], client_name="test")
    provider = OAuthClientProvider(url, metadata, memory, open_page, callback)
    async with httpx2.AsyncClient(auth=provider) as client:
        response = await client.post(url, json={})
    return response.status_code, memory


async def test_the_sdk_signs_in() -> None:
    with signing_in() as url:
        status, memory = await signed_in(url)
    assert status == 200
    assert memory.tokens is not None
    assert memory.tokens.scope == "demo:read offline_access" or memory.tokens.scope == "demo:read"
    assert memory.tokens.refresh_token


@pytest.mark.parametrize(
    ("fault", "code", "variant"),
    first_quick(
        [
            ("issuer-mismatch", "sign-in-issuer-mismatch", "other"),
            ("issuer-slash", "sign-in-issuer-mismatch", "root-slash-added"),
            ("no-pkce", "sign-in-no-pkce", ""),
            ("pkce-plain", "sign-in-no-s256", ""),
            ("resource-mismatch", "sign-in-resource-mismatch", ""),
            ("resource-parent", "sign-in-resource-differs", "parent"),
            ("resource-slash", "sign-in-resource-differs", "slash-added"),
            ("no-metadata", "sign-in-no-server-metadata", "absent"),
            ("dcr-missing", "sign-in-no-registration", ""),
        ],
        2,
        several=True,
    ),
)
async def test_the_table_of_clients_is_right_about_the_installed_sdk(
    fault: str, code: str, variant: str
) -> None:
    found = {one.client: one.does for one in behaviour(code, variant)}
    does = found["Python SDK 2.3.0"]
    with signing_in(fault) as url:
        if does is Does.GOES_ON:
            status, _ = await signed_in(url)
            assert status == 200
        else:
            # A guessed address is not that of the authorization server here.
            with pytest.raises(Exception, match=r"mismatch|does not match|Registration failed"):
                await signed_in(url)


@pytest.mark.parametrize(
    "fault", first_quick(["iss-missing", "iss-wrong", "state-wrong", "access-denied"])
)
async def test_faults_of_the_answer_stop_the_sdk(fault: str) -> None:
    with signing_in(fault) as url, pytest.raises(Exception, match=r"iss|State|code"):
        await signed_in(url)


async def test_no_token_is_accepted_if_that_is_the_fault() -> None:
    with signing_in("always-401") as url:
        status, memory = await signed_in(url)
    assert status == 401
    assert memory.tokens is not None


async def test_a_code_counts_once_and_only_for_its_client() -> None:
    with signing_in() as url:
        async with httpx2.AsyncClient() as client:
            place = f"{url.removesuffix('/mcp')}/.well-known/oauth-protected-resource/mcp"
            issuer = (await client.get(place)).json()["authorization_servers"][0]
            registered = await client.post(
                f"{issuer}/register", json={"redirect_uris": ["https://evil.example/"]}
            )
            assert registered.status_code == 400
            given = {"grant_type": "authorization_code", "code": "x", "code_verifier": "y"}
            refused = await client.post(f"{issuer}/token", data=given)
            assert refused.json() == {"error": "invalid_grant"}
            refused = await client.get(f"{issuer}/authorize", params={"redirect_uri": REDIRECT})
            assert refused.status_code == 400


@pytest.mark.slow
async def test_the_sdk_lists_the_tools_of_the_program_once_it_is_signed_in() -> None:
    command = [sys.executable, "-m", "signoff.app", "demo", "serve", "--auth-fault", "step-up"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as served:
        assert served.stdout is not None
        url = served.stdout.readline().strip()
        try:
            status, memory = await signed_in(url)
            # An empty object is no message, and was read by the server behind the sign-in.
            assert status == 400
            assert memory.tokens is not None
            headers = {"Authorization": f"Bearer {memory.tokens.access_token}"}
            async with httpx2.AsyncClient(headers=headers) as client:
                message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
                refused = await client.post(url, json=message)
            assert refused.status_code == 403
            assert 'error="insufficient_scope"' in refused.headers["www-authenticate"]
        finally:
            served.kill()


@pytest.mark.slow
def test_ctrl_c_ends_it_without_a_traceback() -> None:
    if sys.platform == "win32":
        pytest.skip("signals of POSIX")
    command = [sys.executable, "-m", "signoff.app", "demo", "serve"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as served:
        assert served.stdout is not None
        assert served.stderr is not None
        served.stdout.readline()
        # As a terminal sends it: to all processes of the group.
        os.killpg(served.pid, signal.SIGINT)
        words = served.stderr.read()
    assert "Traceback" not in words
    assert served.returncode == 130


@pytest.mark.slow
def test_the_program_prints_its_address_and_ends_with_its_parent() -> None:
    command = [sys.executable, "-m", "signoff.app", "demo", "serve", "--auth-fault", "no-pkce"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as served:
        assert served.stdout is not None
        assert served.stderr is not None
        url = served.stdout.readline().strip()
        assert httpx2.post(url, json={}).status_code == 401
        served.kill()
        # The pipe of the error output ends with the last process that holds it.
        words = served.stderr.read()
    assert "fault: no-pkce" in words
    with pytest.raises(httpx2.ConnectError):
        httpx2.post(url, json={})


def test_a_wrong_fault_or_port_is_told(tmp_path: Path) -> None:
    for words in (("--auth-fault", "no-such"), ("--port", "99999"), ("--port", "x")):
        ended = run(tmp_path, "demo", "serve", *words)
        assert ended.status == 2
    assert len(faults()) > 20


def test_the_manual_has_every_fault() -> None:
    manual = page("reference/sign-in-faults")
    assert [
        name for name, words in faults().items() if f"| `{name}` | {words} |" not in manual
    ] == []
