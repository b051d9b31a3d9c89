"""The reports of the matrix, and that nothing a server wrote is acted on in any of them."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.cells import cell_len

from signoff.app.approval.matrix import Matrix, build_matrix, cell_word, column_title, is_host
from signoff.app.approval.policies.policy import Policy
from signoff.app.approval.policies.policy_text import built_in, built_ins, read_policy
from signoff.app.content.text import visible
from signoff.app.features.matrix.page import matrix_html, read_on
from signoff.app.features.matrix.words import matrix_json, matrix_lines, matrix_markdown
from signoff.app.hosts.rules import host_names, read_host
from signoff.app.presentation.pages import CAUTION
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool_reading import read_tools
from signoff.app.storage.policy_files import find_hosts
from tests.approved import approved

PROSE = approved("matrix")

ALL = (*built_ins(), *map(read_host, host_names()))
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "a|b",
    "a\\|b|c\\",
    "`a` ``b`` ```",
    "`\\|<b>x</b>|`",
    "a\n\n# head\n<b>",
    "[click](javascript:alert(1)) ![x](http://e)",
    "<http://example.org> &lt;b&gt; &#60;",
    "hidden \u202e\u200b\U000e0041 \x1b[31m red",
    "*bold* _it_ ~~x~~ <!-- x -->",
    "-->]]></style></table></code>",
    "",
]
BY_ARGUMENT = """
name = "by-argument"
summary = "Looks at an argument, and has a | and a <b> in its words."
[[rule]]
name = "x | <b>"
then = "allow"
reason = "`x` | <script>"
[[rule.argument]]
at = "/path"
is = "x"
[[rule]]
name = "others | <b>"
then = "refuse"
reason = "`others` | <script>"
"""


def entry(name: str = "a_tool", **hints: bool) -> dict[str, Any]:
    return {
        "name": name,
        "title": name,
        "inputSchema": {"type": "object"},
        "annotations": {f"{hint}Hint": claim for hint, claim in hints.items()},
    }


def sample(*columns: Policy, overrides: Any = None) -> Matrix:
    tools = read_tools(
        [
            entry("look", readOnly=True),
            entry("surf", readOnly=True, openWorld=True),
            entry("write", readOnly=False, destructive=False),
            entry("drop", destructive=True),
            entry("odd", readOnly=True, destructive=True),
            entry("mute"),
        ]
    )
    return build_matrix(tools, columns or ALL, server="demo", overrides=overrides or {})


def hostile(*names: str) -> Matrix:
    policy = read_policy(BY_ARGUMENT, "by-argument.toml")
    tools = read_tools([entry(name) for name in names])
    return build_matrix(tools, [policy, read_host("vscode")], server=names[0])


class Page(HTMLParser):
    """What a browser would make of a page, in the little that matters here."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.rows: list[list[str]] = []
        self.other: list[str] = []
        self._in_cell = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self._in_cell = True
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._in_cell = False

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.rows[-1][-1] += data

    def handle_comment(self, data: str) -> None:
        self.other.append(data)

    def values(self, name: str) -> list[str]:
        return [value for key, value in self.attributes if key == name]


# JSON


def test_the_json_has_every_cell_with_its_rule_reasons_and_source() -> None:
    matrix = sample()
    report = json.loads(json.dumps(matrix_json(matrix)))
    assert report["server"] == "demo"
    PROSE.holds("json: the note", report["note"])
    assert [column["name"] for column in report["columns"]] == [c.name for c in ALL]
    for row, tool in zip(matrix.rows, report["tools"], strict=True):
        assert tool["digest"] == row.tool.digest
        assert tool["disagrees"] is row.disagrees
        assert tool["what_if"] is None
        for column, cell, shown in zip(ALL, row.cells, tool["cells"], strict=True):
            assert shown["column"] == column.name
            for trust in Trust:
                verdict = cell.under(trust)
                assert shown[trust.value]["word"] == cell_word(verdict)
                assert shown[trust.value]["rule"] == verdict.rule
                assert shown[trust.value]["reasons"] == list(verdict.reasons)
                assert shown[trust.value]["source"] == verdict.source


def test_the_json_of_a_host_says_what_was_read_and_when() -> None:
    report = matrix_json(sample(built_in("cautious"), read_host("vscode"), read_host("goose")))
    cautious, vscode, goose = report["columns"]
    assert ("date" in cautious, vscode["date"]) == (False, "2026-11-23")
    assert vscode["source_file"].endswith("mcpLanguageModelToolContribution.ts")
    assert (goose["version"], goose["remembers"]) == ("commit 591edd4", None)


