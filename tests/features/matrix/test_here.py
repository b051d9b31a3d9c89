"""What runs without asking as hosts are configured here: lines, JSON, Markdown and HTML."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from signoff.app.features.matrix.here import here_html, here_json, here_lines, here_markdown
from signoff.app.hosts.approvals.edits import Edit, Patch, patch_of
from signoff.app.hosts.files.reading import format_of
from tests.approved import approved
from tests.hosts.files.given import HOME
from tests.hosts.files.machine import (
    CLAUDE,
    CODEX,
    CURSOR,
    GEMINI,
    OPENCODE,
    SETTINGS,
    Files,
    codex,
    columns,
    mcp,
    opencode,
    rules,
    runs,
    written,
)

PROSE = approved("matrix-here")
SECRET = "sk-4f9aB27cD81eF630aa19c2d47b85e6f0"
FILES: Files = {
    GEMINI: mcp(env={"API_KEY": SECRET}, trust=True),
    CLAUDE: mcp(),
    SETTINGS: rules(allow=["mcp__notes__drop", "mcp__notes"]),
    CODEX: codex("[mcp_servers.notes.tools.drop]", 'approval_mode = "approve"'),
    OPENCODE: opencode(),
    CURSOR: mcp(),
}
HOSTILE = "\x1b[31m<b>`x`</b>\u202e```"


def patches(files: Files) -> dict[str, str]:
    return written(files)


def patch(path: str, edit: Edit) -> Patch:
    return patch_of(path, patches(FILES)[path], format_of(path), edit)


@pytest.mark.parametrize(
    ("files", "folder", "key"),
    [
        (FILES, f"{HOME}/project", "lines: five hosts"),
        ({}, HOME, "lines: no entry"),
        ({CURSOR: mcp()}, HOME, "lines: nothing runs"),
    ],
)
def test_the_lines_have_setting_place_result_and_edit(files: Files, folder: str, key: str) -> None:
    found = (columns(files), runs(files)) if files else ([], [])
    PROSE.holds(key, "\n".join(here_lines(*found, patch, HOME, folder)))


def test_the_json_has_every_tool_that_runs() -> None:
    found = here_json(columns(FILES), runs(FILES), patch)
    hosts = ("gemini-cli", "claude-code", "codex", "opencode", "cursor")
    assert [one["name"] for one in found["columns"]] == [f"{host}:here" for host in hosts]
    assert len(found["runs"]) == len(runs(FILES))
    drop = {one["column"]: one for one in found["runs"] if one["tool"] == "drop"}
    trust, by_itself = drop["gemini-cli:here"], drop["opencode:here"]
    assert (trust["switch"], trust["value"], trust["otherwise"]) == ("trust", "true", "ask")
    assert (trust["file"], trust["line"]) == (GEMINI, 12)
    assert trust["patch"].startswith(f"--- a{GEMINI}\n+++ b{GEMINI}\n@@ ")
    assert drop["claude-code:here"]["otherwise"] == "run"
    assert (by_itself["switch"], by_itself["file"], by_itself["line"]) == (None, None, None)
    assert by_itself["suggestion"]
    assert '"notes_*": "ask"' in by_itself["patch"]
    assert "cursor:here" not in drop


def test_no_surface_prints_a_secret() -> None:
    given = columns(FILES), runs(FILES), patch
    surfaces = (
        "\n".join(here_lines(*given, HOME, HOME)),
        str(here_json(*given)),
        here_markdown(*given),
        "".join(here_html(*given)),
    )
    for text in surfaces:
        assert SECRET not in text
        assert "notes" in text


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_names_of_files_and_servers_are_made_safe() -> None:
    entry = {"command": "npx", "args": ["-y", "notes"], "trust": True}
    files: Files = {GEMINI: {"mcpServers": {HOSTILE: entry}}}
    given = columns(files), runs(files), lambda path, edit: Patch("", "none")
    lines = list(here_lines(*given, HOME, HOME))
    assert not any("\x1b" in one or "\u202e" in one or "\n" in one for one in lines)
    page = _Tags()
    page.feed("".join(here_html(*given)))
    assert "b" not in page.tags
    assert "trust true" in page.text
    fence = next(one for one in here_markdown(*given).splitlines() if one.endswith("text"))
    assert fence.count("`") > 3
