"""The terminal is lent to the person's editor, and is Signoff's again afterwards."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from tests.e2e.program import quit_program, signoff
from tests.e2e.steps import choose, type_text, wait_for_start
from tests.e2e.terminal import Terminal

EDITOR = """
import json, os, pathlib, sys, time
path = pathlib.Path(sys.argv[-1])
note = pathlib.Path({note!r})
facts = [str(path), oct(path.stat().st_mode & 0o777), oct(path.parent.stat().st_mode & 0o777)]
note.write_text(json.dumps([*facts, path.read_text(encoding="utf-8")]))
try:
    print("EDITOR WAITS", flush=True)
    input()
except KeyboardInterrupt:
    print("EDITOR WAS INTERRUPTED", flush=True)
typed = input()
path.write_text('{{"path": "' + typed + '"}}', encoding="utf-8")
"""


@pytest.mark.timeout(120)
def test_arguments_are_edited_in_the_editor_of_the_person(tmp_path: Path) -> None:
    note, script = tmp_path / "note", tmp_path / "my editor.py"
    script.write_text(EDITOR.format(note=str(note)), encoding="utf-8")
    visual = f"'{sys.executable}' -S '{script}'"
    with Terminal(signoff("demo"), 80, 24, env={"VISUAL": visual}) as terminal:
        wait_for_start(terminal)
        choose(terminal, "delete_file")
        type_text(terminal, "typed.txt")
        terminal.press("ctrl+e")
        terminal.wait_until(lambda: b"EDITOR WAITS" in terminal.raw)
        assert not terminal.full_screen
        # In a plain terminal this is a signal: it is for the editor alone.
        terminal.send("\x03")
        terminal.wait_until(lambda: b"EDITOR WAS INTERRUPTED" in terminal.raw)
        drawn = len(terminal.raw)
        terminal.send("edited.txt\r")
        terminal.wait_for(r'"path": "edited\.txt"')
        assert terminal.full_screen
        assert b"\x1b[?1049h" in terminal.raw[drawn:]
        file, file_mode, folder_mode, text = json.loads(note.read_text(encoding="utf-8"))
        assert (file_mode, folder_mode) == ("0o600", "0o700")
        assert json.loads(text) == {"path": "typed.txt"}
        assert not Path(file).parent.exists()
        # Keys and resizing are heard again.
        terminal.resize(120, 36)
        terminal.wait_for(lambda screen: re.search(r"╭─ Tools \d+ .*╮╭─ delete_file", screen))
        terminal.press("f11")
        terminal.wait_for("arguments of delete_file")
        terminal.press("escape")
        terminal.wait_for(lambda screen: "arguments of delete_file" not in screen)
        quit_program(terminal)
