"""The approval dialog from outside: nothing but a deliberate act sends the call, and once only.

The server writes down every call that it really receives; what it did not write down was not sent.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.e2e.program import is_armed, quit_program, server_pid, signoff, wait_for_armed_dialog
from tests.e2e.steps import (
    BUTTON,
    OPEN_DIALOG,
    VOID_DIALOG,
    approve_by_chord,
    approve_by_key,
    approve_by_mouse,
    be_still,
    deny,
    focus_approve,
    shown_arguments,
    type_json,
    wait_for_start,
)
from tests.e2e.terminal import Terminal, wait_gone
from tests.servers import raw, recorded
from tests.tiers import first_quick

TOOL = "delete_thing"
HOLD_SECONDS = pytest.mark.parametrize(
    "seconds", [1.2, pytest.param(10.0, marks=pytest.mark.thorough)]
)
REPEAT_DELAY = 0.5
"""Seconds from a key's first press to its repeats, as keyboards are usually set."""
CHANGING = [sys.executable, str(Path(__file__).with_name("changing_server.py"))]


class Bench:
    """Signoff on a server with a record of its calls; `asked` counts the questions so far."""

    def __init__(
        self,
        folder: Path,
        *options: str,
        server: Sequence[str] = (),
        rows: int = 36,
        has_arguments: bool = False,
        tool: str = TOOL,
    ) -> None:
        self.tool = tool
        self.record = folder / f"calls-{time.monotonic_ns()}"
        self.pid_file = folder / f"pids-{time.monotonic_ns()}"
        switches = ["--only", tool, "--record", str(self.record), "--pid-file", str(self.pid_file)]
        argv = [*server, *switches] if server else raw(*switches)
        self.terminal = Terminal(signoff(*options, "--", *argv), rows=rows)
        self.asked = 0
        wait_for_start(self.terminal)
        self.terminal.wait_for(rf"╭─ {tool}\b")
        if has_arguments:
            self.terminal.press("enter")
            self.terminal.wait_for(r"ctrl\+j JSON")

    def ask(self, *, wait: bool = True) -> Terminal:
        """Ask for a call of the tool that deletes."""
        self.terminal.press("f5")
        self.asked += 1
        if wait:
            self.terminal.wait_for(lambda text: OPEN_DIALOG in text)
        return self.terminal

    def is_denied(self, text: str) -> bool:
        """Whether the screen says that the newest call was denied."""
        return re.search(rf"{self.asked}  {self.tool} +denied", text) is not None

    def expect_denied(self) -> None:
        """The newest call was denied on the screen, and no call came to the server."""
        self.terminal.wait_for(self.is_denied)
        self.terminal.wait_for("nothing was sent")
        assert recorded(self.record) == []

    @property
    def is_idle(self) -> bool:
        text = self.terminal.text
        return self.terminal.running and OPEN_DIALOG not in text and VOID_DIALOG not in text


@pytest.fixture(scope="module")
def benches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Bench]]:
    opened: list[Bench] = []
    yield opened
    for engine in opened:
        engine.terminal.close()


@pytest.fixture
def engine(benches: list[Bench], tmp_path: Path) -> Bench:
    """One program for many attacks; a new one after an attack that left it in disorder."""
    if not benches or not benches[-1].is_idle:
        benches.append(Bench(tmp_path))
    return benches[-1]


@pytest.fixture
def own(benches: list[Bench], tmp_path: Path) -> Iterator[Bench]:
    """A program that the test may end: the one of the attacks, once they are over."""
    engine = benches.pop() if benches and benches[-1].is_idle else Bench(tmp_path)
    with engine.terminal:
        yield engine


@pytest.fixture
def own_with_arguments(tmp_path: Path) -> Iterator[Bench]:
    engine = Bench(tmp_path, has_arguments=True)
    with engine.terminal:
        yield engine


# Attacks that leave the program running


