"""Edits of configuration files as patches: they apply, and they hold no secret."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from signoff.app.approval.matrix import cell_word
from signoff.app.approval.policies.verdicts import Case
from signoff.app.content.files.tree import SourceLocation
from signoff.app.hosts.approvals.edits import Edit, patch_of, remove_item, set_value
from signoff.app.hosts.files.reading import format_of
from signoff.app.protocol.server import Trust
from tests.approved import approved
from tests.hosts.files.given import HOME
from tests.hosts.files.machine import (
    CLAUDE,
    CLINE,
    CODE,
    CODEX,
    CRUSH,
    ENTRY,
    GEMINI,
    GOOSE,
    KILO,
    OPENCODE,
    QWEN,
    SETTINGS,
    Files,
    codex,
    columns,
    goose,
    mcp,
    opencode,
    rules,
    runs,
    written,
)

PROSE = approved("matrix-here")

LETTING_RUN: Sequence[Files] = [
    {GEMINI: mcp(trust=True)},
    {GEMINI: {**mcp(), "general": {"defaultApprovalMode": "yolo"}}},
    {QWEN: mcp(trust=True)},
    {CODEX: codex('default_tools_approval_mode = "approve"')},
    {CODEX: codex('default_tools_approval_mode = "writes"')},
    {CODEX: codex("[mcp_servers.notes.tools.drop]", 'approval_mode = "approve"')},
    {CODEX: codex(top='approval_policy = "never"\nsandbox_mode = "danger-full-access"')},
    {GOOSE: goose("GOOSE_MODE: auto")},
    {GOOSE: goose("GOOSE_MODE: smart_approve")},
    {CLAUDE: mcp(), SETTINGS: rules(allow=["mcp__notes__drop"])},
    {CLAUDE: mcp(), SETTINGS: rules(allow=["mcp__other", "mcp__notes__drop"])},
    {CLAUDE: mcp(), SETTINGS: '{"permissions": {"allow": ["mcp__notes__drop", "mcp__b"]}}'},
    {CLAUDE: mcp(), SETTINGS: rules(defaultMode="bypassPermissions")},
    {f"{CODE}/mcp.json": {"servers": {"notes": {**ENTRY, "sandboxEnabled": True}}}},
    {CLINE: mcp(autoApprove=["drop", "add"])},
    {OPENCODE: opencode(permission={"notes_*": "ask", "notes_add": "allow"})},
    {
        CRUSH: {
            "mcp": {"notes": {"type": "stdio", **ENTRY}},
            "permissions": {"allowed_tools": ["mcp_notes_drop"]},
        }
    },
]


@pytest.mark.parametrize("files", LETTING_RUN)
def test_with_its_patch_the_host_asks(files: Files) -> None:
    found = [one for one in runs(files) if one.setting is not None]
    assert found
    texts = written(files)
    for run in found:
        setting = run.setting
        assert setting is not None
        assert setting.edit is not None
        assert setting.fix
        path = setting.file
        patch = patch_of(path, texts[path], format_of(path), setting.edit)
        assert patch.text, patch.why
        edited = {**texts, path: applied(texts[path], patch.text)}
        (column,) = columns(edited)
        verdict = column.policy.judge(Case(run.tool, Trust.UNTRUSTED, "notes"))
        assert run.otherwise is not None
        assert cell_word(verdict) in ("ask", cell_word(run.otherwise))


@pytest.mark.parametrize(
    "files",
    [
        {CODEX: codex()},
        {GOOSE: goose()},
        {OPENCODE: opencode()},
        {KILO: opencode(permission={"other_*": "ask"})},
    ],
)
def test_a_host_that_runs_tools_by_itself_asks_after_its_patch(files: Files) -> None:
    texts = written(files)
    found = runs(files)
    assert found
    for run in found:
        assert (run.setting, bool(run.fix)) == (None, True)
        assert run.edit is not None
        patch = patch_of(run.file, texts[run.file], format_of(run.file), run.edit)
        assert patch.text, patch.why
        edited = {run.file: applied(texts[run.file], patch.text)}
        (column,) = columns(edited)
        assert cell_word(column.policy.judge(Case(run.tool, Trust.UNTRUSTED, "notes"))) == "ask"


def applied(text: str, patch: str) -> str:
    """The text with a unified diff; a line that is not as expected fails."""
    lines, made, at = text.splitlines(), list[str](), 0
    for one in patch.splitlines()[2:]:
        if match := re.match(r"@@ -(\d+)(?:,(\d+))?", one):
            begin = int(match[1]) - (0 if match[2] == "0" else 1)
            made += lines[at:begin]
            at = begin
        elif one.startswith("+"):
            made.append(one[1:])
        else:
            assert lines[at] == one[1:]
            at += 1
            made += [one[1:]] if one.startswith(" ") else []
    return "\n".join([*made, *lines[at:]])


SECRET = "sk-4f9aB27cD81eF630aa19c2d47b85e6f0"


@pytest.mark.parametrize(
    "text",
    [
        '{\n"a": {\n"env": {"N": "%s"},\n"trust": true\n}\n}',
        '{\n"a": {\n"headers": {\n"X": "%s"\n},\n"trust": true\n}\n}',
        '{\n"a": {\n"args": ["--token", "%s"],\n"trust": true\n}\n}',
        '{\n"a": {\n"url": "https://e.test/?key=%s",\n"trust": true\n}\n}',
        '{\n// token: %s\n"a": {\n"trust": true\n}\n}',
        '{\n"a": {\n"env": {\n"PLAIN": "plain words"\n},\n"trust": true\n}\n}',
    ],
)
def test_no_line_of_a_patch_holds_a_secret(text: str) -> None:
    whole = text.replace("%s", SECRET)
    line = whole.splitlines().index('"trust": true') + 1
    edit = set_value(SourceLocation(line, 1), "trust", "true", "false")
    patch = patch_of("/f.json", whole, "jsonc", edit)
    assert patch.text
    assert SECRET not in patch.text
    assert "plain words" not in patch.text
    assert '-"trust": true' in patch.text
    assert applied(whole, patch.text) == whole.replace("true", "false")


def test_a_changed_line_with_a_secret_makes_no_patch() -> None:
    text = f'{{"a": {{"env": {{"N": "{SECRET}"}}, "trust": true}}}}'
    edit = set_value(SourceLocation(1, 1), "trust", "true", "false")
    patch = patch_of("/f.json", text, "json", edit)
    assert (patch.text, SECRET in patch.why) == ("", False)
    PROSE.holds("no patch: a secret", patch.why)


@pytest.mark.parametrize(
    ("key", "text", "edit"),
    [
        ("no patch: no line", "{}", set_value(SourceLocation(9, 1), "trust", "true", "false")),
        (
            "no patch: another form",
            '{"trust":\ntrue}',
            set_value(SourceLocation(1, 1), "trust", "true", "false"),
        ),
        (
            "no patch: no JSON afterwards",
            '{"trust": true}',
            set_value(SourceLocation(1, 1), "trust", "true", "]"),
        ),
    ],
)
def test_an_edit_that_cannot_be_made_has_a_reason(key: str, text: str, edit: Edit) -> None:
    patch = patch_of("/f.json", text, "jsonc", edit)
    assert patch.text == ""
    PROSE.holds(key, patch.why)


@pytest.mark.parametrize(
    ("text", "line", "left"),
    [
        ('{"l": ["a", "b"]}', 1, '{"l": ["b"]}'),
        ('{"l": ["b", "a"]}', 1, '{"l": ["b"]}'),
        ('{"l": ["a"]}', 1, '{"l": []}'),
        ('{"l": [\n  "a",\n  "b"\n]}', 2, '{"l": [\n  "b"\n]}'),
        ('{"l": [\n  "b",\n  "a"\n]}', 3, '{"l": [\n  "b"\n]}'),
        ('{"l": [\n  "a"\n]}', 2, '{"l": [\n]}'),
    ],
)
def test_an_item_is_removed_wherever_it_is(text: str, line: int, left: str) -> None:
    patch = patch_of("/f.json", text, "json", remove_item(SourceLocation(line, 1), "a"))
    assert applied(text, patch.text) == left


def test_only_the_value_of_the_key_is_changed() -> None:
    text = 'mode_b = "approve"\nmode = "approve"\n'
    edit = set_value(SourceLocation(2), "mode", "approve", '"prompt"')
    patch = patch_of(f"{HOME}/f.toml", text, "toml", edit)
    assert applied(text, patch.text) == 'mode_b = "approve"\nmode = "prompt"'
