"""Consent in plain mode: the word that approves, what denies, and what is remembered."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.approved import approved
from tests.e2e.plain_stage import ARMED, session
from tests.e2e.processes import wait_gone
from tests.servers import pids

pytestmark = pytest.mark.timeout(240)
TEXTS = approved("cli-plain")


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
            scene.terminal.wait_for(lambda text: text.count(ARMED) == 2)
            assert len(scene.sent) == 1
            scene.type("no")
            scene.wait(r"(?s)call 2\n.*denied by you")
            assert len(scene.sent) == 1

    @pytest.mark.slow
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
            scene.wait(ARMED)
            scene.terminal.send("approve\rapprove\r")
            scene.wait("Several lines")
            scene.wait("denied by you")
            question = scene.terminal.text.rpartition("approve\n")[0].split("\n")
            ignored = [row.rstrip() for row in question if "ignored" in row]
            TEXTS.holds("consent: what was typed before", ignored[-1])
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
            scene.wait("Press Ctrl\\+C again")
            scene.terminal.press("ctrl+c")
            assert scene.terminal.wait_exit() == 130
            assert scene.sent == []
        wait_gone(pids(scene.pid_file)["server"][0])

    def test_the_time_limit_denies(self, tmp_path: Path) -> None:
        with session(tmp_path, options=("--decision-seconds", "1")) as scene:
            scene.type('call delete_thing !{"name": "x"}')
            scene.wait("time limit")
            scene.at_prompt(2)
            assert "denied" in scene.terminal.text.rpartition("outcome ")[2]
            assert scene.sent == []

    def test_a_scope_is_remembered_and_revoked(self, tmp_path: Path) -> None:
        with session(tmp_path) as scene:
            scene.type('call add_thing !{"name": "x"}')
            scene.wait(ARMED)
            scene.type("approve arguments")
            scene.wait(r"(?s)call 1\n.*answered")
            scene.type('call add_thing !{"name": "x"}')
            scene.wait(r"(?s)call 2\n.*by your remembered approval.*answered")
            scene.at_prompt(3)
            remembered = scene.reply("grants")
            words = " ".join(remembered.split())
            assert "1 add_thing raw these arguments, this session" in words
            TEXTS.holds("consent: revoked", scene.reply("grants revoke 1"))
            scene.type('call add_thing !{"name": "x"}')
            scene.terminal.wait_for(lambda text: text.count(ARMED) == 2)
            scene.type("deny session")
            scene.wait(r"(?s)call 3\n.*denied")
            assert len(scene.sent) == 2
            scene.at_prompt(6)
            assert "add_thing is denied for this session, with any arguments" in scene.reply(
                "grants"
            )

    def test_trust_names_what_would_run(self, tmp_path: Path) -> None:
        with session(tmp_path) as scene:
            scene.type("trust on")
            scene.wait("Type trust to")
            trust = scene.terminal.text.partition("trust on\n")[2]
            TEXTS.holds("consent: trust", "\n".join(map(str.rstrip, trust.split("\n"))))
            TEXTS.holds("consent: not trusted", scene.reply("yes").split("\n")[-1])
            scene.type("trust on")
            scene.terminal.wait_for(lambda text: text.count("Type trust to") == 2)
            scene.type("trust")
            scene.wait("Trusted now")
            scene.type('call read_thing !{"name": "x"}')
            scene.wait("approved by policy")
            scene.at_prompt(4)
            TEXTS.holds("consent: untrusted", scene.reply("trust off"))
            TEXTS.holds("consent: a policy that is none", scene.reply("policy alow-all"))
            TEXTS.holds("consent: the policy of a host", scene.reply("policy vscode"))