@HOLD_SECONDS
def test_holding_enter_while_the_dialog_opens(engine: Bench, seconds: float) -> None:
    terminal = engine.ask(wait=False)
    with terminal.holding("enter"):
        terminal.wait_for(lambda text: OPEN_DIALOG in text or engine.is_denied(text))
        time.sleep(seconds)
    # Where the machine is so busy that the key comes haltingly, it denies.
    terminal.wait_for(lambda text: engine.is_denied(text) or is_armed(text))
    terminal.press("escape")
    engine.expect_denied()


@HOLD_SECONDS
def test_holding_enter_on_the_button_that_approves(engine: Bench, seconds: float) -> None:
    terminal = engine.ask()
    focus_approve(terminal)
    with terminal.holding("enter"):
        terminal.wait_for("approving|too soon")
        time.sleep(seconds / 2)
    be_still()
    deny(terminal)
    engine.expect_denied()


@pytest.mark.parametrize("is_listening", [False, True], ids=["while-deaf", "while-listening"])
def test_typing_what_approves_elsewhere(engine: Bench, is_listening: bool) -> None:
    terminal = engine.ask(wait=is_listening)
    if is_listening:
        wait_for_armed_dialog(terminal)
    terminal.send("yyyyaaa1")
    if is_listening:
        be_still()
        assert OPEN_DIALOG in terminal.text
        terminal.press("space")
        terminal.wait_for(lambda text: OPEN_DIALOG not in text)
    else:
        terminal.press("space")
        deny(terminal)
    engine.expect_denied()


@pytest.mark.parametrize("bracketed", [True, False], ids=["bracketed", "unbracketed"])
def test_pasting_newlines(engine: Bench, bracketed: bool) -> None:
    terminal = engine.ask()
    terminal.paste("yes\n\n\n\ny\n", bracketed=bracketed)
    text = wait_for_armed_dialog(terminal)
    assert "▸ Deny ◂" in text
    terminal.paste("\nyes\n\n\n\ny\n", bracketed=bracketed)
    if bracketed:
        # It is activity: the dialog is deaf for a while, and Deny too is not pressed at once.
        be_still()
        deny(terminal)
    else:
        terminal.wait_for(lambda text: OPEN_DIALOG not in text)
    engine.expect_denied()


@pytest.mark.parametrize("key", first_quick(["escape", "ctrl+c", "q", "enter", "space"], 2))
def test_every_way_out_denies(engine: Bench, key: str) -> None:
    terminal = engine.ask()
    wait_for_armed_dialog(terminal)
    terminal.press(key)
    terminal.wait_for(lambda text: OPEN_DIALOG not in text)
    engine.expect_denied()
    assert terminal.running


def test_quitting_denies_and_ends(engine: Bench) -> None:
    terminal = engine.ask()
    terminal.press("ctrl+q")
    assert terminal.wait_exit() == 0
    assert recorded(engine.record) == []


def test_resizing_to_nearly_nothing_and_back(engine: Bench) -> None:
    terminal = engine.ask()
    focus_approve(terminal)
    terminal.resize(20, 5)
    terminal.wait_for("small|waits")
    terminal.press("enter", "space", "ctrl+y")
    terminal.resize(120, 36)
    terminal.wait_for("▸ Deny ◂")
    wait_for_armed_dialog(terminal)
    terminal.press("enter")
    engine.expect_denied()


def test_double_clicking_where_the_button_will_appear(engine: Bench) -> None:
    terminal = engine.ask()
    wait_for_armed_dialog(terminal)
    x, y = terminal.find(BUTTON)
    deny(terminal)
    # The first letter of the button: below the ones after it stands what cancels a call.
    terminal.mouse_click(x, y)
    engine.ask(wait=False)
    terminal.mouse_click(x, y, count=2)
    terminal.wait_for(lambda text: OPEN_DIALOG in text)
    terminal.mouse_click(x, y, count=2)
    wait_for_armed_dialog(terminal)
    moved, row = terminal.find(BUTTON)
    assert (moved, row) != (x, y)
    terminal.mouse_click(x, y, count=2)
    be_still()
    assert OPEN_DIALOG in terminal.text
    deny(terminal)
    engine.expect_denied()


