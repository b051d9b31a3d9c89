"""Processes from birth to death: servers that start badly, end badly, or stay."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.program import (
    HEADER_ROWS,
    QUIT,
    approve,
    call,
    quit_program,
    server_pid,
    signoff,
    signoff_with,
    wait_for_tools,
)
from tests.e2e.terminal import Terminal, processes_alive, wait_gone
from tests.servers import http, pids, raw, recorded

LAST_WORDS = "the flux capacitor is empty"
"""What the scripted server writes when it dies."""
UNREACHABLE = "The server could not be reached"

started_anew = pytest.mark.started_anew

assert sys.platform != "win32"

STUBBORN = ("--ignore-eof", "--ignore-sigterm")


@pytest.fixture
def pid_file(tmp_path: Path) -> Path:
    return tmp_path / "pids"


def _with_pids(pid_file: Path, *switches: str) -> list[str]:
    return signoff_with("--pid-file", str(pid_file), *switches)


# Starting badly


@started_anew
def test_a_crash_at_the_start_shows_status_pid_and_last_words(pid_file: Path) -> None:
    with Terminal(_with_pids(pid_file, "--die-at-start", "9")) as terminal:
        terminal.wait_for("exit code 9")
        terminal.wait_for(LAST_WORDS)
        terminal.wait_for(rf"\b{server_pid(terminal, pid_file)}\b")
        quit_program(terminal)


def test_last_words_are_found_behind_a_flood() -> None:
    with Terminal(signoff_with("--die-at-start", "9", "--stderr-flood")) as terminal:
        terminal.wait_for("exit code 9")
        terminal.wait_for(LAST_WORDS)


def test_a_death_right_after_the_greeting_is_explained() -> None:
    with Terminal(signoff_with("--die-after-init", "4")) as terminal:
        terminal.wait_for("exit code 4")
        terminal.wait_for(LAST_WORDS)


def test_a_refused_greeting_is_told_in_the_words_of_the_server() -> None:
    with Terminal(signoff_with("--init-error")) as terminal:
        terminal.wait_for("the database is not there")


def test_a_command_that_does_not_exist_is_named() -> None:
    with Terminal(signoff("--", "/nowhere/no-such-server")) as terminal:
        terminal.wait_for(UNREACHABLE)
        terminal.wait_for("(?i)no such file")
        quit_program(terminal)


@started_anew
def test_quitting_works_while_a_server_never_starts(pid_file: Path) -> None:
    with Terminal(_with_pids(pid_file, "--start-never")) as terminal:
        pid = server_pid(terminal, pid_file)
        terminal.wait_for("Signoff")
        assert quit_program(terminal) == 0
        wait_gone(pid)


def test_quitting_works_during_a_slow_start(pid_file: Path) -> None:
    with Terminal(_with_pids(pid_file, "--start-delay", "30")) as terminal:
        pid = server_pid(terminal, pid_file)
        terminal.wait_for("Signoff")
        assert quit_program(terminal) == 0
        wait_gone(pid)


@pytest.mark.parametrize("probe", ["silent", "dies"])
def test_a_server_that_cannot_take_the_probe_is_greeted_the_old_way(probe: str) -> None:
    with Terminal(signoff_with("--probe", probe)) as terminal:
        wait_for_tools(terminal)
        terminal.wait_for("2025-11-25")


@pytest.mark.parametrize(("era", "version"), [("modern", "2026-07-28"), ("legacy", "2025-11-25")])
def test_both_eras_connect(era: str, version: str) -> None:
    with Terminal(signoff_with("--era", era)) as terminal:
        wait_for_tools(terminal)
        terminal.wait_for(version)


# Dying later


def test_a_crash_while_idle_is_noticed(pid_file: Path) -> None:
    with Terminal(_with_pids(pid_file, "--crash-on-signal")) as terminal:
        wait_for_tools(terminal)
        os.kill(server_pid(terminal, pid_file), signal.SIGUSR1)
        terminal.wait_for("exit code 7")
        terminal.wait_for(LAST_WORDS)
        terminal.wait_for(rf"\b{server_pid(terminal, pid_file)}\b")


def test_a_crash_in_the_middle_of_a_call_is_told_as_a_lost_connection(tmp_path: Path) -> None:
    record = tmp_path / "calls"
    with Terminal(signoff_with("--only", "crash", "--record", str(record))) as terminal:
        call(terminal, "crash")
        approve(terminal)
        terminal.wait_for("exit code 7")
        terminal.wait_for("connection lost")
        assert [entry["tool"] for entry in recorded(record)] == ["crash"]
        assert quit_program(terminal) in (0, 5)


# Noise


def test_stderr_is_never_painted_over_the_screen() -> None:
    with Terminal(signoff_with("--stderr-flood")) as terminal:
        wait_for_tools(terminal)
        terminal.settle()
        assert "Signoff" in terminal.text.split("\n")[0]
        assert b"\x1b[33mSTDERR-FLOOD" not in terminal.raw
        assert quit_program(terminal) == 0
        assert b"\x1b[33mSTDERR-FLOOD" not in terminal.raw


def test_noise_on_stdout_is_a_finding_and_hides_no_tool() -> None:
    with Terminal(signoff_with("--noise-at-start")) as terminal:
        wait_for_tools(terminal)
        terminal.wait_for("(?i)noise.on.stdout")
        terminal.press("f9")
        terminal.wait_for("tab Next section")
        terminal.press("tab")
        terminal.wait_for("server on port 8080")
        assert b"\x1b[32mOK" not in terminal.raw


# Ending


@started_anew
def test_a_good_server_and_signoff_end(pid_file: Path) -> None:
    with Terminal(_with_pids(pid_file)) as terminal:
        wait_for_tools(terminal)
        pid = server_pid(terminal, pid_file)
        assert quit_program(terminal) == 0
        wait_gone(pid)
        assert not terminal.full_screen


def test_a_server_that_ignores_eof_and_sigterm_is_gone_after_quitting(
    pid_file: Path, tmp_path: Path
) -> None:
    asked = tmp_path / "asked"
    switches = ("--ignore-eof", "--sigterm-file", str(asked))
    with Terminal(_with_pids(pid_file, *switches)) as terminal:
        wait_for_tools(terminal)
        pid = server_pid(terminal, pid_file)
        assert quit_program(terminal) == 0
        wait_gone(pid)
        assert asked.read_text() == "SIGTERM\n"


def test_a_server_that_stopped_reading_is_gone_after_quitting(pid_file: Path) -> None:
    with Terminal(_with_pids(pid_file, "--stop-reading")) as terminal:
        wait_for_tools(terminal)
        pid = server_pid(terminal, pid_file)
        assert quit_program(terminal) == 0
        wait_gone(pid)


@started_anew
def test_a_grandchild_is_gone_after_quitting(pid_file: Path) -> None:
    with Terminal(_with_pids(pid_file, "--grandchild")) as terminal:
        wait_for_tools(terminal)
        (grandchild,) = pids(pid_file)["grandchild"][-1:]
        assert processes_alive([grandchild]) == [grandchild]
        assert quit_program(terminal) == 0
        wait_gone(grandchild)


def test_an_exit_is_noticed_although_a_grandchild_holds_the_pipe(pid_file: Path) -> None:
    switches = ("--grandchild", "--exit-on-signal", "--exit-code", "1")
    with Terminal(_with_pids(pid_file, *switches)) as terminal:
        wait_for_tools(terminal)
        (grandchild,) = pids(pid_file)["grandchild"][-1:]
        os.kill(server_pid(terminal, pid_file), signal.SIGUSR1)
        terminal.wait_for("exit code 1")
        quit_program(terminal)
        wait_gone(grandchild)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_everything_and_restores_the_terminal(
    pid_file: Path, number: signal.Signals
) -> None:
    with Terminal(_with_pids(pid_file)) as terminal:
        wait_for_tools(terminal)
        pid = server_pid(terminal, pid_file)
        terminal.signal(number)
        assert terminal.wait_exit() == 128 + number
        wait_gone(pid)
        assert not terminal.full_screen
        assert b"\x1b[?1003l" in terminal.raw


def test_a_signal_ends_a_stubborn_server_too(pid_file: Path) -> None:
    with Terminal(_with_pids(pid_file, *STUBBORN)) as terminal:
        wait_for_tools(terminal)
        pid = server_pid(terminal, pid_file)
        terminal.signal(signal.SIGTERM)
        terminal.wait_exit()
        wait_gone(pid)


@started_anew
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_before_the_first_picture_leaves_nothing(
    pid_file: Path, number: signal.Signals
) -> None:
    with Terminal(_with_pids(pid_file, "--start-never")) as terminal:
        pid = server_pid(terminal, pid_file)
        terminal.signal(number)
        assert terminal.wait_exit() != 0
        wait_gone(pid)


@started_anew
def test_a_signal_that_python_swallows_at_the_start_is_not_lost(pid_file: Path) -> None:
    # In the callback of a weak reference an exception is printed and dropped; imports have many.
    code = """