# Markdown


def tables(text: str) -> Page:
    return Page(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))


def test_the_markdown_table_has_both_sides_of_trust() -> None:
    page = tables(matrix_markdown(sample(built_in("cautious"), read_host("vscode"))))
    assert [len(row) for row in page.rows] == [4] * 7
    PROSE.holds("markdown: the table", "\n".join(" | ".join(row) for row in page.rows))


def test_the_markdown_says_of_each_column_what_it_is_and_why_it_decides() -> None:
    text = matrix_markdown(sample(built_in("cautious"), read_host("codex")))
    assert "## cautious" in text
    assert "## Codex" in text
    assert "https://github.com/openai/codex" in text
    assert f"read on {read_host('codex').date}" in text
    PROSE.holds("markdown: reasons", "\n".join(one for one in text.split("\n") if "`drop`" in one))
    assert "(untrusted: `drop`)" in text
    assert CAUTION in text


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_a_server_wrote_is_markdown(name: str) -> None:
    page = tables(matrix_markdown(hostile(name, "next")))
    shown = read_tools([entry(name)])[0].display_name
    assert [len(row) for row in page.rows] == [4, 4, 4]
    assert page.rows[1][0] == shown.replace("@", "＠").replace("#", "＃")
    assert page.rows[2][0] == "next"
    assert set(page.tags) <= {
        *("h1", "h2", "p", "em", "strong", "code", "ul", "li"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    }
    assert page.attributes == []
    assert page.other == []


@pytest.mark.slow
@given(st.text(min_size=1, max_size=20))
def test_no_name_whatever_breaks_the_markdown_table(name: str) -> None:
    page = tables(matrix_markdown(hostile(name, "next")))
    assert [len(row) for row in page.rows] == [4, 4, 4]
    shown = read_tools([entry(name)])[0].display_name.strip()
    assert page.rows[1][0].strip() == shown.replace("@", "＠").replace("#", "＃")
    assert page.attributes == []


# HTML


def test_the_page_stands_alone_with_the_day_on_which_each_model_was_read() -> None:
    text = matrix_html(sample())
    page = Page(text)
    assert not {"script", "link", "img", "iframe", "object", "form"} & set(page.tags)
    assert "default-src 'none'" in page.values("content")[0]
    assert ("url(" in text, "@import" in text) == (False, False)
    for words in ("prefers-color-scheme: dark", "@media print", CAUTION):
        assert words in text
    hosts = [column for column in ALL if is_host(column)]
    assert len([cell for cell in page.rows[0] if "2026-11-" in cell]) == len(hosts)
    whats = {row[0]: row[2] for row in page.rows if len(row) == 3}
    for column in hosts:
        assert column.source in whats[column_title(column)]
        assert f"{column.basis} on {column.date}" in whats[column_title(column)]


def test_the_page_has_a_word_for_each_verdict_and_a_way_to_its_reason() -> None:
    matrix = sample()
    page = Page(matrix_html(matrix))
    links = page.values("href")
    assert len(links) == sum(
        2 if cell_word(cell.untrusted) != cell_word(cell.trusted) else 1
        for row in matrix.rows
        for cell in row.cells
    )
    assert {link.removeprefix("#") for link in links} <= set(page.values("id"))
    for name, key in (
        ("Codex", "page: a verdict of a model"),
        ("cautious", "page: a verdict of a policy"),
    ):
        (told,) = [title for title in page.values("title") if f"drop under {name}" in title]
        PROSE.holds(key, told)


@pytest.mark.parametrize("name", [name for name in HOSTILE if name])
def test_nothing_a_server_wrote_is_markup(name: str) -> None:
    plain, page = Page(matrix_html(hostile("plain", "next"))), Page(matrix_html(hostile(name, "n")))
    assert page.tags == plain.tags
    assert [key for key, _ in page.attributes] == [key for key, _ in plain.attributes]
    assert page.other == []
    shown = read_tools([entry(name)])[0].display_name
    assert [row[0] for row in page.rows][2] == shown


@pytest.mark.slow
@given(st.text(min_size=1, max_size=20))
def test_no_name_whatever_is_markup(name: str) -> None:
    text = matrix_html(hostile(name, "next"))
    page = Page(text)
    assert page.tags == Page(matrix_html(hostile("plain", "next"))).tags
    assert visible(text, multiline=True, max_blanks=99, max_newlines=99) == text


# Lines


@pytest.mark.parametrize("width", [40, 80, 120, 300])
def test_lines_fit_and_show_every_column_of_every_tool(width: int) -> None:
    matrix = sample()
    lines = matrix_lines(matrix, width)
    too_long = [line for line in lines if cell_len(line) > width and " " in line.strip()]
    assert too_long == []
    blocks = sum(line.startswith("─") for line in lines)
    for row in matrix.rows:
        mine = [
            line for line in lines if line.startswith(f"{row.tool.effect.sign} {row.tool.name}")
        ]
        assert len(mine) == blocks
        assert sum(len(line.split()) - 2 for line in mine) == len(ALL)


def test_lines_say_what_the_short_words_mean_and_when_models_were_read() -> None:
    text = "\n".join(matrix_lines(sample(), 120))
    _, _, legend = text.partition("\nASK asks")
    PROSE.holds("lines: short words", "ASK asks" + legend.partition("\n\n")[0])
    assert CAUTION in text
    for host in host_names():
        assert read_host(host).title in text
    assert text.count("2026-11-") >= len(host_names())
    short = "\n".join(matrix_lines(sample(read_host("claude-code")), 120))
    assert "refused" not in short


@given(st.text(min_size=1, max_size=60))
def test_no_name_whatever_breaks_a_line(name: str) -> None:
    lines = matrix_lines(hostile(name, "next"), 80)
    assert all("\n" not in line for line in lines)
    assert all(visible(line, max_blanks=999) == line for line in lines)


# All of them


def test_an_answer_that_depends_on_arguments_says_so() -> None:
    matrix = hostile("a")
    row = tables(matrix_markdown(matrix)).rows[1]
    PROSE.holds("markdown: depends on arguments", " | ".join(row))
    assert "by arguments" in matrix_html(matrix)
    assert "ref~" in "\n".join(matrix_lines(matrix, 80))
    cell = matrix_json(matrix)["tools"][0]["cells"][0]
    assert cell["trusted"]["depends_on_arguments"] is True


def test_a_what_if_is_marked_as_not_the_servers() -> None:
    hints = {"readOnly": True, "openWorld": None}
    matrix = sample(read_host("vscode"), overrides={"mute": hints})
    lines = matrix_lines(matrix, 160)
    [words] = [line.removeprefix("» mute: ") for line in lines if line.startswith("» mute: ")]
    PROSE.holds("what if: two hints", words)
    assert matrix_json(matrix)["tools"][-1]["what_if"] == hints
    assert words in matrix_markdown(matrix)
    assert words in matrix_html(matrix)
    assert "○ » mute  run" in lines


def test_only_the_rows_and_columns_that_are_wanted() -> None:
    matrix = sample(read_host("vscode"), read_host("docker-agent")).only_disagreeing()
    for text in (matrix_markdown(matrix), matrix_html(matrix), "\n".join(matrix_lines(matrix, 80))):
        for words, is_there in (("surf", True), ("odd", True), ("mute", False), ("Goose", False)):
            assert (words in text) is is_there
    # One column is compared with no other.
    first, second, *_ = matrix_lines(sample(read_host("vscode")), 80)
    assert "differ on" not in first
    assert "nothing to compare" in f"{first} {second}"
    for columns in ((), ALL):
        empty = build_matrix([], columns)
        assert matrix_json(empty)["tools"] == []
        shown = (matrix_markdown(empty), matrix_html(empty), matrix_lines(empty, 80)[0])
        assert all("0 tools" in one for one in shown)


def test_a_column_names_the_version_that_its_cells_were_measured_on() -> None:
    hosts = {mode.name: mode for host in find_hosts().hosts for mode in host.variants}
    # The rules are of an older version than the newest record.
    assert read_on(hosts["codex:exec"]).endswith(
        "0.169.0, measured on 2026-11-23, cells measured on 0.171.0"
    )
    assert "0.24.4, measured on" in read_on(hosts["qwen-code"])
    assert "cells measured" not in read_on(hosts["qwen-code"])
    assert hosts["zed"].measured_version == ""
    assert hosts["codex:exec"].measured_version == "0.171.0"
