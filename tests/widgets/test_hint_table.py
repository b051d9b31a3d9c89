from __future__ import annotations

import pytest
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.content import Content

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tool
from signoff.widgets.hint_table import HintTable, hint_lines
from tests.approved import approved
from tests.tiers import first_quick
from tests.widgets.tool_samples import HOSTILE, assert_inert, drawn, entry

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


class Shown(App[None]):
    def __init__(self, shown: ToolDefinition | None) -> None:
        super().__init__()
        self.shown = shown

    def compose(self) -> ComposeResult:
        yield HintTable(self.shown)

    @property
    def table(self) -> HintTable:
        return self.query_one(HintTable)


def test_a_tool_that_says_everything() -> None:
    lines = plain(tool(read_only=False, destructive=True, idempotent=True, open_world=False), 100)
    PROSE.holds("hints: all declared", "\n".join(lines))


def test_a_tool_that_says_nothing_shows_the_defaults_as_defaults() -> None:
    PROSE.holds("hints: none declared", "\n".join(plain(tool(), 70)))


def test_a_claim_is_plain_and_a_default_is_dim() -> None:
    lines = hint_lines(tool(destructive=True).hints, 80)
    assert "dim" in styled(lines, "true (default)")
    assert "dim" in styled(lines, "not set")
    claimed = next(line for line in lines if line.plain.startswith("  destructive"))
    claim_at = claimed.plain.index("true")
    assert not [span for span in claimed.spans if span.start == claim_at]


@pytest.mark.parametrize(
    ("given", "shown"), [("yes", '"yes"'), (1, "“1”"), (None, "“null”"), ({"a": 1}, '“{"a":1}”')]
)
def test_a_malformed_claim_is_quoted_and_underlined(given: JsonValue, shown: str) -> None:
    lines = hint_lines(tool(idempotent=given).hints, 80)
    assert styled(lines, shown) == ["underline $text-warning"]
    row = next(line.plain for line in lines if line.plain.startswith("  idempotent"))
    assert row.endswith("false (default)")


def test_hints_without_a_meaning_say_why() -> None:
    lines = plain(tool(read_only=True, idempotent=True))
    assert lines[-3].endswith("n/a (read-only)")
    assert lines[-2].endswith("n/a (read-only)")


def test_a_contradiction_is_called_one() -> None:
    lines = plain(tool(read_only=True, destructive=True))
    PROSE.holds("hints: a contradiction", "\n".join(lines))
    claimed = plain(tool(read_only=True, destructive=True, idempotent=True))
    assert claimed[-2].split() == ["idempotent", "true", "false", "false"]


def test_at_38_columns_the_defaults_give_way_to_their_word() -> None:
    lines = plain(tool(destructive=True, open_world=False), 38)
    PROSE.holds("hints: narrow", "\n".join(lines))


@pytest.mark.parametrize("width", [30, 38, 49, 50, 80, 120])
def test_no_line_is_wider_than_asked(width: int) -> None:
    claims: list[JsonValue] = [*HOSTILE, True, False, None, 1e300, ["x"] * 50]
    for given in claims:
        for shown in (
            tool(read_only=given, destructive=given, idempotent=given, open_world=given),
            tool(read_only=True, destructive=given),
        ):
            for line in hint_lines(shown.hints, width):
                assert cell_len(line.plain) <= width


@pytest.mark.parametrize("width", first_quick([30, 38, 80, 120]))
async def test_hostile_claims_are_literal(width: int) -> None:
    app = Shown(None)
    async with app.run_test(size=(width, 14)) as pilot:
        for text in HOSTILE:
            app.table.show(tool(read_only=text, destructive=text, open_world=text))
            await pilot.pause()
            assert_inert(app.table)
            await pilot.click(HintTable, offset=(14, 5))
        assert app.is_running


async def test_another_tool_takes_the_place_and_no_tool_leaves_nothing() -> None:
    app = Shown(None)
    async with app.run_test(size=(80, 14)) as pilot:
        await pilot.pause()
        assert app.table.size.height == 0
        app.table.show(tool(destructive=True))
        await pilot.pause()
        assert drawn(app.table)[0].startswith("! destructive   declared")
        assert app.table.size.height == 7
        app.table.show(tool(read_only=True))
        await pilot.pause()
        assert drawn(app.table)[0].startswith("○ read-only")
        app.table.show(None)
        await pilot.pause()
        assert app.table.size.height == 0


async def test_the_height_follows_the_width() -> None:
    app = Shown(tool())
    async with app.run_test(size=(100, 20)) as pilot:
        await pilot.pause()
        assert app.table.size.height == 7
        await pilot.resize_terminal(38, 20)
        await pilot.pause()
        assert app.table.size.height == 9
        assert drawn(app.table)[-1].startswith("openWorld")


async def test_without_colour_signs_and_words_remain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = Shown(tool(destructive=True))
    async with app.run_test(size=(80, 14)) as pilot:
        await pilot.pause()
        assert "! destructive" in drawn(app.table)[0]
        assert "(default)" in "\n".join(drawn(app.table))
