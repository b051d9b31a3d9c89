"""A new host is a new folder: nothing else names it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.copies import Copied

RULES = """
name = "tea-room"
title = "Tea room"
summary = "Asks for every tool."
source = "https://example.com/tea-room"
source_file = "the manual"
date = 2026-11-29
notes = "None."
grants = true
doubts = "ignore"

[[rule]]
name = "everything"
then = "ask"
reason = "it asks for every tool"

[[mode]]
name = "served"
title = "served"
summary = "Runs every tool."
source = "https://example.com/tea-room"
source_file = "the manual"

[[mode.rule]]
name = "everything"
then = "allow"
reason = "the waiter brings it"
"""
FILES = """
[[host]]
id = "tea-room"
title = "Tea room"
containers = ["servers"]
place = [{ scope = "user", path = "~/.tea-room.json" }]
"""
SETTINGS = """
[[setting]]
entry = "served"
name = "auto_approve"
value = "tools"
then = "allow"

[[setting]]
at = "service"
name = "service"
value = "word"
modes = { full = "served", self = "=" }
asks = '"self"'

[[setting]]
at = "house"
name = "house"
value = "flag"
problem = [
  { when = "true", code = "reads-other-hosts", level = "note", says = "{path}: of all tables" },
]
"""
MODEL = """
[[host]]
id = "tea-room"
title = "Tea room"
kind = "host"
version = "1.0"
date = "2026-11-29"
basis = "read"
source = "https://example.com/tea-room"
form = "text"
structured = "dropped"
"""


@pytest.fixture
def copied(tmp_path: Path) -> Copied:
    """A copy of Signoff with one more host."""
    made = Copied(tmp_path)
    folder = made.app / "hosts" / "known" / "tea-room"
    folder.mkdir()
    facts = (("rules", RULES), ("files", FILES), ("settings", SETTINGS), ("model", MODEL))
    for name, text in facts:
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    (tmp_path / "home").mkdir()
    return made


def kept(copied: Copied, entry: object, **settings: object) -> str:
    """The home with a file of the host."""
    home = copied.folder / "home"
    text = json.dumps({"servers": {"kettle": entry}, **settings}, indent=1)
    (home / ".tea-room.json").write_text(text, encoding="utf-8")
    return str(home)


@pytest.mark.slow
def test_a_folder_makes_a_host(copied: Copied) -> None:
    home = kept(copied, {"command": "kettle-server"})
    assert "tea-room" in copied.signoff("hosts")
    assert "Tea room" in copied.signoff("matrix", "demo", "--json")
    assert "kettle" in copied.signoff("servers", "--json", HOME=home)
    words = ("call", "calculate_sum", "demo", "-a", "a=2", "-a", "b=40", "--model-view", "tea-room")
    assert "Tea room" in copied.signoff(*words)


@pytest.mark.slow
def test_the_settings_of_a_new_host_are_in_all_three_commands(copied: Copied) -> None:
    """A word and a list that decide, a flag that is reported; the edit asks, and is the patch."""
    command = ["-m", "signoff.app.demo"]
    entry = {"command": sys.executable, "args": command, "served": ["calculate_sum"]}
    home = kept(copied, entry, service="full", house=True)
    found = json.loads(copied.signoff("servers", "--json", status=4, HOME=home))
    (server,), (file,) = found["servers"], found["files"]
    assert server["switches"] == {"auto_approve": ["calculate_sum"]}
    assert file["switches"] == {"service": "full", "house": True}
    assert {(one["code"], one["message"]) for one in found["problems"]} >= {
        ("reads-other-hosts", "house: of all tables"),
        ("approvals-off", "service is full: all tools run without asking"),
    }
    listed = json.loads(copied.signoff("servers", "--auto-approved", "--json", HOME=home))
    brief = [(one["server"], one["tools"], one["switch"]) for one in listed["auto_approved"]]
    assert brief == [("*", ["*"], "service"), ("kettle", ["calculate_sum"], "served")]
    assert listed["auto_approved"][0]["suggestion"] == "set service to self"
    here = ("matrix", "--here", "--json", "--", sys.executable, *command)
    runs = json.loads(copied.signoff(*here, HOME=home))["here"]
    by_tool = {one["tool"]: one for one in runs["runs"]}
    assert by_tool["calculate_sum"]["switch"] == "served"
    other = by_tool[min({*by_tool} - {"calculate_sum"})]
    assert (other["switch"], other["suggestion"]) == ("service", "set service to self")
    assert '+ "service": "self"' in other["patch"]
