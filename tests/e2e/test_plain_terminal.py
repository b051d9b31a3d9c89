"""Plain mode and its terminal: widths, hanging up, the shell, and terminals without a cursor."""

from __future__ import annotations

import shlex
import time
from pathlib import Path

import pytest

from tests.approved import approved
from tests.e2e.plain_stage import ARMED, ROWS, Scene, is_plain, session
from tests.e2e.processes import is_alive, seconds_of_work, wait_gone
from tests.e2e.program import signoff
from tests.e2e.terminal import Terminal
from tests.servers import pids, raw

pytestmark = pytest.mark.timeout(240)
TEXTS = approved("cli-plain")


class TestTheTerminal:
    def test_forty_columns(self, tmp_path: Path) -> None:
        with session(tmp_path, columns=40) as scene:
            scene.type('call delete_thing !{"name": "a fairly long name of a thing"}')
            scene.wait(ARMED)
            scene.type("no")
            scene.wait("denied by you")
            lines = scene.terminal.text.split("\n")
        assert max(map(len, lines)) <= 40
        assert any("┃ Deletes a thing" in line for line in lines)
        assert is_plain(scene.terminal.raw)

    def test_the_width_is_that_of_now(self, tmp_path: Path) -> None:
        with session(tmp_path, columns=100) as scene:
            scene.terminal.resize(40, ROWS)
            scene.type("help")
            scene.at_prompt(2)
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
            terminal.wait_for(lambda text: text.count(ARMED) == 2)
            assert scene.sent == []
            scene.type("no")
            scene.wait("denied by you")
            terminal.press("ctrl+z")
            terminal.wait_for(lambda text: text.count("Stopped") == 2)
            scene.type("fg")
            terminal.wait_for(r"raw>\s*$")
            scene.type("calls")
            scene.wait("1  delete_thing: denied")

    @pytest.mark.parametrize(
        ("term", "why"), [("dumb", "TERM is dumb"), ("", "TERM is not set"), ("glasstty", "cursor")]
    )
    def test_a_terminal_without_a_cursor_gets_lines(
        self, term: str, why: str, tmp_path: Path
    ) -> None:
        argv = signoff("--", *raw())
        with Terminal(argv, 100, 30, env={"TERM": term}) as terminal:
            if why == "cursor":
                terminal.wait_for(r"plain lines|raw")
                terminal.press("ctrl+c")
            else:
                terminal.wait_for(rf"plain lines \({why}\)")
                terminal.wait_for(r"connected  \d+ tools")
            terminal.send("quit\r")
