"""The phases of the main screen: which keys act in each, and what is typed before all is there."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from textual import events
from textual.binding import Binding

from signoff.app.content.key_tables import Mark
from signoff.app.tui.app import SignoffApp
from signoff.app.tui.main.keys import QUEUED, ROWS, SCREEN_KEYS, WORK_KEYS
from signoff.app.tui.main.main_screen import MainScreen
from signoff.app.tui.main.phases import PHASE_RULES, HeldInput, LifePhase
from signoff.app.tui.main.workplace import Workplace
from signoff.app.tui.tools.tool_pane import ToolPane
from signoff.app.tui.tools.tools_pane import ToolsPane
from signoff.widgets.lists.tool_list import ToolList
from tests.tui.bench_stage import BenchStage, bench_stage


def acting(phase: LifePhase) -> set[str]:
    """What acts at once in a phase, by the names of rows."""
    acts = PHASE_RULES[phase].acts
    return {name for name, row in ROWS.items() if acts is None or not acts.isdisjoint(row.marks)}


def test_every_phase_has_its_rules() -> None:
    assert list(PHASE_RULES) == list(LifePhase)
    early = {"trust", "server", "servers", "record", "restart", "settings"}
    assert acting(LifePhase.WAITING) == early
    assert acting(LifePhase.FAILED) == acting(LifePhase.WAITING) | {"retry"}
    about_the_list = {"filter", "filter_at_once", "regroup", "only_read_only"}
    assert acting(LifePhase.LIST) == acting(LifePhase.WAITING) | about_the_list
    assert acting(LifePhase.READY) == set(ROWS)
    assert acting(LifePhase.CLOSING) == set()


def test_input_is_held_only_while_something_is_to_come() -> None:
    held = {phase: rules.holds for phase, rules in PHASE_RULES.items()}
    assert held[LifePhase.WAITING] is HeldInput.FOR_TOOLS
    assert held[LifePhase.LIST] is HeldInput.FOR_PANES
    assert {held[phase] for phase in set(LifePhase) - {LifePhase.WAITING, LifePhase.LIST}} == {
        HeldInput.NOTHING
    }


def test_what_calls_or_repeats_is_dropped_before_anything_was_seen() -> None:
    marked = {name for name, row in ROWS.items() if Mark.SEEN in row.marks}
    assert marked == {"call", "call_although_invalid", "retry", "again", "cancel"}
    assert not any(Mark.LIST in ROWS[name].marks for name in marked)
    assert all(ROWS[name] in QUEUED for name in marked)


async def test_while_the_server_is_ended_no_key_of_the_screen_acts() -> None:
    async with bench_stage() as stage:
        screen = stage.app.screen
        assert isinstance(screen, MainScreen)
        assert [screen.phase] == [LifePhase.READY]
        assert screen.check_action("call", ())
        screen.show_closing()
        assert [screen.phase] == [LifePhase.CLOSING]
        for name, row in ROWS.items():
            action, parameters = ("open", (name,)) if "open(" in row.action else (name, ())
            assert not screen.check_action(action, parameters), name
        await stage.press("f5")
        await stage.rests()
        assert not stage.engine.calls


MOVES = (
    *("down", "end", "up", "home", "left", "right", "g", "o", "f3", "r", "d", "backspace"),
    *("enter", "tab", "f6", "escape", "slash", "f7", "5"),
)
BOUND = [
    key
    for binding in Binding.make_bindings([*WORK_KEYS, *SCREEN_KEYS])
    for key in binding.key.split(",")
]
IN_THE_END = (*BOUND, "f1", "question_mark", "ctrl+p")
SEEDS = [
    *range(2),
    *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 6)),
    *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(6, 60)),
]


class Gate:
    """Holds the other panes back until it is opened."""

    def __init__(self) -> None:
        self.complete = MainScreen._complete
        self._waiting: list[MainScreen] = []
        self._is_open = False

    def come(self, screen: MainScreen) -> None:
        self._waiting.append(screen)
        if self._is_open:
            self.open()

    def open(self) -> None:
        self._is_open = True
        while self._waiting:
            screen = self._waiting.pop()
            screen.call_next(self.complete, screen)


@asynccontextmanager
async def half_made(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[BenchStage, Gate]]:
    gate = Gate()
    monkeypatch.setattr(MainScreen, "_complete", lambda screen: gate.come(screen))
    async with bench_stage("--only", "echo,read_thing,slow,delete_thing", is_listed=False) as stage:
        try:
            await stage.until(lambda: isinstance(stage.app.focused, ToolList), "the list")
            yield stage, gate
        finally:
            monkeypatch.setattr(MainScreen, "_complete", gate.complete)


def type_at_once(app: SignoffApp, keys: Sequence[str]) -> None:
    for key in keys:
        app.post_message(events.Key(key, _character(key)))


def _character(key: str) -> str | None:
    return {"slash": "/", "question_mark": "?", "space": " "}.get(
        key, key if len(key) == 1 else None
    )


async def what_came_of_it(stage: BenchStage) -> tuple[object, ...]:
    """What differs where a key was lost, or came too early."""
    app = stage.app
    await stage.until(lambda: not app._held and not app._passing, "the keys to be handed on")
    await stage.rests()
    engine = next(one for one in app.screen_stack if isinstance(one, MainScreen))
    tool = engine.query_one(ToolPane).tool
    focused = app.focused
    return (
        [type(one).__name__ for one in app.screen_stack],
        focused and (type(focused).__name__, focused.id),
        engine.query_one(ToolsPane).query_one("#filter").value,  # type: ignore[attr-defined]
        engine.query_one(ToolsPane).border_title,
        engine.query_one(ToolsPane).border_subtitle,
        engine.query_one(ToolList).cursor,
        tool and tool.name,
        sorted(engine.query_one(Workplace).classes),
        len(stage.engine.calls),
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
async def test_keys_do_the_same_before_the_panes_are_there_as_after(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    keys = [*chance.choices(MOVES, k=chance.randint(0, 5)), chance.choice(IN_THE_END)]
    before = chance.randint(0, len(keys))
    async with half_made(monkeypatch) as (stage, gate):
        type_at_once(stage.app, keys[:before])
        for _ in range(chance.randint(0, 4)):
            await asyncio.sleep(0)
        gate.open()
        for key in keys[before:]:
            type_at_once(stage.app, [key])
            await asyncio.sleep(chance.choice([0, 0, 0.001, 0.01]))
        place = stage.app.screen_stack[0].query_one(Workplace)
        await stage.until(lambda: place.is_complete, "the other panes")
        early = await what_came_of_it(stage)
    async with half_made(monkeypatch) as (stage, gate):
        gate.open()
        place = stage.app.screen_stack[0].query_one(Workplace)
        await stage.until(lambda: place.is_complete, "the other panes")
        await stage.rests()
        type_at_once(stage.app, keys)
        late = await what_came_of_it(stage)
    assert early == late, keys


@pytest.mark.slow
async def test_a_click_waits_for_its_turn_too(monkeypatch: pytest.MonkeyPatch) -> None:
    async with half_made(monkeypatch) as (stage, gate):
        await stage.sees("delete_thing")
        # The command line in the bar has the name, too.
        y = max(y for y, row in enumerate(stage.text.split("\n")) if "delete_thing" in row)
        type_at_once(stage.app, ["f6"])
        for kind in (events.MouseDown, events.MouseUp):
            press = kind(None, 6, y, 0, 0, 1, False, False, False, screen_x=6, screen_y=y)
            stage.app.post_message(press)
        type_at_once(stage.app, ["f3"])
        await stage.rests()
        tools = stage.app.screen.query_one(ToolsPane)
        assert tools.highlighted is None or tools.highlighted.name != "delete_thing"
        gate.open()
        await stage.until(lambda: stage.app.screen.query(ToolPane), "the other panes")
        await stage.sees_tool("delete_thing")
        assert isinstance(stage.app.screen, MainScreen)
        await stage.until(lambda: tools.query_one("#filter").has_focus, "the filter")


@pytest.mark.slow
async def test_what_is_typed_into_the_filter_narrows_the_list_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with half_made(monkeypatch) as (stage, _):
        type_at_once(stage.app, ["f3", *"read"])
        await stage.sees("Tools 1 of 4")
        assert not stage.app.screen.query(ToolPane)


async def test_who_leaves_meanwhile_waits_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async with half_made(monkeypatch) as (stage, _):
        type_at_once(stage.app, ["f2", "A", "ctrl+q"])
        await stage.until(lambda: stage.app._closing_task is not None, "it to leave")


@pytest.mark.slow
async def test_who_leaves_may_have_taken_away_what_would_hold_the_other_panes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with half_made(monkeypatch) as (stage, _):
        place = stage.app.screen.query_one(Workplace)
        await place.query_one("#places").remove()
        await place.complete()
        assert not place.is_complete
