"""The head of every page, and how a server's text gets into one."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content import html
from signoff.app.content.text import visible
from tests.widgets.tool_samples import HOSTILE


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def _read(page: str) -> _Reader:
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return reader


def test_a_page_fetches_nothing_and_runs_nothing() -> None:
    head = html.page("A page", "p { }", [])
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    assert f'http-equiv="Content-Security-Policy" content="{policy}"' in head
    assert "img-src data:" in html.page("A page", "", [], pictures=True)


@given(st.text() | st.sampled_from([*HOSTILE, "</title><script>", '" onload="x']))
def test_no_text_becomes_a_tag(text: str) -> None:
    page = _read(html.page(text, "", [html.paragraph(text)]))
    assert page.tags == ["html", "head", "meta", "meta", "meta", "title", "style", "body", "p"]
    assert _read(f'<p title="{html.text(text)}">').tags == ["p"]


@given(st.text() | st.sampled_from([*HOSTILE, "</pre><script>", "</summary>"]))
def test_no_part_of_a_page_lets_a_text_become_a_tag(text: str) -> None:
    parts = [html.code(text), html.quote(text), html.word(text, "good"), html.facts([(text, text)])]
    assert _read("".join(parts)).tags == ["code", "pre", "span", "dl", "dt", "dd"]


def test_a_table_has_headings_of_columns_and_rows() -> None:
    rows = [html.row(["1", "2"], heading="one"), html.row(["3"], id="last")]
    assert html.table(["", "b"], rows, role="matrix", is_wide=True).replace("\n", "") == (
        '<div class="wide"><table class="matrix"><thead><tr><td></td><th scope="col">b</th></tr>'
        '</thead><tbody><tr><th scope="row">one</th><td>1</td><td>2</td></tr><tr id="last">'
        "<td>3</td></tr></tbody></table></div>"
    )
    assert "thead" not in html.table([], rows)


def test_details_are_closed_unless_they_are_said_to_be_open() -> None:
    closed = html.details("more", ["<p>a</p>"], "error", id="m1")
    assert closed == '<details class="error" id="m1"><summary>more</summary><p>a</p></details>'
    assert html.details("", [], open="open").startswith('<details open="open">')


@given(st.text(st.sampled_from("a <\n\x1b\u202e")))
def test_a_block_keeps_its_lines_and_their_indentation(text: str) -> None:
    lines = _read(html.block(text)).text.split("\n")
    for line, shown in zip(text.split("\n"), lines, strict=True):
        words = line.lstrip(" ")
        assert shown == " " * (len(line) - len(words)) + visible(words)


def test_a_block_hides_no_words_behind_blanks() -> None:
    assert "   x" not in html.block(" " * 5_000 + "x")
