from __future__ import annotations

import json
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.schemas.secrets.commands import (
    mask_command,
    mask_identity,
    mask_words,
    secrets_of_command,
)

DRAWN = "aB3xY9kLmN0" + "pQ2rS4tUv6"
SECRET = [
    (["srv", "--token", "hunter2"], "hunter2"),
    (["srv", "--token", "hun'ter 2"], "ter 2"),
    (["srv", "--password=hun ter2"], "ter2"),
    (["srv", "--api-key=hunter2"], "hunter2"),
    (["srv", "-api_key", "hunter2"], "hunter2"),
    (["srv", "--contraseña", "hunter2"], "hunter2"),
    (["srv", "postgres://me:hun/ter2@db/x"], "hun/ter2"),
    (["srv", "mysql://root@h/db?password=hunter2"], "hunter2"),
    (["srv", "Server=h;Password=hun ter2;Db=x"], "ter2"),
    (["srv", "-H", "X-Api-Key: hun ter2"], "ter2"),
    (["srv", "--header=Authorization: Bearer hun ter2"], "ter2"),
    (["srv", "--header", "authorization: hunter2"], "hunter2"),
    (["curl", "-u", "me:hun ter2"], "ter2"),
    (["curl", "--user=me:hunter2"], "hunter2"),
    (["env", "API_TOKEN=hun ter2", "srv"], "ter2"),
    (["srv", "--env", "API_TOKEN=hunter2"], "hunter2"),
    (["srv", "https://h/p?token=hunter2&x=1"], "hunter2"),
    (["srv", f"https://h/s/{DRAWN}/mcp"], DRAWN),
    (["srv", f"--endpoint=https://h/?k={DRAWN}"], DRAWN),
    (["srv", DRAWN], DRAWN),
]
PLAIN = [
    ["python", "-m", "signoff.app.demo"],
    ["npx", "-y", "@modelcontextprotocol/server-everything", "stdio"],
    [
        "uvx",
        "mcp-server-git",
        "--repository",
        "/home/me/Projects/Thing2/With_Capitals_And_9_Digits",
    ],
    ["srv", "--max-tokens", "4096", "--password-length=12"],
    ["srv", "--port=8080", "--log-level", "DEBUG"],
    ["srv", "http://127.0.0.1:8000/mcp?page=2"],
    ["srv", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
]


@pytest.mark.parametrize(("argv", "secret"), SECRET)
def test_the_secrets_of_a_command(argv: list[str], secret: str) -> None:
    command = shlex.join(argv)
    assert secret not in mask_command(command)
    assert "[masked: " in mask_command(command)
    assert mask_command(command).startswith(argv[0])
    assert any(secret in found for found in secrets_of_command(command))


@pytest.mark.parametrize(("argv", "secret"), SECRET)
def test_the_secrets_of_what_an_approval_is_bound_to(argv: list[str], secret: str) -> None:
    shown = mask_identity(json.dumps(["stdio", "/here", ["NAME"], argv]))
    assert secret not in json.loads(shown)[3]
    assert secret not in shown
    kind, folder, names, words = json.loads(shown)
    assert (kind, folder, names) == ("stdio", "/here", ["NAME"])
    assert len(words) == len(argv)


@pytest.mark.parametrize("argv", PLAIN)
def test_a_command_without_secrets_stays_as_it_is(argv: list[str]) -> None:
    assert mask_command(shlex.join(argv)) == shlex.join(argv)
    assert mask_words(argv) == argv
    identity = json.dumps(["stdio", "/here", [], argv])
    assert mask_identity(identity) == identity


def test_urls() -> None:
    masked = mask_command("https://u:hunter2@h/mcp?api_key=1234&x=1")
    assert masked == "https://u:[masked: 7 characters]@h/mcp?api_key=[masked: 4 characters]&x=1"
    assert mask_identity("http:https://h/mcp") == "http:https://h/mcp"
    assert DRAWN not in mask_identity(f"http:https://h/{DRAWN}")


def test_an_identity_with_values_in_it() -> None:
    identity = json.dumps(
        ["stdio", {"env": {"API_TOKEN": "hunter2"}, "argv": ["a", "--token", "b2"]}]
    )
    assert json.loads(mask_identity(identity)) == [
        "stdio",
        {
            "env": {"API_TOKEN": "[masked: 7 characters]"},
            "argv": ["a", "--token", "[masked: 2 characters]"],
        },
    ]


@given(st.lists(st.text(max_size=20), min_size=1, max_size=6))
def test_masking_a_command_twice_changes_nothing_more(argv: list[str]) -> None:
    words = mask_words(argv)
    assert mask_words(words) == words


@given(st.text(max_size=60))
def test_any_text_can_be_a_command_or_an_identity(text: str) -> None:
    mask_command(text)
    mask_identity(text)


@pytest.mark.parametrize(
    ("option", "value", "is_shown"),
    [
        ("--client-secret-env", "CI_SECRET", True),
        ("--token-env", "GITHUB_TOKEN_2", True),
        ("--password-env-var", "PASSWORD", True),
        ("--client-secret-env", "hunter2", False),
        ("--client-secret", "CI_SECRET", False),
        ("--token-env", "AKIA2E0A8F3B244C9986", False),
        ("--token-env", "KZXWJQPLMVBTRYQD", False),
    ],
)
def test_the_name_of_a_variable_is_no_secret(option: str, value: str, is_shown: bool) -> None:
    assert (mask_words([option, value])[1] == value) is is_shown
    assert (mask_words([f"{option}={value}"])[0] == f"{option}={value}") is is_shown
