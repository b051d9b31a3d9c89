"""Remembering and refusing for longer than one call: only by a deliberate act, and no further."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from signoff.app.approval.grants import Scope
from tests.e2e.shifting import TOOL, Folder, Program, approve_by_chord, deny
from tests.e2e.steps import OPEN_DIALOG, be_still

HOLD_SECONDS = 3.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder(tmp_path_factory.mktemp("remembering"))


@pytest.fixture(scope="module")
def program(folder: Folder) -> Iterator[Program]:
    """One program for all, on a server that is not trusted; every test has a tool of its own."""
    with folder.program(trust=False) as program:
        yield program


def test_a_choice_by_keyboard_is_spelt_out_and_covers_calls_until_the_definition_changes(
    folder: Folder, program: Program
) -> None:
    terminal = program.terminal
    program.ask()
    program.remember("this tool, this session")
    text = terminal.text
    assert "Every such call would then run without asking, and it may be destructive." in text
    assert f"Covers {TOOL} with any arguments" in text
    assert "Until this session ends; revoke it earlier" in text
    assert "Approve + remember" in text
    terminal.press("enter", "space")
    be_still()
    assert OPEN_DIALOG in terminal.text
    assert folder.grants() == []
    approve_by_chord(terminal)
    program.ended("answered")
    program.call()
    program.ended("answered")
    program.answered_with("approved by .*remembered approval")
    (grant,) = folder.grants()
    assert (grant.tool, grant.scope, grant.uses) == (TOOL, Scope.SESSION, 1)
    folder.shape("weaken")
    program.call()
    program.ended("not sent")
    program.answered_with("another definition now")
    program.read_notice()
    assert folder.grants() == []
    assert [call["tool"] for call in folder.calls] == [TOOL, TOOL]


def test_enter_held_while_the_question_opens(folder: Folder, program: Program) -> None:
    terminal, before = program.terminal, len(folder.grants())
    program.call("look_inside")
    with terminal.holding("enter"):
        terminal.wait_for(rf"Approve this call|│ {program.made}  \S+ +denied")
        time.sleep(HOLD_SECONDS)
    be_still()
    if OPEN_DIALOG in terminal.text:
        assert "(•) no" in terminal.text
        deny(terminal)
    # Where the machine was too busy to deliver the key often enough, it has denied.
    program.ended("denied by you")
    assert len(folder.grants()) == before
    assert "look_inside" not in [call["tool"] for call in folder.calls]


def test_what_was_chosen_and_then_denied_is_not_remembered(
    folder: Folder, program: Program
) -> None:
    before = len(folder.grants())
    program.ask("look_outside")
    program.remember("tool, for 1 day")
    deny(program.terminal)
    program.ended("denied by you")
    assert len(folder.grants()) == before


def test_a_window_that_is_closed_while_remembering_leaves_nothing(folder: Folder) -> None:
    with folder.program() as other:
        other.ask("sign_in")
        other.remember("tool, for 1 day")
        other.terminal.press("ctrl+y")
        other.terminal.wait_for(r"ctrl\+y again( within \d s to approve and remember|)")
        be_still()
        other.terminal.press("ctrl+y")
        other.terminal.hang_up()
        other.terminal.wait_exit()
    assert "sign_in" not in [grant.tool for grant in folder.grants()]
    assert "sign_in" not in [call["tool"] for call in folder.calls]
