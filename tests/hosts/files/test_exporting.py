"""An entry as another host writes it: the same server when that host reads it, and no secret."""

from __future__ import annotations

import contextlib
from typing import Any, Final

import pytest

from signoff.app.hosts.files.exporting import CannotExport, Export, export_entry
from signoff.app.hosts.files.problems import ERROR
from signoff.app.hosts.files.servers import ConfiguredServer, FileReport
from signoff.app.hosts.table import host_named, hosts
from tests.approved import approved
from tests.hosts.files.given import HOME, cases, entry, read

PROSE = approved("export")
TARGETS: Final = tuple(
    one.id
    for one in hosts().values()
    if one.containers and not one.of and not one.described and one.id != "any"
)
LOCAL: Final[dict[str, Any]] = {
    "command": "npx",
    "args": ["-y", "a b", "--x=1"],
    "env": {"MODE": "fast"},
}
REMOTE: Final[dict[str, Any]] = {
    "type": "http",
    "url": "https://a.example/mcp",
    "headers": {"Accept-Language": "de"},
}


def exported(report: FileReport, target: str, **given: bool) -> Export:
    return export_entry(report.servers[0].entry, host_named(target), **given)


def again(made: Export, target: str) -> ConfiguredServer:
    """The server that the target reads in what was made for it."""
    ending = {"toml": "toml", "yaml": "yaml", "json": "json"}[made.format]
    report = read(made.text, target, f"{HOME}/elsewhere/file.{ending}")
    (server,) = report.servers
    wrong = [one for one in (*report.problems, *server.problems) if one.level is ERROR]
    assert not wrong, (target, made.text, wrong)
    assert server.is_effective
    return server


@pytest.mark.parametrize("target", TARGETS)
def test_a_command_is_the_same_server_there(target: str) -> None:
    server = again(exported(entry(**LOCAL), target), target)
    assert (server.transport, server.command, server.args) == (
        "stdio",
        "npx",
        ("-y", "a b", "--x=1"),
    )
    assert server.env == ("MODE",)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", ["http", "sse"])
def test_an_address_is_the_same_server_there(target: str, kind: str) -> None:
    made = exported(entry(**{**REMOTE, "type": kind}), target)
    server = again(made, target)
    if not hosts()[target].remote:
        assert server.command == "npx"
        assert made.notes
        return
    is_lost = any("HTTP+SSE" in one for one in made.notes)
    assert server.transport == (kind if not is_lost else "http"), made.text
    assert server.headers == ("Accept-Language",)


def variable(source: str, target: str, text: str) -> tuple[str, tuple[str, ...]]:
    made = exported(entry(source, command="x", args=[text]), target)
    (server,) = read(made.text, target, f"{HOME}/elsewhere/file.json").servers
    return server.args[0], made.notes


@pytest.mark.parametrize(
    ("source", "target", "text", "there", "notes"),
    [
        ("claude-code", "cursor", "a${V}b", "a${env:V}b", 0),
        ("cursor", "claude-code", "${env:V}", "${V}", 0),
        ("cursor", "vscode", "${workspaceFolder}/x", "${workspaceFolder}/x", 0),
        ("cursor", "claude-code", "${workspaceFolder}/x", "${workspaceFolder}/x", 1),
        ("claude-code", "zed", "${V}", "${V}", 1),
        ("vscode", "claude-code", "${input:my key}", "${MY_KEY}", 1),
        ("claude-code", "gemini-cli", "${V:-d}", "${V:-d}", 0),
        ("claude-code", "cursor", "${V:-d}", "${env:V}", 1),
    ],
)
def test_variables_take_the_form_of_the_host(
    source: str, target: str, text: str, there: str, notes: int
) -> None:
    found, said = variable(source, target, text)
    assert found == there
    assert len(said) == notes, said


def test_secrets_become_variables_unless_they_are_wanted() -> None:
    keys: dict[str, Any] = {"command": "x", "env": {"API_KEY": "s3cret-s3cret"}}
    hidden = exported(entry(**keys), "cursor")
    assert "s3cret" not in hidden.text
    assert "${env:API_KEY}" in hidden.text
    assert hidden.notes
    assert "s3cret-s3cret" in exported(entry(**keys), "cursor", shows_secrets=True).text


@pytest.mark.slow
def test_every_case_is_written_for_every_host_without_its_secrets() -> None:
    for case in cases().values():
        for server in case.read().servers:
            for target in TARGETS:
                with contextlib.suppress(CannotExport):
                    made = export_entry(server.entry, host_named(target))
                    shown = "\n".join((made.text, *made.notes))
                    env = [one for one in case.secrets if one in shown]
                    words = " ".join(server.entry.words) + (server.entry.url or "")
                    assert all(one in words for one in env), (case.path, target)


def test_codex_names_variables_in_keys_of_its_own_both_ways() -> None:
    keys: dict[str, Any] = {**REMOTE, "headers": {"X-Key": "${KEY}"}}
    assert 'env_http_headers = { "X-Key" = "KEY" }' in exported(entry(**keys), "codex").text
    text = '[mcp_servers.a]\nurl = "https://a.example/"\nbearer_token_env_var = "T"\n'
    back = exported(read(text, "codex", f"{HOME}/.codex/config.toml"), "cursor")
    assert '"Authorization": "Bearer ${env:T}"' in back.text
    assert back.notes == ()


def test_what_has_no_file_is_refused() -> None:
    for target in ("mcpb", "mcp-registry"):
        with pytest.raises(CannotExport):
            exported(entry(**LOCAL), target)
    with pytest.raises(CannotExport):
        exported(entry(type="ws", url="wss://a.example/"), "cursor")


def test_how_it_looks() -> None:
    keys = {**LOCAL, "env": {"MODE": "fast", "TOKEN": "${TOKEN}"}, "cwd": "/srv"}
    shown = []
    for target in ("vscode", "codex", "goose", "opencode", "zed", "continue", "claude-desktop"):
        made = exported(entry(**keys), target)
        shown.append("\n".join((f"{target}: {made.path}", made.text, *made.notes)))
    PROSE.holds("one server for seven hosts", "\n".join(shown))
