"""`signoff servers wrap` on a terminal: only the word that was asked for writes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.e2e.program import signoff
from tests.e2e.terminal import Terminal

if sys.platform == "win32":
    pytest.skip("this is for POSIX", allow_module_level=True)

PROMPT = r"anything\s+else\s+writes\s+nothing:\s*\Z"


@pytest.mark.parametrize(
    ("verb", "typed", "status"),
    [
        ("wrap", "wrap\r", 0),
        ("wrap", "yes\r", 3),
        ("wrap", "unwrap\r", 3),
        ("wrap", "\x04", 3),
        ("wrap", "\x03", 130),
    ],
)
def test_only_the_word_writes(tmp_path: Path, verb: str, typed: str, status: int) -> None:
    file = tmp_path / "mcp.json"
    entry = {"command": "npx", "args": ["-y", "notes"], "env": {"TOKEN": "s3cret-s3cret"}}
    before = json.dumps({"mcpServers": {"notes": entry}}, indent=1)
    file.write_text(before, "utf-8")
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    argv = signoff("servers", verb, "cursor", "notes", "--config", str(file))
    with Terminal(argv, 200, 40, env=state, cwd=tmp_path) as terminal:
        terminal.wait_for(PROMPT)
        assert '"proxy", "--", "npx"' in terminal.text
        assert "s3cret-s3cret" not in terminal.text
        terminal.send(typed)
        assert terminal.wait_exit() == status
    assert (file.read_text("utf-8") == before) is (status != 0)
    if status == 0:
        argv = signoff("servers", "unwrap", "cursor", "notes", "--config", str(file))
        with Terminal(argv, 200, 40, env=state, cwd=tmp_path) as terminal:
            terminal.wait_for(PROMPT)
            terminal.send("unwrap\r")
            assert terminal.wait_exit() == 0
        assert file.read_text("utf-8") == before
