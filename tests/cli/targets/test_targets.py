"""Targets: exactly one, named and reached as it was given."""

from __future__ import annotations

import pytest

from signoff.app.cli.options.session import SessionOptions
from signoff.app.cli.targets.targets import UsageError, read_target

NOTHING = SessionOptions()


def test_the_name_is_the_last_part_of_the_command_or_the_host() -> None:
    assert read_target(NOTHING, ("/usr/bin/thing", "--x")).name == "thing"
    assert read_target(SessionOptions(url="http://127.0.0.1:8000/mcp")).name == "127.0.0.1"
    assert read_target(SessionOptions(is_bundled=True)).name == "demo"
    assert read_target(SessionOptions(name="mine"), ("thing",)).name == "mine"


@pytest.mark.parametrize(
    ("given", "argv"),
    [
        (NOTHING, ()),
        (SessionOptions(is_bundled=True), ("x",)),
        (SessionOptions(url="http://h/"), ("x",)),
        (SessionOptions(url="ftp://h/"), ()),
        (SessionOptions(url="http://"), ()),
        (SessionOptions(url="http://[bad"), ()),
        (SessionOptions(env=("=1",)), ("x",)),
        (SessionOptions(env=("SIGNOFF_NOT_SET_ANYWHERE",)), ("x",)),
        (SessionOptions(url="http://h/", env=("A=1",)), ()),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(given: SessionOptions, argv: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        read_target(given, argv)


def test_variables_are_given_by_value_or_taken_from_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNOFF_TEST_TOKEN", "from here")
    target = read_target(SessionOptions(env=("A=b=c", "SIGNOFF_TEST_TOKEN", "EMPTY=")), ("x",))
    assert dict(target.env) == {"A": "b=c", "SIGNOFF_TEST_TOKEN": "from here", "EMPTY": ""}


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (("python3", "-c", "print(1/0)"), "python3 -c …"),
        (("python3.11", "-Suc", "import a/b.py"), "python3.11 -Suc …"),
        (("python3", "-W", "error", "-c", "x"), "python3 -c …"),
        (("node", "-e", "require('x/y')"), "node -e …"),
        (("node", "--eval=a/b"), "node --eval …"),
        (("node", "-r", "dotenv/config", "-e", "a/b"), "node -e …"),
        (("deno", "eval", "a/b"), "deno eval …"),
        (("npx", "-c", "a/b"), "npx -c …"),
        (("python3", "work/my_server.py", "-c", "etc/settings"), "my_server"),
        (("python3", "-m", "my_server"), "my_server"),
        (("npx", "-y", "@scope/thing@1"), "thing"),
        (("npx", "-y", "@playwright/mcp@latest"), "playwright-mcp"),
        (("npx", "@sentry/mcp-server"), "sentry-mcp-server"),
        (("npx", "mcp-server"), "mcp-server"),
        (("node", "/x/node_modules/@stripe/mcp/dist/index.js"), "stripe-mcp"),
        (("node", "/x/node_modules/@scope/thing/dist/index.js"), "thing"),
        (("bash", "-c", "a/b"), "bash"),
        (("uv", "run", "python", "work/my_server.py"), "my_server"),
        (("uv", "run", "python3.12", "-m", "my_server"), "my_server"),
        (("npx", "-y", "tsx", "src/notes.ts"), "notes"),
        (("npx", "tsx"), "tsx"),
    ],
)
def test_a_piece_of_code_is_no_name(command: tuple[str, ...], name: str) -> None:
    assert read_target(NOTHING, command).name == name
