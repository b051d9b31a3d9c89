"""Plain mode in a real terminal: whole sessions."""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path

import pytest

from tests.approved import approved
from tests.e2e.plain_stage import ARMED, ROWS, Scene, is_plain, session
from tests.e2e.processes import wait_gone
from tests.e2e.program import signoff
from tests.e2e.terminal import Terminal
from tests.servers import pids

pytestmark = pytest.mark.timeout(240)
TEXTS = approved("cli-plain")


def test_a_session_on_the_demo() -> None:
    with Terminal(signoff("--plain", "demo"), 100, ROWS) as terminal:
        scene = Scene(terminal, Path())
        scene.at_prompt(1, "demo")
        scene.type("/confetti")
        scene.wait(r"\d+  launch_confetti .*not idempotent")
        scene.type("call show_text !{}")
        scene.wait(r"outcome  answered")
        # A form with a nested object, an array of objects and a union.
        scene.type("call order_something")
        scene.wait(r"\[not sent\]>|\[.*\]>")
        scene.type("!cancel")
        scene.wait("Nothing was")
        # Denied by anything but the word.
        scene.type('call delete_file !{"path": "notes/todo.txt"}')
        scene.wait(ARMED)
        scene.type("yes")
        scene.wait("denied by")
        # Approved by the word.
        scene.type("repeat")
        scene.wait(r"path \[notes/todo.txt\]>")
        scene.type("")
        scene.wait(r"policy     asks .*\n(.*\n)?Enter goes on")
        scene.type("")
        terminal.wait_for(lambda text: text.count(ARMED) == 2)
        scene.type("approve")
        scene.wait("approved by you")
        scene.wait(r"(?s)call 3\n.*outcome  answered")
        scene.type("calls")
        scene.wait(r"3  delete_file: answered")
        TEXTS.holds("session: a command that is none", scene.reply("launch_confeti", "demo"))
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
        scene.wait(r"after 7\s+s\)")
        scene.type("")
        scene.wait("denied by you")
    config.write_text('policy = "ask-allways"\n', encoding="utf-8")
    with session(tmp_path, options=("--trust",), env=kept) as scene:
        before = scene.terminal.text.partition("connected")[0].replace("\n", " ")
        (words,) = re.findall(r"config\.toml.*?\(ask-always\)", " ".join(before.split()))
        TEXTS.holds("session: a mistake in the settings", words)
        scene.type("call read_thing !{}")
        scene.wait(ARMED)


def test_a_call_is_cancelled_in_progress(tmp_path: Path) -> None:
    with session(tmp_path, "--with", "slow", options=("--trust",)) as scene:
        scene.type('call slow !{"steps": 50, "seconds": 60}')
        scene.wait(r"call 1: \d+/50, \d+ %, .* s")
        scene.terminal.press("ctrl+c")
        scene.wait("Cancel requested")
        scene.wait(r"(?s)call 1\n.*cancel sent")
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
        scene.wait(r"call 1: \d+/60, \d+ %, [\d.]+ s, at [\d.]+/s, [\d.]+ s left")


def test_earlier_arguments_are_kept_by_name_and_used_again() -> None:
    with Terminal(signoff("--plain", "demo"), 100, ROWS) as terminal:
        scene = Scene(terminal, Path())
        scene.at_prompt(1, "demo")
        scene.type('call calculate_sum !{"a": 2, "b": 40}')
        scene.wait(r"(?s)call 1\n.*outcome  answered")
        scene.at_prompt(2, "demo")
        TEXTS.holds("earlier: kept", scene.reply("keep  forty ", "demo"))
        TEXTS.holds("earlier: a name that is taken", scene.reply("keep forty", "demo"))
        earlier = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "WHEN", scene.reply("earlier", "demo"))
        TEXTS.holds("earlier: listed", earlier)
        TEXTS.holds("earlier: a name that is none", scene.reply("use fourty", "demo"))
        scene.type("use forty")
        scene.wait(r"a \[2\]")
        scene.type("3")
        scene.wait(r"b \[40\]")
        scene.type("")
        scene.wait("Enter calls")
        scene.type("")
        scene.wait(r"(?s)call 2\n.*43")
        scene.at_prompt(7, "demo")
        TEXTS.holds("earlier: a number that is none", scene.reply("use 9", "demo"))


def test_a_form_is_filled_in_field_by_field(tmp_path: Path) -> None:
    server = Path(__file__).with_name("plain_form_server.py")
    argv = signoff("--plain", "--trust", "--name", "form", "--", sys.executable, str(server))
    with Terminal(argv, 90, ROWS) as terminal:
        scene = Scene(terminal, tmp_path)
        scene.at_prompt(1, "form")
        scene.type("call book")
        for prompt, typed in (
            (r"name \[not sent\]>$", ""),
            (r"required: type", "Ada"),
            (r"nights \[1, .*\]>$", "many"),
            (r"wrong: .*integer 1..9", "20"),
            (r"(?s)wrong: .*\[20\]>$", "!back"),
            (r"name \[Ada\]>$", ""),
            (r"nights \[20\]>$", "3"),
            (r"room.* \[not sent\]>$", "lrage"),
            (r"did you mean large.*", "2"),
            (r"address\.street \[not sent\]>$", "!text -"),
            (r"address\.town \[not sent\]>$", "!null"),
            (r"guests, .* item 1, .*\]>$", "+"),
            (r"guests\[1\]\.name \[not sent\]>$", "Bob"),
            (r"item 2, .* \[1 item\]>$", ""),
            (r"pay, .* \[.*\]>$", "transfer"),
            (r"pay\.iban \[not sent\]>$", "DE00"),
            (r"note \[not sent\]>$", '!""'),
            (r"Enter calls it.*>$", ""),
        ):
            scene.wait(f"(?m){prompt}")
            scene.type(typed)
        scene.wait(r"outcome  answered")
        form = terminal.text.partition("call book\n")[2].partition("Enter calls")[0]
        TEXTS.holds("form: field by field", "\n".join(map(str.rstrip, form.split("\n"))))
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
        scene.wait(r"although-invalid: .*>")
        wrong = terminal.text.partition('!all {"name": 5}\n')[2]
        TEXTS.holds("form: wrong as a whole", "\n".join(map(str.rstrip, wrong.split("\n"))))
        scene.type("although-invalid")
        scene.wait(ARMED)
        (invalid,) = re.findall(r"(?m)^invalid .*\n(?: .*\n)*", terminal.text)
        TEXTS.holds("form: sent although it is wrong", " ".join(invalid.split()))
        scene.type("edit")
        scene.wait("arguments of book")
        terminal.press("ctrl+c")
        terminal.wait_for(lambda text: "Nothing was" in text)
        scene.type("quit")
        assert terminal.wait_exit() == 0
