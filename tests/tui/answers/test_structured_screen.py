"""structuredContent: the verdict in a sentence, the errors in order, the tree, the schema."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.pilot import Pilot
from textual.widget import Widget

from signoff.app.content.json.jsonio import JsonValue, Path
from signoff.app.protocol.answers.copies import Copies, compare_copies
from signoff.app.schemas.schema import Answer, SchemaVerdict, judge
from signoff.app.tui.answers.structured_body import StructuredBody
from signoff.app.tui.answers.structured_screen import StructuredScreen
from signoff.widgets.json_tree.errors import ErrorList
from signoff.widgets.json_tree.tree import JsonTree
from tests.tiers import first_quick
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
PLACES = [("species",), ("abilities",), ("home", "level"), ("home", "city")]


@dataclass
class Seen:
    app: App[None]
    pilot: Pilot[None]

    @property
    def text(self) -> str:
        compositor: Any = self.app.screen._compositor
        return "\n".join(strip.text.rstrip() for strip in compositor.render_strips())

    @property
    def said(self) -> list[str]:
        """The notifications, oldest first."""
        return [one.message for one in self.app._notifications]

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
        rows = [" ".join(row.split()) for row in seen.text.split("\n")]
        assert rows[0] == "✗ structuredContent does not match its output schema in 4 places."
        differs = (
            "text copy DIFFERS: $.name is “Ciri” in the text and “Lirael” in structuredContent"
        )
        assert rows.index(differs) == rows.index("4 $.home.city is required, but missing") + 1
        assert "1 $.species is required, but missing" in rows
        assert "2 $.abilities must be an array, but is the string “Vine Whip”" in rows
        assert "3 $.home.level must be at least 3, but is 2" in rows
        assert "4 $.home.city is required, but missing" in rows
        at = rows.index('name "Lirael"')
        assert rows[at + 1] == "◌ species missing, required schema /required"
        assert rows[at + 2].startswith('✗ ▸ abilities "Vine Whip" must be an array')
        assert rows[at + 3] == "↘ ▾ home 1 member 2 errors inside"
        assert rows[at + 5].startswith("◌ city missing, required schema /properties/home")


@pytest.mark.parametrize(
    ("verdict", "line"),
    [
        (SchemaVerdict(Answer.VALID), "✓ structuredContent matches its output schema."),
        (SchemaVerdict(Answer.NO_SCHEMA), "· no output schema to check against"),
        (SchemaVerdict(Answer.NOT_VALIDATED, reason="too deep"), "? not validated: too deep"),
        (None, "… checking structuredContent against its output schema"),
    ],
)
async def test_the_other_verdicts(verdict: SchemaVerdict | None, line: str) -> None:
    async with body({"a": 1}, verdict, copies=Copies("same")) as seen:
        rows = seen.text.split("\n")
        assert rows[0] == line
        assert rows[1] == "text copy is the same"
        assert rows[2].split() == ["a", "1"]
        assert not seen.app.query(ErrorList)


async def test_a_missing_answer_is_a_line_and_has_nothing_to_open() -> None:
    async with body(None, SchemaVerdict(Answer.MISSING), has_structured=False) as seen:
        assert seen.text.split("\n")[0] == (
            "✗ missing: the tool has an output schema but sent no structuredContent"
        )
        shown = seen.app.query_one(StructuredBody)
        assert shown.full() is None
        assert shown.copied() is None
        assert shown.words == "missing"


async def test_keys_go_through_the_errors_and_the_list_follows() -> None:
    async with body(size=(100, 40)) as seen:
        assert focused(seen) is seen.listed
        await seen.press("down", "enter")
        assert focused(seen) is seen.tree
        assert place(seen) == PLACES[1]
        await seen.press("e")
        assert place(seen) == PLACES[2]
        assert seen.listed.cursor == 2
        await seen.press("E", "E")
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
        assert "8  $[7] must be a string, but is the number 7" in seen.text
        assert "9  $[8]" not in seen.text
        assert "and 102 more, enter: show all" in seen.text
        await seen.press("end", "enter")
        assert isinstance(seen.app.screen, StructuredScreen)
        await seen.press("v", "v", "end")
        assert "100  $[99] must be a string, but is the number 99" in seen.text
        assert "and 10 more" in seen.text


async def test_what_can_be_copied() -> None:
    async with body({"a": "\udc00", "b": 1}, SchemaVerdict(Answer.VALID)) as seen:
        shown = seen.app.query_one(StructuredBody)
        copied = shown.copied()
        assert copied is not None
        assert copied.text == '{\n  "a": "\\udc00",\n  "b": 1\n}'
        assert shown.words == "object with 2 properties"


async def test_wide_the_schema_stands_beside_and_follows() -> None:
    async with body(size=(120, 30), is_full=True) as seen:
        rules = seen.app.screen.query_one("#rules", JsonTree)
        assert "structuredContent of make_hero" in seen.text
        await seen.press("e")
        assert place(seen) == PLACES[0]
        assert rules.path == ("properties", "species")
        assert "schema of $.species: #/properties/species" in seen.text
        await seen.press("e")
        assert rules.path == ("$defs", "abilities")
        assert "schema of $.abilities: #/$defs/abilities" in seen.text
        assert "$.abilities  must be an array, but is the string “Vine Whip”" in seen.text
        await seen.press("end")
        assert place(seen) == ("own", 8)
        assert "The schema does not describe $.own[8]." in seen.text
        await seen.press("tab")
        assert focused(seen) is rules
        await seen.press("tab", "end", "enter")
        assert focused(seen) is seen.tree
        assert place(seen) == PLACES[3]
        await seen.press("escape")
        assert not isinstance(seen.app.screen, StructuredScreen)


@pytest.mark.parametrize("key", ["tab", "v"])
async def test_narrow_there_are_three_views(key: str) -> None:
    async with body(size=(80, 24), is_full=True) as seen:
        assert 'name            "Lirael"' in seen.text
        await seen.press("e", "e", key)
        assert 'name            "Lirael"' not in seen.text
        assert "schema of $.abilities: #/$defs/abilities" in seen.text
        assert "items" in seen.text
        await seen.press(key)
        assert "3  $.home.level must be at least 3, but is 2" in seen.text
        await seen.press("end", "enter")
        assert place(seen) == PLACES[3]
        assert 'name            "Lirael"' in seen.text, seen.text


async def test_a_resize_changes_the_views() -> None:
    async with body(size=(80, 24), is_full=True) as seen:
        assert "schema of" not in seen.text
        await seen.pilot.resize_terminal(120, 30)
        await seen.pilot.pause()
        assert "schema of $.name: #/properties/name" in seen.text
        assert 'name            "Lirael"' in seen.text


async def test_no_schema_is_said() -> None:
    verdict = SchemaVerdict(Answer.NO_SCHEMA)
    async with body({"a": 1}, verdict, schema=None, size=(120, 30), is_full=True) as seen:
        assert "The tool has no output schema." in seen.text
        await seen.press("e", "tab")
        assert focused(seen) is seen.tree


async def test_names_and_values_are_found() -> None:
    value: JsonValue = {"a": [{"needle": n} for n in range(500)], "b": "the NEEDLE"}
    async with body(value, SchemaVerdict(Answer.VALID), is_full=True) as seen:
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
        assert "“nothing” was not found" in seen.text
        await seen.press("slash", "escape")
        assert isinstance(seen.app.screen, StructuredScreen)
        await seen.press("escape")
        assert not isinstance(seen.app.screen, StructuredScreen)


async def test_value_and_path_are_copied() -> None:
    value: JsonValue = {"a b": {"c": [1, "text\u202e"]}}
    async with body(value, SchemaVerdict(Answer.VALID), is_full=True) as seen:
        await seen.press("y")
        assert seen.app.clipboard == '{\n  "c": [\n    1,\n    "text\u202e"\n  ]\n}'
        await seen.press("O", "end", "p")
        assert seen.app.clipboard == '$["a b"].c[1]'
        await seen.press("y")
        assert seen.app.clipboard == "text\u202e"
        assert 'copied the string at $["a b"].c[1]: 5 characters, 7 B' in seen.said[-1]


async def test_what_is_missing_or_too_long_is_not_copied() -> None:
    value: JsonValue = {"long": "x" * 1_000_001}
    schema: JsonValue = {"required": ["gone"]}
    async with body(value, schema=schema, size=(120, 30), is_full=True) as seen:
        await seen.press("home", "y")
        assert "is too much for a clipboard by terminal; s: save everything." in seen.said[0]
        await seen.press("e", "y")
        assert seen.said[-1] == "nothing to copy: the property is missing"
        assert seen.app.clipboard == ""


@pytest.mark.parametrize("payload", first_quick(PAYLOADS, 2))
@pytest.mark.parametrize("size", first_quick([(120, 30), (80, 24)]))
async def test_hostile_text_is_literal(payload: str, size: tuple[int, int]) -> None:
    schema: JsonValue = {
        "properties": {payload: {"const": payload, "title": payload}},
        "required": [payload, payload + "gone"],
    }
    value: JsonValue = {payload: payload * 2, "list": [payload]}
    copies = compare_copies(['{"list": []}'], value)
    async with body(value, schema=schema, size=size, copies=copies, is_full=True) as seen:
        compositor: Any = seen.app.screen._compositor
        for keys in ((), ("e",), ("e", "y", "p"), ("v",), ("v",), ("slash", *"zz", "enter")):
            await seen.press(*keys)
            assert_harmless(compositor.render_strips())
        await seen.press("escape")
        compositor = seen.app.screen._compositor
        assert_harmless(compositor.render_strips())
