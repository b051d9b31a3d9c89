"""`esc` leaves every guarded dialog at any moment; before it hears, no other key does anything."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events

from signoff.app.approval.approval import Decision, DecisionAnswer
from signoff.app.hosts.files.starting import ServerStart
from signoff.app.protocol.server import Server, Trust
from signoff.app.tui.answers.audio import PlayDialog
from signoff.app.tui.answers.exporting import Openable, ViewerDialog
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.approving.guarded_dialog import GuardedDialog
from signoff.app.tui.approving.sheet_dialog import StartDialog
from signoff.app.tui.approving.starts_dialog import StartsDialog
from signoff.app.tui.approving.trust_dialog import TrustDialog
from tests.tiers import examples
from tests.tui.clocks import MovedClock, many_steps
from tests.tui.stage import Host, ask, effect_on, readers

Make = Callable[..., GuardedDialog[Any]]


def about_call(**guard: Any) -> ApprovalDialog:
    return ApprovalDialog(ask(), **guard)


def about_trust(**guard: Any) -> TrustDialog:
    server = Server("demo", "python -m signoff.app.demo", "stdio:demo", Trust.UNTRUSTED)
    return TrustDialog(server, effect_on(readers(2)), **guard)


def about_start(**guard: Any) -> StartDialog:
    start = ServerStart("demo", "cursor", "Cursor", "user", "mcp.json", 1, "stdio", ("python",))
    return StartDialog(start, None, **guard)


def about_file(**guard: Any) -> ViewerDialog:
    found = Openable("text/plain", ".txt")
    return ViewerDialog("a part", found, Path("part.txt"), 3, "/usr/bin/xdg-open", **guard)


def about_sound(**guard: Any) -> PlayDialog:
    return PlayDialog("a sound", "/usr/bin/play", **guard)


def about_starts(**guard: Any) -> StartsDialog:
    start = ServerStart("demo", "cursor", "Cursor", "user", "mcp.json", 1, "stdio", ("python",))
    return StartsDialog([(start, None), (start, None)], **guard)


DIALOGS = (about_call, about_trust, about_start, about_starts, about_file, about_sound)
OTHERS = ("enter", "space", "q", "ctrl+c", "ctrl+y", "tab", "right", "y", "a")


def is_no(result: Any) -> bool:
    """Whether a dialog was left without doing anything."""
    if isinstance(result, Decision):
        return result.answer is DecisionAnswer.DENY
    return not result


async def results(make: Make, keys: list[tuple[str, float]]) -> list[Any]:
    """What a dialog that has just opened gives for keys with pauses before them."""
    app, clock, found = Host(), MovedClock(), list[Any]()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(make(clock=clock), found.append)
        await pilot.pause()
        for key, after in keys:
            clock.pass_by(after)
            clock.look(1)
            app.post_message(events.Key(key, None))
            await many_steps()
        await pilot.pause()
        return found


@pytest.mark.parametrize("make", DIALOGS)
async def test_only_esc_does_anything_before_it_hears(make: Make) -> None:
    assert await results(make, [(key, 0.1) for key in OTHERS]) == []
    for keys in ([("escape", 0.0)], [("a", 0.4), ("enter", 0.4), ("escape", 0.1)]):
        (result,) = await results(make, keys)
        assert is_no(result)


@examples(20, deadline=None)
@given(
    st.sampled_from(DIALOGS),
    st.lists(st.tuples(st.sampled_from((*OTHERS, "escape")), st.floats(0, 0.49)), max_size=8),
)
def test_only_esc_ends_a_dialog_that_does_not_hear(
    make: Make, keys: list[tuple[str, float]]
) -> None:
    found = asyncio.run(results(make, keys))
    assert len(found) == any(key == "escape" for key, _ in keys)
    assert all(map(is_no, found))
