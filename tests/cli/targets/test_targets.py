"""Targets: exactly one, named and reached as it was given."""

from __future__ import annotations

import pytest

from signoff.app.cli.targets.targets import UsageError, read_target


def test_the_name_is_the_last_part_of_the_command_or_the_host() -> None:
    assert read_target(argv=("/usr/bin/thing", "--x")).name == "thing"
    assert read_target(url="http://127.0.0.1:8000/mcp").name == "127.0.0.1"
    assert read_target(demo=True).name == "demo"
    assert read_target(argv=("thing",), name="mine").name == "mine"


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"demo": True, "argv": ("x",)},
        {"url": "http://h/", "argv": ("x",)},
        {"url": "ftp://h/"},
        {"url": "http://"},
        {"url": "http://[bad"},
        {"argv": ("x",), "env": ["=1"]},
        {"argv": ("x",), "env": ["SIGNOFF_NOT_SET_ANYWHERE"]},
        {"url": "http://h/", "env": ["A=1"]},
    ],
)
def test_what_makes_no_sense_is_a_usage_error(given: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        read_target(**given)  # type: ignore[arg-type]


def test_variables_are_given_by_value_or_taken_from_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNOFF_TEST_TOKEN", "from here")
    target = read_target(argv=("x",), env=["A=b=c", "SIGNOFF_TEST_TOKEN", "EMPTY="])
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
    assert read_target(argv=command).name == name
