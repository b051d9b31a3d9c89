"""Keys that come at once are done one after the other."""

from __future__ import annotations

import asyncio
from typing import ClassVar

import pytest
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input

from signoff.widgets import keys as keys_in_order
from signoff.widgets.keys import QUIET, KeysInOrder


class Slow(Input):
    """Takes a while over `s`, and over `n` until the app is told to go on."""

    async def on_key(self, event: events.Key) -> None:
        if event.key == "s":
            await asyncio.sleep(0.1)
        if event.key == "n" and isinstance(self.app, TwoInputs):
            await self.app.may_end.wait()

    def on_mouse_down(self) -> None:
        if isinstance(self.app, TwoInputs):
            self.app.seen.append(f"pressed after {self.app.query_one('#one', Input).value!r}")


class TwoInputs(KeysInOrder):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "swap", "Swap"),
        Binding("f3", "see", "See", priority=True),
        Binding("f4", "make", "Make"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.may_end = asyncio.Event()
        self.seen: list[str] = []

    def compose(self) -> ComposeResult:
        yield Slow(id="one")
        yield Slow(id="two")

    async def action_swap(self) -> None:
        """The field with the focus makes place for another."""
        old = self.query_one("#one")
        await self.mount(Slow(id="three"), before=old)
        await old.remove()
        self.query_one("#three").focus()

    def action_make(self) -> None:
        """The focus is for a field that is only there when the app is told to go on."""
        self.screen.set_focus(None)
        self.expect_focus(self)
        self.run_worker(self._make())

    async def _make(self) -> None:
        await self.may_end.wait()
        await self.mount(Slow(id="three"))
        self.query_one("#three").focus()
        self.focus_came(self)

    def action_see(self) -> None:
        self.seen.append("seen")

    def type(self, *keys: str) -> None:
        for key in keys:
            self.post_message(events.Key(key, key if len(key) == 1 else None))

    def click(self, widget: Input) -> None:
        x, y = widget.region.x + 1, widget.region.y + 1
        for kind in (events.MouseDown, events.MouseUp):
            self.post_message(
                kind(None, x, y, 0, 0, 1, False, False, False, screen_x=x, screen_y=y)
            )

    @property
    def values(self) -> list[str]:
        return [one.value for one in self.query(Slow)]


class Going(Slow):
    """As if it were gone before it hears that a key has passed."""

    def post_message(self, message: Message) -> bool:
        return isinstance(message, KeysInOrder._Passed) or super().post_message(message)


class ScreenContext(ModalScreen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("f6", "leave", "Leave")]

    def compose(self) -> ComposeResult:
        yield Going()

    def action_leave(self) -> None:
        self.dismiss()


async def test_what_follows_a_key_that_closes_a_screen_is_not_held_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(keys_in_order, "PATIENCE", 60.0)
    app = TwoInputs()
    async with app.run_test() as pilot:
        await app.push_screen(ScreenContext())
        await pilot.pause()
        app.type("f6")
        while isinstance(app.screen, ScreenContext):
            await pilot.pause(0.01)
        app.type("b", "tab", "c")
        while app.values != ["b", "c"]:
            await pilot.pause(0.01)


@pytest.mark.parametrize(
    ("keys", "values"),
    [
        ("a s tab b shift+tab end c", ["asc", "b"]),
        ("s tab PASTE x", ["s", "pastedx"]),
        ("a f2 b tab c", ["b", "c"]),
    ],
    ids=["a tab", "a paste", "a key that removes the field"],
)
async def test_what_follows_is_for_the_next_field(keys: str, values: list[str]) -> None:
    app = TwoInputs()
    async with app.run_test() as pilot:
        for key in keys.split():
            if key == "PASTE":
                app.post_message(events.Paste("pasted"))
            else:
                app.type(key)
        while app.values != values:
            await pilot.pause(0.01)


async def test_a_key_that_never_ends_does_not_hold_the_others_for_long() -> None:
    app = TwoInputs()
    async with app.run_test() as pilot:
        app.type("n", "f3")
        while not app.seen:
            await asyncio.sleep(0.01)
        assert app.values == ["", ""]
        app.may_end.set()
        while app.values != ["n", ""]:
            await pilot.pause(0.01)


async def test_keys_wait_for_a_field_that_is_yet_to_be_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(keys_in_order, "PATIENCE", 60.0)
    app = TwoInputs()
    async with app.run_test() as pilot:
        app.type("a", "f4", "b", "c")
        await pilot.pause(0.05)
        assert app.values == ["a", ""]
        app.may_end.set()
        while app.values != ["a", "", "bc"]:
            await pilot.pause(0.01)


async def test_keys_wait_for_it_however_it_was_asked_for() -> None:
    app = TwoInputs()
    async with app.run_test() as pilot:
        app.call_later(app.action_make)
        await pilot.pause()
        app.type("b", "c")
        await pilot.pause(0.05)
        app.may_end.set()
        while app.values != ["", "", "bc"]:
            await pilot.pause(0.01)


@pytest.mark.slow
async def test_a_field_that_never_comes_holds_keys_for_a_moment_only() -> None:
    app = TwoInputs()
    async with app.run_test() as pilot:
        app.type("f4", "f3", "f3")
        while app.seen != ["seen", "seen"]:
            await pilot.pause(0.01)


async def test_a_press_of_the_mouse_waits_for_what_was_typed_before_it() -> None:
    app = TwoInputs()
    async with app.run_test() as pilot:
        app.type("a", "s", "c")
        app.click(app.query_one("#two", Input))
        app.type("d")
        while app.values != ["asc", "d"]:
            await pilot.pause(0.01)
        assert app.seen == ["pressed after 'asc'"]


async def test_a_press_by_itself_is_handed_on_at_once() -> None:
    app = TwoInputs()
    async with app.run_test() as pilot:
        app.click(app.query_one("#two", Input))
        await pilot.pause()
        assert app.seen == ["pressed after ''"]
        assert app.focused is app.query_one("#two")


async def test_what_is_typed_on_for_what_has_gone_is_for_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(keys_in_order, "QUIET", 0.3)
    app = TwoInputs()
    async with app.run_test() as pilot:
        field = app.query_one("#two", Input)
        field.focus()
        app.discard_typed_ahead()
        await pilot.press("a", "b", "enter", "backspace")
        app.post_message(events.Paste("pasted"))
        await pilot.press("left", "c")
        assert field.value == ""
        await pilot.pause(0.35)
        await pilot.press("d", "e")
        assert field.value == "de"


async def test_a_command_is_a_command_also_where_typing_goes_on() -> None:
    app = TwoInputs()
    async with app.run_test() as pilot:
        app.query_one("#two", Input).focus()
        app.discard_typed_ahead()
        await pilot.press("a", "f2")
        await pilot.pause()
        assert app.query("#three")


async def test_ever_so_much_that_waited_for_what_has_gone_is_dropped() -> None:
    app = TwoInputs()
    async with app.run_test() as pilot:
        field = app.query_one("#one", Input)
        field.focus()
        app.post_message(events.Key("n", "n"))
        for _ in range(3_000):
            app.post_message(events.Key("a", "a"))
        await asyncio.sleep(0.05)
        app.discard_typed_ahead()
        app.may_end.set()
        await pilot.pause()
        assert field.value == "n"
        await pilot.press("f3")
        assert app.seen


async def test_what_is_typed_on_is_dropped_however_late_each_key_is_dealt_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A key counts again once somebody was quiet after the key before it was dealt with."""
    now = 100.0

    def current() -> float:
        return now

    monkeypatch.setattr(keys_in_order, "_now", current)

    def astray(app: KeysInOrder, stamped: float) -> bool:
        key = events.Key("a", "a")
        key.time = stamped
        return app._is_astray(key)

    app = KeysInOrder()
    app._astray_since = now
    now = 105.0
    assert astray(app, 100.1), "typed at once, and dealt with five seconds later"
    assert astray(app, 101.5), "typed while the key before it was still waiting"
    assert astray(app, 105.0 + QUIET - 0.01)
    now = 106.0
    app._astray_since = 105.0
    assert not astray(app, 105.0 + QUIET)
    assert app._astray_since is None
