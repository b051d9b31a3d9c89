"""The head of every page, and how a server's text gets into one."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.html import PAGE_END, page_block, page_head, page_text
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


def _read(html: str) -> _Reader:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader


def test_a_page_fetches_nothing_and_runs_nothing() -> None:
    head = "\n".join(page_head("A page", "p { }"))
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    assert f'http-equiv="Content-Security-Policy" content="{policy}"' in head
    assert "img-src data:" in "\n".join(page_head("A page", "", pictures=True))


@given(st.text() | st.sampled_from([*HOSTILE, "</title><script>", '" onload="x']))
def test_no_text_becomes_a_tag(text: str) -> None:
    page = _read("\n".join([*page_head(text, ""), f"<p>{page_text(text)}</p>", *PAGE_END]))
    assert page.tags == ["html", "head", "meta", "meta", "meta", "title", "style", "body", "p"]
    assert _read(f'<p title="{page_text(text)}">').tags == ["p"]


@given(st.text(st.sampled_from("a <\n\x1b\u202e")))
def test_a_block_keeps_its_lines_and_their_indentation(text: str) -> None:
    lines = _read(page_block(text)).text.split("\n")
    for line, shown in zip(text.split("\n"), lines, strict=True):
        words = line.lstrip(" ")
        assert shown == " " * (len(line) - len(words)) + visible(words)


def test_a_block_hides_no_words_behind_blanks() -> None:
    assert "   x" not in page_block(" " * 5_000 + "x")
