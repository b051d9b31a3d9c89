"""The phases of the main screen: which keys act in each, and what waits."""

from __future__ import annotations

from signoff.app.content.key_tables import Mark
from signoff.app.tui.main.keys import QUEUED, ROWS
from signoff.app.tui.main.main_screen import MainScreen
from signoff.app.tui.main.phases import PHASE_RULES, HeldInput, LifePhase
from tests.tui.bench_stage import bench_stage


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