def test_one_press_of_the_chord(engine: Bench) -> None:
    terminal = engine.ask()
    wait_for_armed_dialog(terminal)
    terminal.press("ctrl+y")
    terminal.wait_for(r"ctrl\+y again within")
    terminal.wait_for(lambda text: "ctrl+y again" not in text)
    assert OPEN_DIALOG in terminal.text
    deny(terminal)
    engine.expect_denied()


@HOLD_SECONDS
def test_holding_the_chord(engine: Bench, seconds: float) -> None:
    terminal = engine.ask()
    wait_for_armed_dialog(terminal)
    terminal.press("ctrl+y")
    time.sleep(REPEAT_DELAY)
    terminal.hold("ctrl+y", seconds)
    be_still()
    deny(terminal)
    engine.expect_denied()


# Attacks on a call that one press of the chord approves


@pytest.fixture(scope="module")
def harmless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    engine = Bench(tmp_path_factory.mktemp("harmless"), tool="read_thing")
    with engine.terminal:
        yield engine


@HOLD_SECONDS
def test_holding_the_chord_while_a_harmless_call_is_asked_about(
    harmless: Bench, seconds: float
) -> None:
    harmless.terminal.press("ctrl+y")
    terminal = harmless.ask(wait=False)
    terminal.hold("ctrl+y", seconds)
    be_still()
    deny(terminal)
    harmless.expect_denied()


@HOLD_SECONDS
def test_holding_the_chord_on_a_harmless_call(harmless: Bench, seconds: float) -> None:
    terminal = harmless.ask()
    wait_for_armed_dialog(terminal)
    terminal.press("ctrl+y")
    time.sleep(REPEAT_DELAY)
    terminal.hold("ctrl+y", seconds)
    be_still()
    deny(terminal)
    harmless.expect_denied()


@pytest.mark.parametrize("text", ["yes\x19", "\x19\x19\x19\n", "\x19y"])
def test_pasting_the_chord_on_a_harmless_call(harmless: Bench, text: str) -> None:
    terminal = harmless.ask()
    wait_for_armed_dialog(terminal)
    terminal.paste(text, bracketed=False)
    be_still()
    if OPEN_DIALOG in terminal.text:
        deny(terminal)
    harmless.expect_denied()


def test_one_press_approves_a_harmless_call(tmp_path: Path) -> None:
    engine = Bench(tmp_path, tool="read_thing")
    with engine.terminal as terminal:
        engine.ask()
        wait_for_armed_dialog(terminal)
        terminal.press("ctrl+y")
        terminal.wait_for(rf"1  {engine.tool} +answered")
        assert quit_program(terminal) == 0
    assert len(recorded(engine.record)) == 1


# Attacks that end the program


def test_closing_the_terminal(own: Bench) -> None:
    terminal = own.ask()
    pid = server_pid(terminal, own.pid_file)
    terminal.hang_up()
    terminal.wait_exit()
    wait_gone(pid)
    assert recorded(own.record) == []


def test_sigterm(own: Bench) -> None:
    terminal = own.ask()
    pid = server_pid(terminal, own.pid_file)
    wait_for_armed_dialog(terminal)
    terminal.signal(signal.SIGTERM)
    assert terminal.wait_exit() == 128 + signal.SIGTERM
    wait_gone(pid)
    assert recorded(own.record) == []


def test_leaving_it_alone_past_the_time_limit(tmp_path: Path) -> None:
    engine = Bench(tmp_path, "--decision-seconds", "4")
    with engine.terminal as terminal:
        engine.ask()
        terminal.wait_for("denies in 0:0[1-4]")
        terminal.wait_for(lambda text: OPEN_DIALOG not in text)
        engine.expect_denied()
        terminal.wait_for("denied by the time limit")


# What cannot be approved any more


