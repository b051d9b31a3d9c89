"""A command signs in by client credentials, and writes neither the secret nor a token anywhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from signoff.app.cli.options.session import SessionOptions
from signoff.app.cli.targets.targets import UsageError, read_target
from signoff.app.demo.authorization import CLIENT, SECRET, AuthorizationServer
from tests.approved import approved
from tests.cli.running import run
from tests.servers.signing_in import signing_in_with
from tests.transport.sign_in.test_client_sign_in import Behind

PROSE = approved("cli-client-credentials")
GIVEN = ("--client-id", CLIENT, "--client-secret-env", "DEMO_SECRET")
FLOW = """\
flow: signed in
url: ADDRESS
client_id: demo-client
client_secret_env: DEMO_SECRET
policy: allow-all
steps:
  - call: echo
"""


@pytest.fixture
def served() -> Iterator[tuple[str, AuthorizationServer, Behind]]:
    behind = Behind()
    behind.says = {"content": [{"type": "text", "text": "x"}]}
    with signing_in_with("", behind) as (url, server):
        yield url, server, behind


def written(folder: Path) -> str:
    """Every file below a folder, as text."""
    return "".join(
        one.read_bytes().decode("utf-8", "replace") for one in folder.rglob("*") if one.is_file()
    )


def test_no_output_and_no_file_has_the_secret_or_a_token(
    served: tuple[str, AuthorizationServer, Behind], tmp_path: Path
) -> None:
    url, server, behind = served
    state = {"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    (tmp_path / "one.flow.yaml").write_text(FLOW.replace("ADDRESS", url), encoding="utf-8")
    approve = ("--approve", "always", "--show-secrets")
    commands: list[tuple[str, ...]] = [
        ("tools", "--json", "--show-secrets"),
        ("call", "echo", *approve, "--capture", "capture.jsonl", "--record", "new.flow.yaml"),
        ("call", "echo", *approve, "--json", "--audit", "audit.jsonl"),
        ("lint", "--json"),
        ("doctor", "--junit", "junit.xml", "--sarif", "doctor.sarif"),
        ("doctor", "--json"),
    ]
    ends = []
    for words in commands:
        ended = run(tmp_path, *words, "--url", url, *GIVEN, DEMO_SECRET=SECRET, **state)
        ends.append(ended)
        assert "required" not in ended.stderr, (words, ended.stderr)
    flow = run(tmp_path, "test", "one.flow.yaml", "--junit", "t.xml", DEMO_SECRET=SECRET, **state)
    assert flow.status == 0, flow.stdout + flow.stderr
    everything = written(tmp_path) + "".join(one.stdout + one.stderr for one in [*ends, flow])
    assert server.asked_by_clients == len(commands) + 1
    for secret in (SECRET, *dict.fromkeys(behind.tokens)):
        assert secret not in everything
    # The copied command and the recorded flow sign in again.
    recorded = (tmp_path / "new.flow.yaml").read_text(encoding="utf-8")
    assert "client_secret_env: DEMO_SECRET" in recorded
    assert "client_id: demo-client" in recorded


def test_json_says_who_has_signed_in(
    served: tuple[str, AuthorizationServer, Behind], tmp_path: Path
) -> None:
    url, server, _ = served
    ended = run(tmp_path, "tools", "--json", "--url", url, *GIVEN, DEMO_SECRET=SECRET)
    found: dict[str, Any] = json.loads(ended.stdout)["server"]["sign_in"]
    assert found.pop("until").endswith("UTC")
    assert found == {
        "signed_in": True,
        "by": "client_credentials",
        "client_id": CLIENT,
        "issuer": server.issuer,
        "scopes": ["demo:read"],
        "problem": None,
    }


def test_plain_mode_and_doctor_say_it(
    served: tuple[str, AuthorizationServer, Behind], tmp_path: Path
) -> None:
    url, server, _ = served
    given = ("--url", url, *GIVEN)
    ended = run(tmp_path, "--plain", *given, stdin="server\n", DEMO_SECRET=SECRET)
    rows = [" ".join(line.split()) for line in ended.stdout.splitlines()]
    assert f"signed in as {CLIENT}, by client credentials" in rows
    assert f"issuer {server.issuer}" in rows
    ended = run(tmp_path, "doctor", *given, DEMO_SECRET=SECRET)
    assert f"sign-in  signed in as {CLIENT}, by client credentials" in ended.stdout


WRONG: dict[str, dict[str, Any]] = {
    "no secret": {"client_id": "ci", "sign_in_by": "client"},
    "no client": {"client_key": "key.pem"},
    "no client of its own": {"sign_in_by": "client"},
    "a browser with a key": {"client_id": "ci", "client_key": "k.pem", "sign_in_by": "browser"},
    "a check that is none": {"lenient": ("isuer",)},
    "a callback elsewhere": {"callback_url": "http://example.org:80/x"},
    "a callback without a port": {"callback_url": "http://localhost/x"},
    "a callback that is too much": {"callback_url": "http://localhost:8765/x?y"},
    "lenient by itself": {"client_id": "c", "client_secret_env": "GOOD", "lenient": ("pkce",)},
    "an unset variable": {"client_id": "ci", "client_secret_env": "NOT_SET"},
    "an empty variable": {"client_id": "ci", "client_secret_env": "EMPTY"},
    "a short secret": {"client_id": "ci", "client_secret_env": "SHORT"},
    "the secret itself": {"client_id": "ci", "client_secret_env": "s3cret-and-long"},
    "a scope that is none": {"client_id": "ci", "client_secret_env": "GOOD", "scope": 'a"b'},
    "a user name": {"client_id": "ci", "client_secret_env": "GOOD", "url": "http://u@h/mcp"},
}


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_told_without_the_secret(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in (("EMPTY", ""), ("SHORT", "abc"), ("GOOD", SECRET)):
        monkeypatch.setenv(variable, value)
    given = SessionOptions(url="http://h/mcp")._replace(**WRONG[name])
    with pytest.raises(UsageError) as raised:
        read_target(given)
    words = str(raised.value)
    assert not any(one in words for one in ("abc", SECRET, "s3cret-and-long", "NOT_SET"))
    PROSE.holds(name, words)


def test_a_token_of_the_person_and_a_client_exclude_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GOOD", SECRET)
    given = SessionOptions(url="http://h/mcp", client_id="ci", client_secret_env="GOOD")
    with pytest.raises(UsageError) as raised:
        read_target(given, (), (("AUTHORIZATION", "Bearer x"),))
    PROSE.holds("a token, too", str(raised.value))
