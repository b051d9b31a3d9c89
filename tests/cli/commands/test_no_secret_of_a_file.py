"""No secret of a configuration file is in the list, its JSON, a start's facts or an export."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from signoff.app.features.servers.command import check_lines, server_lines, servers_json
from signoff.app.hosts.files.exporting import export_entry
from signoff.app.hosts.files.servers import FileReport
from signoff.app.hosts.files.starting import prepare_start
from signoff.app.hosts.table import host_named
from signoff.app.presentation.starts import start_facts, start_json
from tests.hosts.files.given import HOME, entry
from tests.hosts.files.test_exporting import TARGETS
from tests.hosts.files.test_starting import machine
from tests.tiers import first_quick

WORD: Final = "hunter2"
HEX: Final = "9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c"
MARKED: Final = (WORD, HEX, "gh" + "p_" + "aB3" * 12, "s3cr3t-Wert!")
OPTIONS: Final = (
    *("key", "api-key", "apikey", "api_key", "token", "access-token", "auth", "auth-token", "pat"),
    *("github-pat", "password", "passwd", "pass", "db-pass", "pwd", "secret", "client-secret"),
    *("bearer", "jwt", "credential", "credentials", "cookie", "license-key", "private-key"),
    *("signing-key", "service-key", "account-key", "access-key", "accessKey", "tok", "otp", "sig"),
)
"""Names of options, of pairs of a query, and of variables, each of which has a secret."""
HEADERS: Final = ("Authorization", "X-Api-Key", "Cookie", "X-Anything", "Proxy-Authorization")


def of_options(name: str, secret: str) -> list[dict[str, Any]]:
    """Entries with a secret behind a name in the arguments, in an address, and in a variable."""
    upper = name.upper().replace("-", "_")
    args = [
        [f"--{name}", secret],
        [f"--{name}={secret}"],
        [f"-{name}", secret],
        ["--env", f"{upper}={secret}"],
        [f"{upper}={secret}"],
        [f"--url=https://e.example/mcp?{name}={secret}"],
        [f"e.example/mcp?a=1&{name}={secret}"],
        ["-y", "a-package", f"https://e.example/mcp#{name}={secret}"],
    ]
    urls = [
        f"https://e.example/mcp?{name}={secret}",
        f"https://e.example/mcp?a=1;{name}={secret}&b=2",
        f"https://e.example/mcp#{name}={secret}",
        f"https://e.example/mcp#a=1&{name}={secret}",
        f"https://e.example/#/r?{name}={secret}",
        f"https://e.example/mcp?{name.replace('e', '%65')}={secret}",
    ]
    return [
        *({"command": "x", "args": one} for one in args),
        *({"type": "http", "url": one} for one in urls),
        {"command": "x", "env": {upper: secret}},
        {"command": "x", "args": [f"${{NOT_SET_{upper}:-{secret}}}"]},
        {"command": "x", "env": {upper: f"${{NOT_SET_{upper}:-{secret}}}"}},
    ]


def of_places(secret: str) -> list[dict[str, Any]]:
    """Entries with a secret in the other places."""
    made: list[dict[str, Any]] = [
        {"command": "x", "args": ["--db", f"mysql://u:{secret}@h/db"]},
        {"command": "x", "args": [f"--db=mysql://u:{secret}@h/db"]},
        {"command": "x", "args": ["--db", f"u:{secret}@h.example/db"]},
        {"command": "x", "args": ["--user", f"u:{secret}"]},
        {"command": "x", "env": {"DATABASE_URL": f"postgres://u:{secret}@h/db"}},
        {"command": "x", "env": {"MORE": json.dumps({"token": secret})}},
        {"command": "x", "args": ["--config", json.dumps({"password": secret})]},
        {"command": "x", "args": ["--json", json.dumps({"a": [{"key": secret}]})]},
        {"command": "x", "args": [f"--api-key:{secret}", f"/password:{secret}"]},
        {"command": "npx -y a-server --token " + secret},
        {"command": "x", "args": ["--proxy", f"u:{secret}@proxy:80"]},
        {"command": "x", "args": ["--dsn", f"Server=h;Password={secret};X=1"]},
        {"command": "env", "args": [f"API_KEY={secret}", "node", "s.js"]},
        {"command": "x", "env": {"HTTPS_PROXY": f"http://u:{secret}@p:1"}},
        {"command": "x", "env": {"JAVA_TOOL_OPTIONS": f"-Dpassword={secret} -javaagent:./e.jar"}},
        {"command": "sh", "args": ["-c", f"TOKEN={secret} exec a-server"]},
        {"command": "docker", "args": ["run", "-e", f"ANY={secret}", "img"]},
        {"type": "http", "url": f"https://u:{secret}@e.example/mcp"},
    ]
    for name in HEADERS:
        for way in (["--header", f"{name}: {secret}"], [f"--header={name}: {secret}"]):
            made.append({"command": "npx", "args": ["mcp-remote", "https://e.example", *way]})
        made.append({"command": "x", "args": ["-H", f"{name}:Bearer {secret}"]})
        made.append({"command": "x", "args": ["--headers", json.dumps({name: secret})]})
        for value in (secret, f"Bearer {secret}"):
            made.append({"type": "http", "url": "https://e.example/mcp", "headers": {name: value}})
    return made


def shown(report: FileReport, targets: tuple[str, ...]) -> dict[str, str]:
    """All that the four commands say of the only server."""
    found = {
        "list": "\n".join(server_lines([report], HOME, HOME)),
        "check": "\n".join(check_lines([report], HOME, HOME)),
        "json": json.dumps(servers_json([report])),
    }
    start = prepare_start(report.servers[0], report, machine(), {})
    found["show"] = "\n".join(one.words for one in start_facts(start, None, is_for_question=False))
    found["show --json"] = json.dumps(start_json(start))
    for target in targets:
        made = export_entry(report.servers[0].entry, host_named(target))
        found[target] = "\n".join((made.text, *made.notes))
    return found


def nowhere(secret: str, keys: dict[str, Any], targets: tuple[str, ...]) -> None:
    for where, text in shown(entry(**keys), targets).items():
        assert secret not in text, (where, keys)


@pytest.mark.parametrize("name", first_quick(OPTIONS, 8))
def test_a_secret_behind_a_name_is_nowhere(name: str) -> None:
    for keys in of_options(name, WORD):
        nowhere(WORD, keys, ("vscode", "codex"))


@pytest.mark.parametrize("secret", MARKED)
def test_a_secret_of_a_place_is_nowhere(secret: str) -> None:
    for keys in of_places(secret):
        nowhere(secret, keys, ("vscode", "codex"))


@drawn(st.sampled_from(MARKED), st.sampled_from(OPTIONS), st.sampled_from(TARGETS), st.data())
def test_no_secret_is_in_any_form_for_any_host(
    secret: str, name: str, target: str, data: st.DataObject
) -> None:
    keys = data.draw(st.sampled_from([*of_options(name, secret), *of_places(secret)]))
    nowhere(secret, keys, (target,))


def test_what_is_wanted_is_exported() -> None:
    for keys in of_places(WORD):
        server = entry(**keys).servers[0]
        assert WORD in export_entry(server.entry, host_named("vscode"), shows_secrets=True).text


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({"command": "x", "args": ["--api-key", WORD]}, '"--api-key",\n        "${env:API_KEY}"'),
        ({"command": "x", "args": [f"--key={WORD}"]}, '"--key=${env:KEY}"'),
        (
            {"command": "sh", "args": ["-c", f"A_TOKEN={WORD} exec server"]},
            '"A_TOKEN=${env:A_TOKEN} exec server"',
        ),
        ({"command": "x", "args": ["--db", f"pg://u:{WORD}@h/d"]}, '"pg://u:${env:DB}@h/d"'),
        (
            {"type": "http", "url": f"https://e.example/mcp?key={WORD}&tok={WORD}"},
            '"https://e.example/mcp?key=${env:KEY}&tok=${env:TOK}"',
        ),
        ({"command": "x", "args": ["--pat", WORD, "--pat", HEX]}, '"${env:PAT_2}"'),
        ({"command": "x", "args": [f"${{A_TOKEN:-{WORD}}}"]}, '"${env:A_TOKEN}"'),
    ],
)
def test_each_secret_becomes_a_variable_of_its_own(keys: dict[str, Any], text: str) -> None:
    made = export_entry(entry(**keys).servers[0].entry, host_named("vscode"))
    assert text in made.text
    assert made.notes


@pytest.mark.parametrize(
    "args",
    [
        ["--key", "/etc/a.pem"],
        ["--key", "server.key"],
        ["--sort-key", "name"],
        ["--key-file", "a"],
        ["npm:other@1.2.3", "a:b@sha256:" + "0a" * 32, "git@github.com:acme/a.git"],
        ["https://e.example/mcp?p=2&mode=fast"],
    ],
)
def test_what_is_no_secret_stays(args: list[str]) -> None:
    report = entry(command="x", args=args)
    assert report.servers[0].args == tuple(args)
    made = export_entry(report.servers[0].entry, host_named("vscode"))
    assert all(json.dumps(one) in made.text for one in args)
