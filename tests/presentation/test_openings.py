"""Rows of the start screen: what is offered, what a typed text means, and no secret in either."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.presentation.openings import (
    BUILT_IN,
    Opening,
    file_sections,
    matching,
    recent_section,
    typed_openings,
)
from signoff.app.storage.starts import RecentServer
from tests.approved import approved
from tests.hosts.files.given import HOME, cases, entry, read

PROSE = approved("starts")
NOW = 1_800_000_000.0
RECENT = RecentServer(b"k", "git", "uvx mcp-server-git", ("--", "uvx"), "/f", NOW, "closed")


def typed(text: str) -> list[tuple[str, ...]]:
    return [one.words for one in typed_openings(text, {}, "linux")]


def lines(rows: tuple[Opening, ...]) -> str:
    return "\n".join(f"{one.name} | {one.detail} | {one.note}" for one in rows)


def test_what_a_typed_text_opens() -> None:
    assert typed("https://a.example/mcp") == [("--url", "https://a.example/mcp")]
    python = shlex.quote(sys.executable)
    assert typed(f"{python} -m x 'a b'") == [("--", sys.executable, "-m", "x", "a b")]
    assert typed("$ npx -y some-server") == [("--", "npx", "-y", "some-server")]
    assert typed("signoff -- npx some-server") == [("--", "npx", "some-server")]
    for nothing in ("", "  ", "github", "it's", "signoff", "{", '{"a": 1}', "[1]"):
        assert typed(nothing) == [], nothing


@pytest.mark.parametrize(
    "text",
    [
        '{"mcpServers": {"git": {"command": "uvx", "args": ["mcp-server-git"]}}}',
        '{"servers": {"git": {"command": "uvx", "args": ["mcp-server-git"]}}}',
        '"git": {"command": "uvx", "args": ["mcp-server-git"]},',
        '{"git": {"command": "uvx", "args": ["mcp-server-git"]}}',
        '{ // as in its documents\n "mcpServers": {"git": {"command": "uvx", "args": ["a"],}}}',
    ],
)
def test_pasted_json_is_read_in_all_its_forms(text: str) -> None:
    (row,) = typed_openings(text, {}, "linux")
    assert row.words == ("--server=git",)
    assert json.loads(json.dumps(row.pasted))
    assert "uvx" in row.detail


def test_an_entry_without_a_name_and_several_entries() -> None:
    (row,) = typed_openings('{"command": "uvx", "args": ["x"]}', {}, "linux")
    assert row.words == ("--server=pasted",)
    two = typed_openings('{"mcpServers": {"a": {"command": "x"}, "b": {"url": "y"}}}', {}, "linux")
    assert [one.words for one in two] == [("--server=a",), ("--server=b",)]


def test_no_secret_of_a_typed_text_is_drawn() -> None:
    text = '{"mcpServers": {"a": {"command": "x", "args": ["--token", "s3cret-s3cret"]}}}'
    for one in (text, "x --password s3cret-s3cret", "https://me:s3cret-s3cret@a.example/"):
        assert "s3cret" not in lines(typed_openings(one, {}, "linux"))


@given(st.text(max_size=60))
def test_no_text_is_too_odd(text: str) -> None:
    for one in typed_openings(text, {}, "linux"):
        assert one.words
        assert one.detail.isprintable()
        assert one.name.isprintable()


def test_every_case_has_rows_without_secrets() -> None:
    for case in cases().values():
        report = case.read()
        for section in file_sections([report], HOME, f"{HOME}/project"):
            shown = section.title + lines(section.rows)
            assert not [secret for secret in case.secrets if secret in shown]
            assert len(section.rows) == len(report.servers)


def test_a_server_that_cannot_be_opened_has_the_reason() -> None:
    (section,) = file_sections([entry(type="ws", url="wss://a.example/")], HOME, HOME)
    assert section.rows[0].problem
    whole = {
        "mcpServers": {
            "off": {"command": "x", "disabled": True},
            "unset": {"command": "x", "env": {"A": "${NOT_SET}"}},
            "fine": {"command": "x", "args": ["a b"]},
        }
    }
    (section,) = file_sections([read(json.dumps(whole), "claude-code")], HOME, HOME)
    PROSE.holds("rows of a file", f"{section.title}\n{lines(section.rows)}")


def test_a_recent_server_has_its_age_and_its_outcome() -> None:
    ages = (0, 59, 60, 3_599, 3_600, 86_399, 86_400 * 3)
    recents = [replace(RECENT, at=NOW - age, key=bytes([age % 250])) for age in ages]
    secret = replace(RECENT, words=(), outcome="exit code 1\x1b[31m")
    rows = recent_section([*recents, secret], NOW).rows
    assert rows[0].folder == "/f"
    assert rows[-1].problem
    PROSE.holds("rows of recent servers", lines(rows))


def test_only_the_newest_are_offered() -> None:
    many = [replace(RECENT, key=bytes([number])) for number in range(30)]
    assert len(recent_section(many, NOW).rows) == 8


def test_every_word_has_to_match() -> None:
    recent = recent_section([RECENT], NOW)
    assert matching([BUILT_IN, recent], "") == [BUILT_IN, recent]
    assert [one.title for one in matching([BUILT_IN, recent], "UVX git")] == ["Recent"]
    assert matching([BUILT_IN, recent], "recent git") == [recent]
    assert matching([BUILT_IN, recent], "git nothing") == []
