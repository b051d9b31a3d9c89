"""A new host is a new folder: nothing else names it."""

from __future__ import annotations

import json
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
"""
FILES = """
[[host]]
id = "tea-room"
title = "Tea room"
containers = ["servers"]
place = [{ scope = "user", path = "~/.tea-room.json" }]
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


@pytest.mark.slow
def test_a_folder_makes_a_host(tmp_path: Path) -> None:
    copied = Copied(tmp_path)
    folder = copied.app / "hosts" / "known" / "tea-room"
    folder.mkdir()
    for name, text in (("rules", RULES), ("files", FILES), ("model", MODEL)):
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    home = tmp_path / "home"
    home.mkdir()
    servers = {"servers": {"kettle": {"command": "kettle-server"}}}
    (home / ".tea-room.json").write_text(json.dumps(servers), encoding="utf-8")
    assert "tea-room" in copied.signoff("hosts")
    assert "Tea room" in copied.signoff("matrix", "demo", "--json")
    assert "kettle" in copied.signoff("servers", "--json", HOME=str(home))
    words = ("call", "calculate_sum", "demo", "-a", "a=2", "-a", "b=40", "--model-view", "tea-room")
    assert "Tea room" in copied.signoff(*words)
