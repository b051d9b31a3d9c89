"""`signoff tour` from its first step to its last at 80x24, by keyboard alone; left and taken up."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from signoff.app.features.tour.steps import STEPS
from tests.e2e.program import quit_program, signoff, wait_for_armed_dialog
from tests.e2e.steps import OPEN_DIALOG, approve_by_chord, approve_by_key, be_still, deny, tab_to
from tests.e2e.terminal import Terminal

NEXT, GUESS = r"\[ enter Next \]", "s Skip"


def open_tour(state: Path, *options: str) -> Terminal:
    return Terminal(signoff("tour", *options), 80, 24, env={"XDG_STATE_HOME": str(state)})


def wait_for_step(terminal: Terminal, at: int) -> None:
    terminal.wait_for(rf"Tour {at + 1}/{len(STEPS)} +{re.escape(STEPS[at].title)}")
    terminal.wait_for(GUESS)


def pick(terminal: Terminal, words: str, tool: str) -> None:
    terminal.press("f3")
    terminal.wait_for(r"╭─ Tools")
    terminal.wait_for(lambda text: "g Regroup" not in text)
    terminal.send(words)
    terminal.wait_for(rf"› .*\b{tool}\b")
    terminal.press("enter")
    terminal.wait_for(rf"╭─ {tool}\b")


def call(terminal: Terminal) -> None:
    terminal.press("f5")


def fill(terminal: Terminal, *values: str) -> None:
    for at, value in enumerate(values):
        if at:
            terminal.press("tab")
        terminal.send(value)
        # Seen in its field before anything follows.
        terminal.wait_for(rf"│ \w+ (\* )? +{re.escape(value)} ")


def read_only(terminal: Terminal) -> None:
    pick(terminal, "calculate_sum", "calculate_sum")
    fill(terminal, "2", "3")
    call(terminal)


def deny_it(terminal: Terminal) -> None:
    pick(terminal, "delete_file", "delete_file")
    fill(terminal, "notes/todo.txt")
    call(terminal)
    deny(terminal)


def approve_it(terminal: Terminal) -> None:
    pick(terminal, "delete_file", "delete_file")
    call(terminal)
    approve_by_key(terminal)


def defaults(terminal: Terminal) -> None:
    pick(terminal, "generate_fantasy", "generate_fantasy_character")
    call(terminal)
    deny(terminal)


def liar(terminal: Terminal) -> None:
    pick(terminal, "read_settings", "read_settings")
    call(terminal)
    terminal.wait_for("Do: 2 of 2")
    pick(terminal, "get_config", "get_config_file")
    fill(terminal, "read_settings-was-here.txt")
    call(terminal)
    terminal.wait_for("read_settings wrote this")


def trust(terminal: Terminal) -> None:
    terminal.press("ctrl+t")
    terminal.wait_for("Do: 2 of 3")
    pick(terminal, "read_settings", "read_settings")
    call(terminal)
    deny(terminal)
    terminal.wait_for("Do: 3 of 3")
    terminal.press("ctrl+t")
    terminal.wait_for("Trust this server")
    be_still()
    for key in ("end", "tab", "enter"):
        terminal.press(key)
        be_still()


def edit(terminal: Terminal) -> None:
    pick(terminal, "launch_confetti", "launch_confetti")
    fill(terminal, "gold", "the office")
    call(terminal)
    wait_for_armed_dialog(terminal)
    tab_to(terminal, "▸ Edit ◂")
    be_still()
    terminal.press("enter")
    terminal.wait_for("Do: 2 of 2")
    terminal.wait_for(r"╭─ launch_confetti\b")
    terminal.wait_for(lambda text: "g Regroup" not in text)
    terminal.send("silver")
    terminal.wait_for("silver")
    call(terminal)
    approve_by_key(terminal)


def changed(terminal: Terminal) -> None:
    pick(terminal, "shape_shifter", "shape_shifter")
    call(terminal)
    approve_by_key(terminal)
    terminal.wait_for("Do: 2 of 3")
    pick(terminal, "change_definition", "change_definition")
    call(terminal)
    approve_by_chord(terminal)
    terminal.wait_for("Do: 3 of 3")
    pick(terminal, "shape_shifter", "shape_shifter")
    call(terminal)
    deny(terminal)


def structured(terminal: Terminal) -> None:
    pick(terminal, "generate_fantasy", "generate_fantasy_character")
    call(terminal)
    approve_by_key(terminal)


def broken(terminal: Terminal) -> None:
    pick(terminal, "_broken", "generate_fantasy_character_broken")
    call(terminal)
    approve_by_key(terminal)


def progress(terminal: Terminal) -> None:
    pick(terminal, "migrate_database", "migrate_database")
    call(terminal)
    approve_by_chord(terminal)
    terminal.wait_for("Do: 2 of 2")
    terminal.press("ctrl+x")


def pages(terminal: Terminal) -> None:
    pick(terminal, "github_list", "github_list_repositories")
    fill(terminal, "acme")
    call(terminal)
    terminal.wait_for("Do: 2 of 2")
    terminal.press("f6", "f6")
    terminal.wait_for("m Plain text")
    terminal.send(">")
    terminal.wait_for("Which parameter")
    be_still()
    terminal.press("enter")


def twice(terminal: Terminal) -> None:
    pick(terminal, "increment_counter", "increment_counter")
    fill(terminal, "visits")
    call(terminal)
    approve_by_key(terminal)
    terminal.wait_for(r"increment_counter +answered")
    call(terminal)
    approve_by_key(terminal)


def keys(terminal: Terminal) -> None:
    pick(terminal, "slack", "slack_send_message")
    fill(terminal, "#general", "Lunch?", "lunch-1")
    call(terminal)
    approve_by_key(terminal)
    terminal.wait_for(r"slack_send_message +answered")
    call(terminal)
    approve_by_key(terminal)


def deprecated(terminal: Terminal) -> None:
    pick(terminal, "search", "search")
    fill(terminal, "anvil")
    call(terminal)
    terminal.wait_for("Do: 2 of 2")
    pick(terminal, "github_search_repos", "github_search_repos")
    fill(terminal, "anvil")
    call(terminal)
    approve_by_key(terminal)


def asks(terminal: Terminal) -> None:
    pick(terminal, "send_before", "send_before_asking")
    fill(terminal, "Ada", "Lunch?")
    call(terminal)
    approve_by_key(terminal)
    terminal.wait_for("Send this message to Ada")
    terminal.wait_for("esc Cancel")
    be_still()
    terminal.press("escape")
    terminal.wait_for("Do: 2 of 2")
    pick(terminal, "get_config", "get_config_file")
    fill(terminal, "outbox.txt")
    call(terminal)


def hosts(terminal: Terminal) -> None:
    terminal.press("f2")
    terminal.wait_for("Matrix .*(demo|columns)")
    terminal.press("escape")


DEEDS: dict[str, Callable[[Terminal], None]] = {
    "read-only": read_only,
    "deny": deny_it,
    "hosts": hosts,
    "approve": approve_it,
    "defaults": defaults,
    "liar": liar,
    "trust": trust,
    "edit": edit,
    "changed": changed,
    "structured": structured,
    "broken": broken,
    "progress": progress,
    "pages": pages,
    "twice": twice,
    "keys": keys,
    "deprecated": deprecated,
    "asks": asks,
}
LEFT_AT = 5
"""Where it is left, and taken up by another run."""


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_by_keyboard_to_its_end(tmp_path: Path) -> None:
    assert list(DEEDS) == [step.id for step in STEPS]
    with open_tour(tmp_path) as terminal:
        walk(terminal, 0, LEFT_AT)
        wait_for_step(terminal, LEFT_AT)
        assert quit_program(terminal) == 0
    with open_tour(tmp_path) as terminal:
        walk(terminal, LEFT_AT, len(STEPS))
        terminal.wait_for(f"all {len(STEPS)} steps done")
        terminal.wait_for("q Leave")
        terminal.send("q")
        terminal.wait_for(lambda text: "Tour 17" not in text)
        assert quit_program(terminal) == 0


def walk(terminal: Terminal, start: int, end: int) -> None:
    for at in range(start, end):
        wait_for_step(terminal, at)
        terminal.send("2")
        terminal.wait_for("Do: ")
        DEEDS[STEPS[at].id](terminal)
        terminal.wait_for(lambda text: OPEN_DIALOG not in text)
        terminal.wait_for(r"Right: |Not quite: ")
        if at + 1 < len(STEPS):
            terminal.wait_for(NEXT)
            terminal.wait_for("l List")
            terminal.press("enter")


def test_it_takes_no_other_server_and_needs_a_terminal(tmp_path: Path) -> None:
    with open_tour(tmp_path, "--url", "http://127.0.0.1:1/mcp") as terminal:
        terminal.wait_for("signoff tour has no --url")
        assert terminal.wait_exit() == 2
