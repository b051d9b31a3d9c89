"""structuredContent: the verdict in a sentence, the errors in order, the tree, the schema."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.widget import Widget

from signoff.app.content.json.jsonio import JsonValue, Path
from signoff.app.protocol.answers.copies import Copies, compare_copies
from signoff.app.schemas.schema import SchemaAnswer, SchemaVerdict, judge
from signoff.app.tui.answers.structured_body import StructuredBody
from signoff.app.tui.answers.structured_screen import StructuredScreen
from signoff.widgets.json_tree.errors import ErrorList
from signoff.widgets.json_tree.tree import JsonTree
from tests.approved import approved
from tests.tiers import first_quick
from tests.tui.drawn import drawn, flowing
from tests.tui.hand import Hand
from tests.widgets.hostile import PAYLOADS, assert_harmless

SCHEMA: JsonValue = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "species": {"type": "string"},
        "abilities": {"$ref": "#/$defs/abilities"},
        "home": {
            "properties": {"level": {"minimum": 3}, "city": {"type": "string"}},
            "required": ["level", "city"],
        },
    },
    "required": ["name", "species", "abilities"],
    "$defs": {"abilities": {"type": "array", "items": {"type": "string"}}},
}
VALUE: JsonValue = {
    "name": "Lirael",
    "abilities": "Vine Whip",
    "home": {"level": 2},
    "own": [{"x": n} for n in range(9)],
}
TEXTS = approved("tui-structured")
PLACES = [("species",), ("abilities",), ("home", "level"), ("home", "city")]


class Seen(Hand):
    @property
    def said(self) -> list[str]:
        """The notifications, oldest first."""
        return [one.message for one in self.app._notifications]

    @property
    def shown(self) -> StructuredBody:
        return self.app.screen_stack[0].query_one(StructuredBody)

    def line(self, name: str) -> str:
        """What is drawn of the widget with this id, however it is folded."""
        return flowing(self.app.screen.query_one(f"#{name}"))

    @property
    def tree(self) -> JsonTree:
        return self.app.screen.query(JsonTree).first()

    @property
    def listed(self) -> ErrorList:
        return self.app.screen.query_one(ErrorList)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.app.workers.wait_for_complete()
        await self.pilot.pause()
        await self.pilot.pause()


def place(seen: Seen) -> Path | None:
    return seen.tree.path


def focused(seen: Seen) -> Widget | None:
    return seen.app.focused


@asynccontextmanager
async def body(
    value: JsonValue = VALUE,
    verdict: SchemaVerdict | str | None = "judge",
    *,
    size: tuple[int, int] = (80, 24),
    schema: JsonValue = SCHEMA,
    copies: Copies | None = None,
    has_structured: bool = True,
    is_full: bool = False,
) -> AsyncIterator[Seen]:
    judged = judge(schema, value) if verdict == "judge" else verdict
    assert not isinstance(judged, str)
    shown = StructuredBody(
        value,
        judged,
        has_structured=has_structured,
        output_schema=schema,
        copies=copies,
        tool="make_hero",
    )

    class BodyApp(App[None]):
        def compose(self) -> ComposeResult:
            with VerticalScroll(can_focus=False):
                yield shown

        def on_body_full_wanted(self) -> None:
            screen = shown.full()
            assert screen is not None
            self.push_screen(screen)

    app = BodyApp()
    async with app.run_test(size=size, notifications=True) as pilot:
        seen = Seen(app, pilot)
        if is_full:
            screen = shown.full()
            assert screen is not None
            await app.push_screen(screen)
            await pilot.pause()
        yield seen


async def test_the_verdict_the_errors_and_the_tree() -> None:
    copies = compare_copies(['{"name": "Ciri"}'], VALUE)
    async with body(copies=copies, size=(100, 24)) as seen:
        TEXTS.holds("body: errors and a text copy that differs", drawn(seen.shown))


@pytest.mark.parametrize(
    ("verdict", "key"),
    [
        (SchemaVerdict(SchemaAnswer.VALID), "body: valid"),
        (SchemaVerdict(SchemaAnswer.NO_SCHEMA), "body: no schema"),
        (SchemaVerdict(SchemaAnswer.NOT_VALIDATED, reason="too deep"), "body: not validated"),
        (None, "body: not judged yet"),
    ],
)
async def test_the_other_verdicts(verdict: SchemaVerdict | None, key: str) -> None:
    async with body({"a": 1}, verdict, copies=Copies("same")) as seen:
        TEXTS.holds(key, drawn(seen.shown))
        assert not seen.app.query(ErrorList)


async def test_a_missing_answer_is_a_line_and_has_nothing_to_open() -> None:
    async with body(None, SchemaVerdict(SchemaAnswer.MISSING), has_structured=False) as seen:
        TEXTS.holds("body: missing", drawn(seen.shown))
        assert seen.shown.full() is None
        assert seen.shown.copied() is None
        assert seen.shown.words == "missing"


async def test_keys_go_through_the_errors_and_the_list_follows() -> None:
    async with body(size=(100, 40)) as seen:
        assert focused(seen) is seen.listed
        await seen.press("down", "enter")
        assert focused(seen) is seen.tree
        assert place(seen) == PLACES[1]
        await seen.press("f")
        assert place(seen) == PLACES[2]
        assert seen.listed.cursor == 2
        await seen.press("F", "F")
        assert place(seen) == PLACES[0]
        assert seen.listed.cursor == 0


async def test_the_row_of_an_error_is_in_sight_in_a_low_pane() -> None:
    async with body(size=(80, 10)) as seen:
        await seen.press("end", "enter")
        assert place(seen) == PLACES[3]
        assert "◌     city" in seen.text
        await seen.press("home")
        assert 'name            "Lirael"' in seen.text


async def test_at_most_eight_errors_are_listed() -> None:
    schema: JsonValue = {"items": {"type": "string"}}
    async with body(list(range(110)), schema=schema, size=(80, 30)) as seen:
        assert "9  $[8]" not in seen.text
        TEXTS.holds("body: eight errors of many", drawn(seen.listed))
        await seen.press("end", "enter")
        assert isinstance(seen.app.screen, StructuredScreen)
        await seen.press("v", "v", "end")
        last = drawn(seen.listed).split("\n")[-2:]
        TEXTS.holds("screen: the end of many errors", "\n".join(last))


async def test_what_can_be_copied() -> None:
    async with body({"a": "\udc00", "b": 1}, SchemaVerdict(SchemaAnswer.VALID)) as seen:
        copied = seen.shown.copied()
        assert copied is not None
        assert copied.text == '{\n  "a": "\\udc00",\n  "b": 1\n}'
        assert seen.shown.words == "object with 2 properties"


async def test_wide_the_schema_stands_beside_and_follows() -> None:
    async with body(size=(120, 30), is_full=True) as seen:
        rules = seen.app.screen.query_one("#rules", JsonTree)
        assert "make_hero" in seen.text.split("\n")[0]
        await seen.press("f")
        assert place(seen) == PLACES[0]
        assert rules.path == ("properties", "species")
        TEXTS.holds("screen: schema of what is missing", seen.line("rules-about"))
        await seen.press("f")
        assert rules.path == ("$defs", "abilities")
        TEXTS.holds("screen: schema by reference", seen.line("rules-about"))
        TEXTS.holds("screen: the place of an error", seen.line("about"))
        await seen.press("end")
        assert place(seen) == ("own", 8)
        TEXTS.holds("screen: no schema of this place", seen.line("rules-about"))
        await seen.press("tab")
        assert focused(seen) is rules
        await seen.press("tab", "end", "enter")
        assert focused(seen) is seen.tree
        assert place(seen) == PLACES[3]
        await seen.press("escape")
        assert not isinstance(seen.app.screen, StructuredScreen)


@pytest.mark.slow
@pytest.mark.parametrize("key", ["tab", "v"])
async def test_narrow_there_are_three_views(key: str) -> None:
    async with body(size=(80, 24), is_full=True) as seen:
        assert 'name            "Lirael"' in seen.text
        await seen.press("f", "f", key)
        assert 'name            "Lirael"' not in seen.text
        TEXTS.holds("screen: schema by reference", seen.line("rules-about"))
        assert "items" in seen.text
        await seen.press(key)
        TEXTS.holds("screen: errors", drawn(seen.listed))
        await seen.press("end", "enter")
        assert place(seen) == PLACES[3]
        assert 'name            "Lirael"' in seen.text, seen.text


async def test_a_resize_changes_the_views() -> None:
    async with body(size=(80, 24), is_full=True) as seen:
        assert "schema of" not in seen.text
        await seen.resize(120, 30)
        TEXTS.holds("screen: schema of the first value", seen.line("rules-about"))
        assert 'name            "Lirael"' in seen.text


async def test_no_schema_is_said() -> None:
    verdict = SchemaVerdict(SchemaAnswer.NO_SCHEMA)
    async with body({"a": 1}, verdict, schema=None, size=(120, 30), is_full=True) as seen:
        TEXTS.holds("screen: no schema", seen.line("rules-about"))
        await seen.press("f", "tab")
        assert focused(seen) is seen.tree


@pytest.mark.slow
async def test_names_and_values_are_found() -> None:
    value: JsonValue = {"a": [{"needle": n} for n in range(500)], "b": "the NEEDLE"}
    async with body(value, SchemaVerdict(SchemaAnswer.VALID), is_full=True) as seen:
        await seen.press("slash", *"Needle", "enter")
        assert place(seen) == ("a", 0, "needle")
        assert "hit 1 of 501" in seen.text
        await seen.press("n", "n")
        assert place(seen) == ("a", 2, "needle")
        await seen.press("N", "N", "N")
        assert place(seen) == ("b",)
        assert "hit 501 of 501" in seen.text
        await seen.press("N")
        assert place(seen) == ("a", 499, "needle")
        await seen.press("slash", *"nothing", "enter")
        TEXTS.holds("screen: nothing found", seen.said[-1])
        await seen.press("slash", "escape")
        assert isinstance(seen.app.screen, StructuredScreen)
        await seen.press("escape")
        assert not isinstance(seen.app.screen, StructuredScreen)


async def test_value_and_path_are_copied() -> None:
    value: JsonValue = {"a b": {"c": [1, "text\u202e"]}}
    async with body(value, SchemaVerdict(SchemaAnswer.VALID), is_full=True) as seen:
        await seen.press("y")
        assert seen.app.clipboard == '{\n  "c": [\n    1,\n    "text\u202e"\n  ]\n}'
        await seen.press("O", "end", "Y")
        assert seen.app.clipboard == '$["a b"].c[1]'
        await seen.press("y")
        assert seen.app.clipboard == "text\u202e"
        TEXTS.holds("copied: a string with a hidden character", seen.said[-1])


async def test_what_is_missing_or_too_long_is_not_copied() -> None:
    value: JsonValue = {"long": "x" * 1_000_001}
    schema: JsonValue = {"required": ["gone"]}
    async with body(value, schema=schema, size=(120, 30), is_full=True) as seen:
        await seen.press("home", "y")
        TEXTS.holds("not copied: too long", seen.said[0])
        await seen.press("f", "y")
        TEXTS.holds("not copied: missing", seen.said[-1])
        assert seen.app.clipboard == ""


@pytest.mark.parametrize("payload", first_quick(PAYLOADS, 2))
async def test_hostile_text_is_literal(
    payload: str,
) -> None:
    schema: JsonValue = {
        "properties": {payload: {"const": payload, "title": payload}},
        "required": [payload, payload + "gone"],
    }
    value: JsonValue = {payload: payload * 2, "list": [payload]}
    copies = compare_copies(['{"list": []}'], value)
    async with body(value, schema=schema, size=(80, 24), copies=copies, is_full=True) as seen:
        for keys in ((), ("e",), ("e", "y", "p"), ("v",), ("v",), ("slash", *"zz", "enter")):
            await seen.press(*keys)
            assert_harmless(seen.strips)
        await seen.press("escape")
        assert_harmless(seen.strips)