def _void(engine: Bench, event: Callable[[int], None], reason: str) -> None:
    """The dialog is open when the event strikes the server; nothing that is pressed sends."""
    terminal = engine.ask()
    wait_for_armed_dialog(terminal)
    event(server_pid(terminal, engine.pid_file))
    terminal.wait_for(reason)
    terminal.wait_for(VOID_DIALOG)
    terminal.wait_for("Nothing was sent")
    terminal.wait_for(lambda text: "▸ Close ◂" in text and "moment" not in text)
    assert BUTTON not in terminal.text
    terminal.press("ctrl+y")
    be_still()
    terminal.press("ctrl+y")
    be_still()
    terminal.press("enter")
    terminal.wait_for(lambda text: VOID_DIALOG not in text)
    # Nobody denied it.
    terminal.wait_for(rf"{engine.asked}  {TOOL} +not sent")
    assert recorded(engine.record) == []


def test_a_definition_that_changes_meanwhile(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("this is for POSIX")
    engine = Bench(tmp_path, server=CHANGING)
    with engine.terminal as terminal:
        _void(engine, lambda pid: os.kill(pid, signal.SIGUSR1), "the tool definition changed")
        assert quit_program(terminal) == 0
    assert recorded(engine.record) == []


def test_a_server_that_dies_meanwhile(own: Bench) -> None:
    if sys.platform == "win32":
        pytest.skip("this is for POSIX")
    _void(own, lambda pid: os.kill(pid, signal.SIGKILL), "the connection was lost")


# What does approve


ARGUMENTS = {
    "name": "Ä \"x\" 日本 \\ {} 𝄞 'quoted' /etc/*.txt",
    "note": "one\ntwo\tthree é",
    "really": True,
    "more": {"": [], "number": -2.5e-07, "long": 12345678901234567890, "nothing": None},
}


@pytest.fixture(scope="module")
def approving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A program for calls that are sent, with arguments typed."""
    engine = Bench(tmp_path_factory.mktemp("approving"), rows=46, has_arguments=True)
    with engine.terminal as terminal:
        type_json(terminal, ARGUMENTS)
        yield engine


@pytest.mark.slow
@pytest.mark.parametrize(
    "approve", [approve_by_key, approve_by_chord, approve_by_mouse], ids=["key", "chord", "mouse"]
)
def test_approving_sends_what_was_shown_once(
    approving: Bench, approve: Callable[[Terminal], None]
) -> None:
    sent_before = len(recorded(approving.record))
    terminal = approving.ask()
    wait_for_armed_dialog(terminal)
    shown = json.loads(shown_arguments(terminal))
    approve(terminal)
    terminal.wait_for(rf"{approving.asked}  {TOOL} +answered")
    terminal.press("enter", "ctrl+y")
    be_still()
    terminal.press("ctrl+y", "enter")
    be_still()
    # The focus is on the answer, whose first part enter opens.
    if "[ f5 Call ]" not in terminal.text:
        terminal.press("escape")
    terminal.wait_for(r"\[ f5 Call \]")
    (call,) = recorded(approving.record)[sent_before:]
    assert call["tool"] == TOOL
    assert json.dumps(call["arguments"]) == json.dumps(shown) == json.dumps(ARGUMENTS)


def test_arguments_below_the_fold_have_to_be_seen_first(own_with_arguments: Bench) -> None:
    own = own_with_arguments
    terminal = own.terminal
    type_json(terminal, {f"key{number:02}": number for number in range(40)})
    own.ask()
    terminal.wait_for("scroll to the end to enable Approve")
    assert re.search(r"\d+ more lines - PgDn/End", terminal.text)
    terminal.click(BUTTON)
    be_still()
    focus_approve(terminal)
    terminal.press("enter")
    be_still()
    assert OPEN_DIALOG in terminal.text
    terminal.press("end")
    terminal.wait_for('"key39": 39')
    be_still()
    terminal.press("enter")
    terminal.wait_for(rf"1  {TOOL} +answered")
    assert quit_program(terminal) == 0
    assert len(recorded(own.record)) == 1
