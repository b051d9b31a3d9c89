"""Plain mode in a real terminal: whole sessions, the consent rules, hostile servers, the end."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import is_alive, seconds_of_work, wait_gone
from tests.e2e.program import signoff
from tests.e2e.terminal import Terminal
from tests.servers import pids, raw, recorded

pytestmark = pytest.mark.timeout(240)

ARMED = r"Type approve and Enter"
ROWS = 400
"""So that nothing that was written has left the sight of the tests."""


class Scene:
    """A session of plain lines with the scripted server."""

    def __init__(self, terminal: Terminal, folder: Path) -> None:
        self.terminal = terminal
        self.record = folder / "calls"
        self.pid_file = folder / "pids"

    def type(self, line: str) -> None:
        self.terminal.send(f"{line}\r")

    def wait(self, wanted: str) -> str:
        """Wait for what comes after everything that was waited for before."""
        return self.terminal.wait_for(wanted)

    def prompts(self, name: str = "raw") -> int:
        return len(re.findall(rf"(?m)^{name}>", self.terminal.text))

    def at_prompt(self, count: int, name: str = "raw") -> str:
        return self.terminal.wait_for(lambda text: self.prompts(name) >= count)

    @property
    def sent(self) -> list[Any]:
        return recorded(self.record) if self.record.exists() else []


@contextlib.contextmanager
def session(
    folder: Path, *switches: str, columns: int = 100, options: tuple[str, ...] = (), **more: Any
) -> Iterator[Scene]:
    files = ("--record", str(folder / "calls"), "--pid-file", str(folder / "pids"))
    argv = signoff("--plain", *options, "--", *raw(*files, *switches))
    with Terminal(argv, columns, ROWS, **more) as terminal:
        scene = Scene(terminal, folder)
        terminal.wait_for(r"connected  \d+ tools")
        scene.at_prompt(1)
        yield scene


def is_plain(raw_bytes: bytes) -> bool:
    """Whether nothing was written but lines: no escape, no cursor, no return without a new line."""
    return b"\x1b" not in raw_bytes and not re.search(rb"\r(?!\n)", raw_bytes)


def test_a_session_on_the_demo() -> None:
    with Terminal(signoff("--plain", "demo"), 100, ROWS) as terminal:
        scene = Scene(terminal, Path())
        scene.at_prompt(1, "demo")
        scene.type("/confetti")
        scene.wait(r"\d+  launch_confetti .*: destructive, .*: asks\s+with\s+a\s+warning")
        scene.type("call show_text !{}")
        scene.wait(r"outcome  answered")
        # A form with a nested object, an array of objects and a union.
        scene.type("call order_something")
        scene.wait(r"\[not sent\]>|\[.*\]>")
        scene.type("!cancel")
        scene.wait("Nothing was called")
        # Denied by anything but the word.
        scene.type('call delete_file !{"path": "notes/todo.txt"}')
        scene.wait(ARMED)
        scene.type("yes")
        scene.wait("denied by you")
        # Approved by the word.
        scene.type("repeat")
        scene.wait(r"path \[notes/todo.txt\]>")
        scene.type("")
        scene.wait(r"verdict    asks with a warning: .*\n(.*\n)?Enter goes on")
        scene.type("")
        terminal.wait_for(lambda text: text.count("Type approve and Enter") == 2)
        scene.type("approve")
        scene.wait(r"decision approved by you")
        scene.wait(r"(?s)call 3\n.*outcome  answered")
        scene.type("calls")
        scene.wait(r"3  delete_file: answered")
        scene.type("launch_confeti")
        scene.wait("did you mean launch_confetti")
        scene.type("quit")
        assert terminal.wait_exit() == 0
        assert is_plain(terminal.raw)


def test_what_is_kept_counts_in_lines_too(tmp_path: Path) -> None:
    """A stricter policy above all, and a mistake in the file is said before anything else."""
    config = tmp_path / "config.toml"
    kept = {"SIGNOFF_CONFIG": str(config)}
    config.write_text('policy = "ask-always"\ndecision_seconds = 7\n', encoding="utf-8")
    config.chmod(0o600)
    with session(tmp_path, options=("--trust",), env=kept) as scene:
        scene.type("call read_thing !{}")
        scene.wait(r"denies by itself after 7\s+s\)")
        scene.type("")
        scene.wait("denied by you")
    config.write_text('policy = "ask-allways"\n', encoding="utf-8")
    with session(tmp_path, options=("--trust",), env=kept) as scene:
        assert "so every call asks (ask-always)" in re.sub(r"\s+", " ", scene.terminal.text)
        scene.type("call read_thing !{}")
        scene.wait(ARMED)


def test_a_call_is_cancelled_in_progress(tmp_path: Path) -> None:
    with session(tmp_path, "--with", "slow", options=("--trust",)) as scene:
        scene.type('call slow !{"steps": 50, "seconds": 60}')
        scene.wait(r"call 1: \d+/50, \d+ %, .* s")
        scene.terminal.press("ctrl+c")
        scene.wait("Cancel requested")
        scene.wait(r"(?s)call 1\n.*outcome  cancel sent")
        scene.type('call slow !{"steps": 50, "seconds": 60}')
        scene.wait(r"call 2: \d+/50")
        scene.terminal.press("ctrl+c")
        # Two signals in the same moment are one.
        time.sleep(0.1)
        scene.terminal.press("ctrl+c")
        assert scene.terminal.wait_exit() == 130
    wait_gone(pids(scene.pid_file)["server"][0])


def test_progress_tells_the_rate_and_the_time_left(tmp_path: Path) -> None:
    with session(tmp_path, "--with", "slow", options=("--trust",)) as scene:
        scene.type('call slow !{"steps": 60, "seconds": 6}')
        scene.wait(r"call 1: \d+/60, \d+ %, [\d.]+ s, [\d.]+/s, [\d.]+ s left")


def test_earlier_arguments_are_kept_by_name_and_used_again() -> None:
    with Terminal(signoff("--plain", "demo"), 100, ROWS) as terminal:
        scene = Scene(terminal, Path())
        scene.at_prompt(1, "demo")
        scene.type('call calculate_sum !{"a": 2, "b": 40}')
        scene.wait(r"(?s)call 1\n.*outcome  answered")
        scene.type("keep  forty ")
        scene.wait("Kept as preset forty of calculate_sum")
        scene.type("keep forty")
        scene.wait("There is a preset forty already")
        scene.type("earlier")
        scene.wait(r'(?s)1  preset forty.*┃ \{ "a": 2, "b": 40 \}.*2  answered')
        scene.type("use fourty")
        scene.wait("did you mean forty")
        scene.type("use forty")
        scene.wait(r"a \[2\]")
        scene.type("3")
        scene.wait(r"b \[40\]")
        scene.type("")
        scene.wait("Enter calls it")
        scene.type("")
        scene.wait(r"(?s)call 2\n.*43")
        scene.type("use 9")
        scene.wait("calculate_sum has no “9”; earlier lists them")


def test_a_form_is_filled_in_field_by_field(tmp_path: Path) -> None:
    server = Path(__file__).with_name("plain_form_server.py")
    argv = signoff("--plain", "--trust", "--name", "form", "--", sys.executable, str(server))
    with Terminal(argv, 90, ROWS) as terminal:
        scene = Scene(terminal, tmp_path)
        scene.at_prompt(1, "form")
        scene.type("call book")
        for prompt, typed in (
            (r"name \[not sent\]>$", ""),
            (r"required: type a value", "Ada"),
            (r"nights \[1, the server's default\]>$", "many"),
            (r"wrong: not an integer; expected integer 1..9", "20"),
            (r"(?s)wrong: .*expected integer 1..9.*\[20\]>$", "!back"),
            (r"name \[Ada\]>$", ""),
            (r"nights \[20\]>$", "3"),
            (r"room.* \[not sent\]>$", "lrage"),
            (r"none of the choices; did you mean large", "2"),
            (r"address\.street \[not sent\]>$", "!text -"),
            (r"address\.town \[not sent\]>$", "!null"),
            (r"guests, \+ adds item 1, Enter ends \[not sent\]>$", "+"),
            (r"guests\[1\]\.name \[not sent\]>$", "Bob"),
            (r"adds item 2, Enter ends \[1 item\]>$", ""),
            (r"pay, which kind \[.*\]>$", "transfer"),
            (r"pay\.iban \[not sent\]>$", "DE00"),
            (r"note \[not sent\]>$", '!""'),
            (r"Enter calls it.*>$", ""),
        ):
            scene.wait(f"(?m){prompt}")
            scene.type(typed)
        scene.wait(r"outcome  answered")
        answered = re.sub(r"\n *┃ ", " ", terminal.text)
        sent = json.loads(re.findall(r"got (\{.*\})", answered)[-1])
        assert sent == {
            "name": "Ada",
            "nights": 3,
            "room": "large",
            "address": {"street": "-", "town": None},
            "guests": [{"name": "Bob"}],
            "pay": {"how": "transfer", "iban": "DE00"},
            "note": "",
        }
        # The whole as JSON, wrong, and sent all the same.
        scene.type("call book")
        terminal.wait_for(lambda text: text.rstrip().endswith("name [not sent]>"))
        scene.type('!all {"name": 5}')
        scene.wait(r"wrong: \$\.name: ")
        scene.wait(r"although-invalid: ask for approval anyway>")
        assert "trusted server; address: required; pay: required" in " ".join(terminal.text.split())
        scene.type("although-invalid")
        scene.wait(ARMED)
        assert "You chose to send it although it does not match the schema" in " ".join(
            terminal.text.split()
        )
        scene.type("edit")
        scene.wait("Back to the arguments of book")
        terminal.press("ctrl+c")
        terminal.wait_for(lambda text: "Nothing was called" in text)
        scene.type("quit")
        assert terminal.wait_exit() == 0


class TestConsent:
    @pytest.mark.parametrize("typed", ["y", "", "APPROVE", "approve it", "a"])
    def test_only_the_word_approves(self, typed: str, tmp_path: Path) -> None:
        with session(tmp_path) as scene:
            scene.type('call delete_thing !{"name": "x"}')
            scene.wait(ARMED)
            scene.type(typed)
            scene.wait("denied by you")
            assert scene.sent == []

    def test_one_approval_is_one_call(self, tmp_path: Path) -> None:
        with session(tmp_path) as scene:
            scene.type('call delete_thing !{"name": "x"}')
            scene.wait(ARMED)
            scene.type("approve")
            scene.wait("outcome  answered")
            scene.type('call delete_thing !{"name": "x"}')
            scene.terminal.wait_for(lambda text: text.count("Type approve and Enter") == 2)
            assert len(scene.sent) == 1
            scene.type("no")
            scene.wait(r"(?s)call 2\n.*denied by you")
            assert len(scene.sent) == 1

    def test_what_is_pasted_with_the_command_approves_nothing(self, tmp_path: Path) -> None:
        with session(tmp_path) as scene:
            scene.terminal.send('call delete_thing !{"name": "x"}\r' + "approve\r" * 50)
            scene.wait(ARMED)
            assert scene.sent == []
            scene.type("no")
            scene.wait("denied by you")
            assert scene.sent == []

    def test_a_paste_that_does_not_end_approves_nothing(self, tmp_path: Path) -> None:
        with session(tmp_path) as scene:
            scene.type('call delete_thing !{"name": "x"}')
            until = time.monotonic() + 5
            while time.monotonic() < until:
                scene.terminal.send("approve\r")
                time.sleep(0.02)
            assert scene.sent == []
            scene.wait("Input typed before this line is ignored")
            scene.terminal.send("approve\rapprove\r")
            scene.wait("Several lines at once")
            scene.wait("denied by you")
            assert scene.sent == []

    def test_the_end_of_input_denies_and_leaves(self, tmp_path: Path) -> None:
        with session(tmp_path) as scene:
            scene.type('call delete_thing !{"name": "x"}')
            scene.wait(ARMED)
            scene.terminal.send("approve\x04\x04")
            scene.wait("denied by you")
            scene.at_prompt(2)
            scene.terminal.send("\x04")
            assert scene.terminal.wait_exit() == 0
            assert scene.sent == []

    def test_ctrl_c_denies_and_ctrl_c_twice_leaves(self, tmp_path: Path) -> None:
        with session(tmp_path) as scene:
            scene.type('call delete_thing !{"name": "x"}')
            scene.wait(ARMED)
            scene.terminal.press("ctrl+c")
            scene.wait("denied|cancelled")
            scene.at_prompt(2)
            scene.type("calls")
            scene.at_prompt(3)
            scene.terminal.press("ctrl+c")
            scene.wait("Ctrl\\+C again")
            scene.terminal.press("ctrl+c")
            assert scene.terminal.wait_exit() == 130
            assert scene.sent == []
        wait_gone(pids(scene.pid_file)["server"][0])

    def test_the_time_limit_denies(self, tmp_path: Path) -> None:
        with session(tmp_path, options=("--decision-seconds", "1")) as scene:
            scene.type('call delete_thing !{"name": "x"}')
            scene.wait("denied by the time limit")
            assert scene.sent == []

    def test_a_scope_is_remembered_and_revoked(self, tmp_path: Path) -> None:
        with session(tmp_path) as scene:
            scene.type('call add_thing !{"name": "x"}')
            scene.wait(ARMED)
            scene.type("approve arguments")
            scene.wait(r"(?s)call 1\n.*answered")
            scene.type('call add_thing !{"name": "x"}')
            scene.wait(r"(?s)call 2\n.*by remembered approval.*answered")
            scene.type("grants")
            scene.wait(r"1  add_thing: .*used 1 times, until this session")
            scene.type("grants revoke 1")
            scene.wait("Approval 1 is forgotten")
            scene.type('call add_thing !{"name": "x"}')
            scene.terminal.wait_for(lambda text: text.count("Type approve and Enter") == 2)
            scene.type("deny session")
            scene.wait(r"(?s)call 3\n.*denied")
            assert len(scene.sent) == 2

    def test_trust_names_what_would_run(self, tmp_path: Path) -> None:
        with session(tmp_path) as scene:
            scene.type("trust on")
            scene.wait(r"tools? would run without asking from now on")
            scene.wait(r"\d+  read_thing: claims read-only")
            scene.wait(r"Type trust to trust it")
            scene.type("yes")
            scene.wait("Still untrusted")
            scene.type("trust on")
            scene.terminal.wait_for(lambda text: text.count("Type trust to trust it") == 2)
            scene.type("trust")
            scene.wait("Trusted now")
            scene.type('call read_thing !{"name": "x"}')
            scene.wait(r"decision approved by policy")
            scene.type("trust off")
            scene.wait("Untrusted now")
            scene.type("policy alow-all")
            scene.wait("did you mean allow-all")
            scene.type("policy vscode")
            scene.wait("as VS Code.* decides now")


class TestScripts:
    def run(self, lines: str, folder: Path, *switches: str) -> subprocess.CompletedProcess[str]:
        server = raw("--record", str(folder / "calls"), "--with", "all", *switches)
        state = {f"XDG_{one}_HOME": str(folder) for one in ("STATE", "CACHE", "CONFIG")}
        return subprocess.run(
            signoff("--plain", "--trust", "--name", "raw", "--", *server),
            input=lines,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            env=os.environ | state,
        )

    def test_each_line_of_a_pipe_is_a_command(self, tmp_path: Path) -> None:
        ended = self.run('list read_\ncall read_thing !{"name": "x"}\nanswer\n', tmp_path)
        assert ended.returncode == 0, ended.stderr
        assert "raw> list read_" in ended.stdout
        assert ended.stdout.count("read x") == 2
        assert "\r" not in ended.stdout
        assert "\x1b" not in ended.stdout

    def test_a_pipe_approves_nothing(self, tmp_path: Path) -> None:
        lines = 'call delete_thing !{"name": "x"}\napprove\napprove\ntrust off\ntrust on\ntrust\n'
        ended = self.run(lines, tmp_path)
        assert "denied by Signoff (no person to ask)" in ended.stdout
        assert "no terminal: calls that need approval are denied" in ended.stdout
        assert "Still untrusted: no terminal" in ended.stdout
        assert recorded(tmp_path / "calls") == []

    def test_a_form_takes_the_lines_of_a_pipe(self, tmp_path: Path) -> None:
        ended = self.run("call read_thing\nthe thing\n\nquit\n", tmp_path)
        assert "read the thing" in ended.stdout

    def test_hostile_words_are_shown_and_not_obeyed(self, tmp_path: Path) -> None:
        lines = "list\nfindings\nshow 1 all\ncall hostile_answer !{}\ncall progress_hostile !{}\n"
        ended = self.run(lines, tmp_path, "--hostile")
        assert ended.returncode == 0
        assert "[@click=app.quit]x[/]" in ended.stdout
        odd = [c for c in ended.stdout if (ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0]
        assert odd == []
        assert not set("\u202e\u200b") & set(ended.stdout)

    def test_a_large_answer_is_cut_and_saved_whole(self, tmp_path: Path) -> None:
        place = tmp_path / "answer.txt"
        ended = self.run(f"call big !{{}}\nsave 1.1 {place}\nsave {place}\n", tmp_path)
        assert len(ended.stdout) < 60_000
        assert "`save` has it all" in ended.stdout
        assert place.stat().st_size > 1_000_000
        assert "a script replaces nothing" in ended.stdout

    def test_a_flood_of_progress_is_a_few_lines(self, tmp_path: Path) -> None:
        ended = self.run("call progress_flood !{}\n", tmp_path)
        assert "answered" in ended.stdout
        assert ended.stdout.count("call 1: ") < 40

    def test_the_death_of_a_server_is_said_and_mended(self, tmp_path: Path) -> None:
        lines = "call crash !{}\nreconnect\ncall echo !{}\nquit\n"
        ended = self.run(lines, tmp_path)
        assert "connection lost, outcome unknown" in ended.stdout
        assert "Connecting again" in ended.stdout


class TestTheTerminal:
    def test_forty_columns(self, tmp_path: Path) -> None:
        with session(tmp_path, columns=40) as scene:
            scene.type('call delete_thing !{"name": "a fairly long name of a thing"}')
            scene.wait(ARMED)
            scene.type("no")
            scene.wait("denied by you")
            lines = scene.terminal.text.split("\n")
        assert max(map(len, lines)) <= 40
        assert any(line.endswith("┃ Deletes a thing for good.") for line in lines)
        assert is_plain(scene.terminal.raw)

    def test_the_width_is_that_of_now(self, tmp_path: Path) -> None:
        with session(tmp_path, columns=100) as scene:
            scene.terminal.resize(40, ROWS)
            scene.type("help")
            scene.wait("press\\s+twice\\s+to\\s+quit")
            after = scene.terminal.text.split("raw> help")[-1].split("\n")
        assert max(map(len, after)) <= 40

    @pytest.mark.parametrize("takes_terminal", [True, False])
    def test_it_ends_with_the_terminal(self, takes_terminal: bool, tmp_path: Path) -> None:
        with session(tmp_path, takes_terminal=takes_terminal) as scene:
            scene.type('call delete_thing !{"name": "x"}')
            scene.wait(ARMED)
            server = pids(scene.pid_file)["server"][0]
            pid = scene.terminal.pid
            before = after = seconds_of_work(pid)
            scene.terminal.hang_up()
            deadline = time.monotonic() + 20
            while is_alive(pid):
                assert time.monotonic() < deadline, "it lives on"
                after = max(after, seconds_of_work(pid))
                time.sleep(0.02)
            assert after - before < 3.0
            wait_gone(server)
            assert scene.sent == []

    def test_the_shell_takes_the_terminal_and_gives_it_back(self, tmp_path: Path) -> None:
        files = ("--record", str(tmp_path / "calls"))
        argv = signoff("--plain", "--name", "raw", "--", *raw(*files))
        bash = ["bash", "--norc", "--noprofile", "-i"]
        with Terminal(bash, 100, ROWS, env={"PS1": "shell> "}) as terminal:
            scene = Scene(terminal, tmp_path)
            scene.wait("shell>")
            scene.type(shlex.join(argv))
            scene.wait(r"connected  \d+ tools")
            scene.type('call delete_thing !{"name": "x"}')
            scene.wait(ARMED)
            terminal.press("ctrl+z")
            scene.wait("Stopped")
            scene.type("stty -a | tr ' ' '\\n' | grep -cx -e icanon -e echo -e isig")
            scene.wait(r"(?m)^3$")
            terminal.send("fg\rapprove\r")
            terminal.wait_for(lambda text: text.count("Type approve and Enter") == 2)
            assert scene.sent == []
            scene.type("no")
            scene.wait("denied by you")
            terminal.press("ctrl+z")
            terminal.wait_for(lambda text: text.count("Stopped") == 2)
            scene.type("fg")
            terminal.wait_for(r"raw>\s*$")
            scene.type("calls")
            scene.wait("1  delete_thing: denied by you")

    @pytest.mark.parametrize(
        ("term", "why"), [("dumb", "TERM is dumb"), ("", "TERM is not set"), ("glasstty", "cursor")]
    )
    def test_a_terminal_without_a_cursor_gets_lines(
        self, term: str, why: str, tmp_path: Path
    ) -> None:
        argv = signoff("--", *raw())
        with Terminal(argv, 100, 30, env={"TERM": term}) as terminal:
            if why == "cursor":
                terminal.wait_for(r"Signoff, plain lines|raw")
                terminal.press("ctrl+c")
            else:
                terminal.wait_for(rf"plain lines \({why}\)")
                terminal.wait_for(r"connected  \d+ tools")
            terminal.send("quit\r")
