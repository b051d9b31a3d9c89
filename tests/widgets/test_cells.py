"""Texts and hints in cells: fitted, sanitised, and as wide as asked."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style
from textual.content import Content

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.content.text import visible
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tool
from signoff.widgets.cells import LEAST_NAME, fit, fit_name, left, right, server_name, server_text
from signoff.widgets.hint_table import HintTable, hint_lines
from tests.approved import approved
from tests.showing import showing
from tests.widgets.tool_samples import HOSTILE, assert_inert, entry

ODD = st.text(
    st.sampled_from("ab 漢字é́\u0308👩\u200d👧🇩🇪\ufe0f❤①\u202e\x1b[]…") | st.characters(),
    max_size=60,
)
PLAIN = Style()


@given(ODD, st.integers(0, 30))
def test_sanitised_text_fits_and_says_when_it_is_cut(text: str, width: int) -> None:
    clean = visible(text)
    shown = fit(clean, width)
    assert cell_len(shown) <= width
    if shown != clean and width:
        assert shown.endswith("…")
        assert clean.startswith(shown[:-1])
    assert cell_len(left(clean, width)) == cell_len(right(clean, width)) == width


@given(ODD | st.sampled_from(HOSTILE), st.integers(1, 40))
def test_server_text_is_as_wide_as_asked_and_inert(text: str, width: int) -> None:
    segments = server_text(text, width, PLAIN)
    shown = "".join(segment.text for segment in segments)
    assert cell_len(shown) == width
    assert all(unicodedata.category(char) not in ("Cc", "Cs") for char in shown)
    assert "\x1b" not in shown
    if not shown.rstrip().endswith("…"):
        assert shown.rstrip() == visible(text).rstrip()


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("漢字", 3, "漢…"), ("漢字", 2, "…"), ("abc", 0, "")],
)
def test_examples(text: str, width: int, shown: str) -> None:
    assert fit(text, width) == shown


def test_marks_are_inverse_and_the_same_characters_written_out_are_not() -> None:
    marked = server_text("a\u202eb", 20, PLAIN)
    written = server_text("a<U+202E>b", 20, PLAIN)
    assert [segment.text for segment in marked if segment.style and segment.style.reverse] == [
        "<U+202E>"
    ]
    assert not [segment for segment in written if segment.style and segment.style.reverse]


@given(ODD | st.sampled_from(HOSTILE), st.integers(1, 60))
def test_a_name_is_as_wide_as_asked_and_inert(text: str, width: int) -> None:
    shown = "".join(segment.text for segment in server_name(text, width, PLAIN))
    assert cell_len(shown) == width
    assert all(unicodedata.category(char) not in ("Cc", "Cs") for char in shown)
    assert "\x1b" not in shown
    if cell_len(visible(text)) <= width:
        assert shown.rstrip() == visible(text).rstrip()
    else:
        assert "…" in shown


@given(ODD, st.integers(0, 60))
def test_a_name_loses_its_middle_and_nothing_else(text: str, width: int) -> None:
    clean = visible(text)
    shown = fit_name(clean, width)
    assert cell_len(shown) <= width
    if shown != clean and width >= LEAST_NAME:
        start, end = next(
            (shown[:place], shown[place + 1 :])
            for place, char in enumerate(shown)
            if char == "…" and not clean.startswith(shown[: place + 1])
        )
        assert clean.startswith(start)
        assert clean.endswith(end)


def test_names_that_begin_alike_are_told_apart() -> None:
    names = [f"{'company_platform_' * 5}{verb}_account" for verb in ("list", "delete")]
    for width in (LEAST_NAME, 30, 80):
        assert len({fit_name(name, width) for name in names}) == 2 or width == LEAST_NAME
        shown = ["".join(s.text for s in server_name(name, width, PLAIN)) for name in names]
        assert shown == [fit_name(name, width) for name in names]
    assert fit_name(names[1], 30) == "company_plat…rm_delete_account"


PROSE = approved("widgets")


def tool(**hints: JsonValue) -> ToolDefinition:
    return read_tool(0, entry("a_tool", None, **hints))


def plain(shown: ToolDefinition, width: int = 80) -> list[str]:
    return [line.plain for line in hint_lines(shown.hints, width)]


def styled(lines: list[Content], text: str) -> list[str]:
    """The styles of the spans that cover exactly `text`."""
    return [
        str(span.style)
        for line in lines
        for span in line.spans
        if line.plain[span.start : span.end] == text
    ]


@pytest.mark.parametrize(
    ("hints", "width", "key"),
    [
        (
            {"read_only": False, "destructive": True, "idempotent": True, "open_world": False},
            *(100, "hints: all declared"),
        ),
        ({}, 70, "hints: none declared"),
        ({"read_only": True, "destructive": True}, 80, "hints: a contradiction"),
        ({"destructive": True, "open_world": False}, 38, "hints: narrow"),
    ],
)
def test_all_lines(hints: dict[str, JsonValue], width: int, key: str) -> None:
    PROSE.holds(key, "\n".join(plain(tool(**hints), width)))


def test_defaults_are_dim_and_hints_without_a_meaning_say_why() -> None:
    lines = hint_lines(tool(destructive=True).hints, 80)
    assert "dim" in styled(lines, "true (default)")
    assert "dim" in styled(lines, "not set")
    claimed = next(line for line in lines if line.plain.startswith("  destructive"))
    claim_at = claimed.plain.index("true")
    assert not [span for span in claimed.spans if span.start == claim_at]
    claimed_too = plain(tool(read_only=True, destructive=True, idempotent=True))
    assert claimed_too[-2].split() == ["idempotent", "true", "false", "false"]
    useless = plain(tool(read_only=True, idempotent=True))[-3:-1]
    assert all(line.endswith("n/a (read-only)") for line in useless)


@pytest.mark.parametrize(
    ("given", "shown"), [("yes", '"yes"'), (1, "“1”"), (None, "“null”"), ({"a": 1}, '“{"a":1}”')]
)
def test_a_malformed_claim_is_quoted_and_underlined(given: JsonValue, shown: str) -> None:
    lines = hint_lines(tool(idempotent=given).hints, 80)
    assert styled(lines, shown) == ["underline $text-warning"]
    row = next(line.plain for line in lines if line.plain.startswith("  idempotent"))
    assert row.endswith("false (default)")


@pytest.mark.parametrize("width", [30, 38, 49, 50, 80, 120])
def test_no_line_is_wider_than_asked(width: int) -> None:
    claims: list[JsonValue] = [*HOSTILE, True, False, None, 1e300, ["x"] * 50]
    for claim in claims:
        for shown in (
            tool(read_only=claim, destructive=claim, idempotent=claim, open_world=claim),
            tool(read_only=True, destructive=claim),
        ):
            for line in hint_lines(shown.hints, width):
                assert cell_len(line.plain) <= width


async def test_hostile_claims_are_literal() -> None:
    async with showing(HintTable(None), size=(120, 14)) as stage:
        for width in (120, 80, 38, 30):
            await stage.resize(width, 14)
            for text in HOSTILE:
                stage.widget.show(tool(read_only=text, destructive=text, open_world=text))
                await stage.pause()
                assert_inert(stage.widget)
                await stage.click(14, 5)
        assert stage.app.is_running


async def test_it_is_as_tall_as_its_tool_and_its_width_want() -> None:
    async with showing(HintTable(None), size=(80, 14)) as stage:
        assert stage.widget.size.height == 0
        stage.widget.show(tool(destructive=True))
        await stage.pause()
        assert stage.drawn[0].startswith("! destructive   declared")
        assert stage.widget.size.height == 7
        stage.widget.show(tool(read_only=True))
        await stage.pause()
        assert stage.drawn[0].startswith("○ read-only")
        stage.widget.show(None)
        await stage.pause()
        assert stage.widget.size.height == 0
        stage.widget.show(tool())
        await stage.resize(100, 20)
        assert stage.widget.size.height == 7
        await stage.resize(38, 20)
        assert stage.widget.size.height == 9
        assert stage.drawn[-1].startswith("openWorld")


async def test_without_colour_signs_and_words_remain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with showing(HintTable(tool(destructive=True)), size=(80, 14)) as stage:
        assert "! destructive" in stage.drawn[0]
        assert "(default)" in "\n".join(stage.drawn)
