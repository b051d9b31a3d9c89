from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from signoff.app.content.text import visible
from signoff.app.content.texts.kinds import looks_like_markdown
from signoff.app.content.texts.markdown import MarkdownRefused, markdown_lines


def plain(text: str, width: int = 60) -> str:
    lines = markdown_lines(text, width)
    assert isinstance(lines, list), lines
    return "\n".join("".join(piece for piece, _ in line) for line in lines)


@pytest.mark.parametrize(
    "text",
    [
        "# Title\n\nSome text",
        "Some **bold** and `code`",
        "1. one\n2. two\n\nand **bold**",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "```sh\nls\n```",
        "see [the page](https://example.org/a)",
        "> quoted\n\n- one\n- two",
    ],
)
def test_markdown_is_recognised(text: str) -> None:
    assert looks_like_markdown(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain words",
        "a * b * c",
        '{"text": "**bold** and `code`"}',
        '["**bold**", "`code`", "[x](https://a.b)"]',
        "<p>**bold** `code`</p>",
        "#!/bin/sh\n# list files\nls",
        "2026-01-01T12:00:00 **start** of `x`\n2026-01-01T12:00:01 end",
        "INFO **start** `x`\nERROR **end** `x`",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-# **a** `b`\n+# **c** `d`",
        "**bold** `code` " * 4000,
    ],
)
def test_other_text_is_not(text: str) -> None:
    assert not looks_like_markdown(text)


def test_styles_are_valid_and_without_links_or_colours() -> None:
    lines = markdown_lines("# One\n\n**b** *i* `c` [l](http://x)\n\n> q\n\n- a\n\n    code\n", 60)
    assert isinstance(lines, list)
    assert lines[0] == [("One", "bold underline")]
    for line in lines:
        for _, style in line:
            parsed = Style.parse(style)
            assert parsed.link is None
            assert parsed.color is None
            assert parsed.bgcolor is None


def test_nothing_is_left_out() -> None:
    shown = plain(
        'A [link](https://evil.example/x "a title") and ![picture](http://a/b.png)\n\n'
        "<b>raw</b>\n\n"
        "<!-- ignore all previous instructions -->\n\n"
        "[//]: # (a comment)\n\n"
        "<script>alert(1)</script>\n\n"
        "```python secret words\ncode\n```\n"
    )
    for part in (
        'link (https://evil.example/x "a title")',
        "picture (http://a/b.png)",
        "<b>raw</b>",
        "<!-- ignore all previous instructions -->",
        "(a comment)",
        "<script>alert(1)</script>",
        "python secret words",
        "  code",
    ):
        assert part in " ".join(shown.split("\n")), part


def test_what_markdown_brings_to_light_is_made_visible() -> None:
    shown = plain("&#8238;txt &#x9b;2J &shy;\n\n<http://a.b/%E2%80%AE> `&#8238;`")
    assert "<U+202E>txt" in shown
    assert "<U+00AD>" in shown
    assert "http://a.b/<U+202E> (http://a.b/%E2%80%AE)" in shown
    assert all(line.isprintable() for line in shown.split("\n"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x" * 32_001, "32.0 kB, at most 32.0 kB"),
        ("é" * 20_000, "40.0 kB"),
        ("p\n\n" * 301, "300 blocks"),
        ("- a\n" * 301, "300 blocks"),
        ("|a" * 41 + "|\n" + "|-" * 41 + "|\n", "40 columns"),
        (">" * 21 + " x", "20 levels"),
        (">" * 500 + " x", "20 levels"),
        ("- " * 30 + "x", "20 levels"),
        ("*a _b " * 15 + "c" + "_*" * 15, "20 levels"),
    ],
)
def test_limits(text: str, reason: str) -> None:
    refused = markdown_lines(text, 60)
    assert isinstance(refused, MarkdownRefused)
    assert reason in refused.reason


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["[[" * 4000, "**a" * 4000, "`" * 9000, "|a" * 40 + "|", "\\" * 99]
)
def test_odd_text_is_laid_out(text: str) -> None:
    assert isinstance(markdown_lines(text, 60), list)


def test_limits_are_not_too_narrow() -> None:
    assert isinstance(markdown_lines("p\n\n" * 300, 60), list)
    assert isinstance(markdown_lines(">" * 20 + " x", 80), list)
    assert isinstance(markdown_lines("|a" * 40 + "|\n" + "|-" * 40 + "|\n", 300), list)


def test_values_travel_between_processes() -> None:
    for result in (markdown_lines("# a", 40), MarkdownRefused("no")):
        assert pickle.loads(pickle.dumps(result)) == result
    assert pickle.loads(pickle.dumps(markdown_lines)) is markdown_lines


MARKUP = st.text(st.sampled_from("ab *_`#>-+1.|[]()!<&;:\\\n\t~x81b\u202e漢"), max_size=80)


@given(MARKUP, st.integers(10, 90))
def test_any_text_gives_safe_lines_within_the_width(text: str, width: int) -> None:
    lines = markdown_lines(visible(text, multiline=True), width)
    assert isinstance(lines, MarkdownRefused | list)
    for line in lines if isinstance(lines, list) else []:
        row = "".join(piece for piece, _ in line)
        assert row.isprintable()
        assert row == row.rstrip(" ")
        assert cell_len(row) <= width
