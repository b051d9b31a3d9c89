"""Documents of any text: lines in the file, bounded work, no exception, no content in errors."""

from __future__ import annotations

import json
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.text import visible
from signoff.app.features.servers.command import check_lines, server_lines, servers_json
from signoff.app.hosts.files.documents import read_document
from signoff.app.hosts.table import hosts
from tests.hosts.files.given import cases, codes, found, read
from tests.tiers import first_quick

FORMATS: Final = ("json", "comments", "jsonc", "toml", "yaml")
CASES: Final = [one.data.decode() for one in cases().values()]
KEYS: Final = st.sampled_from(
    [
        *("mcpServers", "servers", "mcp", "extensions", "command", "args", "env", "url", "type"),
        *("headers", "inputs", "packages", "server", "permissions", "projects", "tools", "", "x"),
        *("autoApprove", "trust", "cwd", "transport", "settings", "name", "uses", "\u202e\x1b["),
    ]
)
SCALARS: Final = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(max_size=20),
    st.sampled_from(["npx", "${A}", "${input:x}", "https://h/x?token=abc", "$(x)", "stdio", "*"]),
)
VALUES: Final = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=40,
)


def check(data: bytes, host: str) -> None:
    report = read(data, host)
    lines = data.count(b"\n") + data.count(b"\r") + 1
    for one in found(report).values():
        assert 0 <= one.line <= lines
        assert visible(one.message, max_blanks=60) == one.message
    shown = [*server_lines([report], "/home/ada", "/"), *check_lines([report], "/home/ada", "/")]
    assert all(visible(line, max_blanks=60) == line for line in shown)
    assert json.dumps(servers_json([report]))


@given(st.text(max_size=300), st.sampled_from(sorted(hosts())))
def test_any_text_gives_a_report(text: str, host: str) -> None:
    check(text.encode("utf-8", "surrogatepass"), host)


@given(st.binary(max_size=300), st.sampled_from(FORMATS))
def test_any_bytes_give_a_document(data: bytes, format: str) -> None:
    document = read_document(data, format)
    assert document.tree is not None or document.problems


@given(st.dictionaries(KEYS, VALUES, max_size=5), st.sampled_from(sorted(hosts())))
def test_any_values_give_a_report(value: object, host: str) -> None:
    check(json.dumps(value).encode(), host)


@given(st.data(), st.sampled_from(CASES), st.sampled_from(sorted(hosts())))
def test_any_broken_case_gives_a_report(data: st.DataObject, text: str, host: str) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(start + 20, len(text))))
    check((text[:start] + data.draw(st.text(max_size=3)) + text[end:]).encode(), host)


@given(VALUES)
def test_json_is_read_as_the_library_reads_it(value: object) -> None:
    text = json.dumps(value, indent=1)
    tree = read_document(text.encode(), "json").tree
    assert tree is not None
    assert tree.plain() == json.loads(text)


def test_values_know_their_lines_and_columns() -> None:
    text = '{\n  "a": [1,\n    {"b": "x"}] // end\n}'
    tree = read_document(text.encode(), "jsonc").tree
    assert tree is not None
    inner = tree.members["a"].items[1]
    assert (inner.spot.line, inner.spot.column) == (3, 5)
    assert (inner.keys["b"].line, inner.keys["b"].column) == (3, 6)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"a": 1\n "b": 2}', 2),
        ('{"a": "x\ny"}', 1),
        ('{"a": "\\q"}', 1),
        ('{\n"a": tru}', 2),
        ('{"a": 01}', 1),
        ('{"a": 1,,}', 1),
        ("{'a': 1}", 1),
        ("{a: 1}", 1),
        ('{"a": [1, 2}', 1),
        ('{"a": {\n\n', 2),
        ('{"a": 1} {', 1),
        ("/* x", 1),
        ("{", 1),
    ],
)
def test_a_broken_text_is_one_problem_with_its_line(text: str, line: int) -> None:
    (problem,) = read_document(text.encode(), "json").problems
    assert (problem.code, problem.line) == ("parse-error", line)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "text",
    first_quick(
        [
            "[" * 150_000,
            '{"a":' * 30_000,
            "a." * 70_000 + "a=1",
            "[" + "1," * 49_000 + "1]",
            "/*" * 90_000,
            '"' * 150_001,
            "- " * 49_000,
        ],
        3,
    ),
    ids=["lists", "objects", "dots", "values", "comments", "quotes", "dashes"],
)
def test_an_expensive_text_is_read_or_refused(text: str, format: str) -> None:
    document = read_document(text.encode(), format)
    assert document.tree is not None or document.problems


def test_a_large_file_is_refused_in_a_sentence() -> None:
    (problem,) = read_document(b" " * 1_000_001, "json").problems
    assert problem.code == "too-large"


def test_an_error_repeats_nothing_of_the_file() -> None:
    secret = "s3cretValue1234567"
    for text, host in (
        (f'{{"token": "{secret}\\q"}}', "claude-code"),
        (f"token = {secret}", "codex"),
        (f"token = '{secret}", "codex"),
        (f"token: *{secret}", "goose"),
        (f"token: '{secret}", "goose"),
        (f"token: !{secret} x", "goose"),
        (f"a: b: {secret}", "goose"),
        (f'"{secret}" = 1\n"{secret}" = 2', "codex"),
    ):
        report = read(text, host, "/home/ada/project/file")
        assert secret not in repr(report)


def test_many_servers_and_problems_are_bounded() -> None:
    many = {f"s{number}": {"command": "a b", "args": 5} for number in range(3_000)}
    report = read(json.dumps({"mcpServers": many}))
    assert len(report.servers) == 1_000
    assert "more-problems" in codes(report)
    assert sum(len(one.problems) for one in report.servers) <= 500


def test_a_name_is_shown_without_its_control_characters() -> None:
    name = "a\u001b]0;x\u0007\u202e" + "b" * 500
    report = read(json.dumps({"mcpServers": {name: {"command": "x\u001b[2J", "\u001b": 1}}}))
    lines = [*server_lines([report], "", ""), *check_lines([report], "", "")]
    assert not any("\u001b" in line or "\u202e" in line for line in lines)
    assert "control-character" in codes(report)
    assert max(map(len, lines)) < 400