import signal, weakref
import signoff.widgets.images.terminal_detection as graphics
from signoff.app.cli.main import main

class Thing: pass

def lost(*_):
    thing = Thing()
    gone = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGTERM))
    del thing

graphics.prepare_graphics = lost
main()
"""
    argv = [sys.executable, "-c", code, *_with_pids(pid_file)[3:]]
    with Terminal(argv) as terminal:
        pid = server_pid(terminal, pid_file)
        assert terminal.wait_exit() == 128 + signal.SIGTERM
        wait_gone(pid)


def test_quitting_twice_ends_a_stubborn_server_by_force(pid_file: Path, tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    switches = ("--ignore-eof", "--sigterm-file", str(asked))
    with Terminal(_with_pids(pid_file, *switches)) as terminal:
        wait_for_tools(terminal)
        pid = server_pid(terminal, pid_file)
        terminal.press(QUIT, QUIT)
        terminal.wait_exit()
        wait_gone(pid)
        assert not asked.exists()


@started_anew
def test_closing_the_window_ends_everything(pid_file: Path) -> None:
    with Terminal(_with_pids(pid_file, *STUBBORN, "--grandchild")) as terminal:
        wait_for_tools(terminal)
        left = [pid for kind in pids(pid_file).values() for pid in kind]
        terminal.hang_up()
        terminal.wait_exit()
        for pid in left:
            wait_gone(pid)


@started_anew
def test_a_good_server_ends_even_if_signoff_is_killed(pid_file: Path) -> None:
    with Terminal(_with_pids(pid_file)) as terminal:
        wait_for_tools(terminal)
        pid = server_pid(terminal, pid_file)
        terminal.signal(signal.SIGKILL)
        assert terminal.wait_exit() == -signal.SIGKILL
        wait_gone(pid)


def test_quitting_in_the_middle_of_a_call_works(pid_file: Path) -> None:
    with Terminal(_with_pids(pid_file, "--only", "never_with_progress")) as terminal:
        pid = server_pid(terminal, pid_file)
        call(terminal, "never_with_progress")
        approve(terminal)
        terminal.wait_for("cancel")
        quit_program(terminal)
        wait_gone(pid)


@pytest.fixture
def hostile_policy(tmp_path: Path) -> str:
    """The file of a policy whose pattern takes for ever on the letter a."""
    file = tmp_path / "hostile.toml"
    file.write_text(
        'name = "hostile"\nsummary = "A test."\n[[rule]]\nthen = "allow"\n'
        "[[rule.argument]]\nat = '/name'\nmatches = '(a+)+b'\n"
    )
    return str(file)


@pytest.mark.parametrize("how", ["the key", "SIGTERM"])
def test_leaving_works_while_a_policy_is_judged(
    how: str, pid_file: Path, hostile_policy: str
) -> None:
    server = raw("--pid-file", str(pid_file))
    with Terminal(signoff("--policy", hostile_policy, "--", *server)) as terminal:
        wait_for_tools(terminal)
        pid = server_pid(terminal, pid_file)
        terminal.click("read_thing", below=HEADER_ROWS)
        terminal.wait_for(r"╭─ read_thing\b")
        terminal.press("enter")
        # Each letter begins a trial of its own, so one is on its way whenever this ends.
        terminal.press(*"a" * 60)
        if how == "SIGTERM":
            terminal.signal(signal.SIGTERM)
            assert terminal.wait_exit() == 128 + signal.SIGTERM
        else:
            assert quit_program(terminal) == 0
        wait_gone(pid)


# The window and HTTP


def test_a_tiny_window_and_back_does_no_harm() -> None:
    with Terminal(signoff_with()) as terminal:
        wait_for_tools(terminal)
        terminal.resize(20, 5)
        terminal.settle()
        terminal.resize(120, 36)
        wait_for_tools(terminal)
        assert quit_program(terminal) == 0


def test_http_connects_and_a_lost_server_is_survived() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen(http(), stdin=pipe, stdout=pipe, text=True) as server:
        assert server.stdout
        url = server.stdout.readline().strip()
        with Terminal(signoff("--url", url)) as terminal:
            wait_for_tools(terminal)
            server.kill()
            server.wait(60)
            terminal.settle()
            assert quit_program(terminal) in (0, 5)


def test_an_unreachable_url_is_explained() -> None:
    with Terminal(signoff("--url", "http://127.0.0.1:9/mcp")) as terminal:
        terminal.wait_for(UNREACHABLE)
        quit_program(terminal)
