"""Several servers in one terminal: agreed to one by one, used, lost, and ended together."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.e2e.program import QUIT, signoff
from tests.e2e.terminal import Terminal, processes_alive
from tests.e2e.test_configured_start import agree
from tests.servers import pids, raw

if sys.platform == "win32":
    pytest.skip("this is for POSIX", allow_module_level=True)

pytestmark = pytest.mark.slow


def config(folder: Path) -> Path:
    """A file with a good server, one that dies soon, and one that never answers."""
    servers = {}
    for name, switches in {
        "good": ("--only", "read_thing,delete_thing"),
        "dies": ("--only", "read_thing", "--crash-after", "2"),
        "silent": ("--list-never",),
    }.items():
        words = raw(*switches, "--pid-file", str(folder / f"{name}.pid"))
        servers[name] = {"command": words[0], "args": words[1:]}
    file = folder / "servers.json"
    file.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    return file


def test_each_is_agreed_to_and_one_that_is_lost_holds_no_other_up(tmp_path: Path) -> None:
    file = config(tmp_path)
    home = tmp_path / "home"
    home.mkdir()
    argv = signoff("--all", "--config", str(file), "--no-audit")
    with Terminal(argv, 80, 24, env={"XDG_STATE_HOME": str(home)}, cwd=tmp_path) as terminal:
        agree(terminal, "Start 3 servers")
        terminal.wait_for(r"All servers  3 servers")
        terminal.wait_for(lambda text: "✗ dies" in text and "2 tools" in text)
        # The good one is gone to, and calls.
        terminal.send("good delete")
        terminal.wait_for(lambda text: "read_thing" not in text and "delete_thing" in text)
        terminal.press("enter")
        terminal.wait_for(r"╭─ delete_thing\b")
        terminal.press("f5")
        terminal.wait_for("Approve this call")
        terminal.wait_for(lambda text: "Approve once" in text and "moment" not in text)
        terminal.press("escape")
        terminal.wait_for("denied")
        servers = [pids(tmp_path / f"{name}.pid")["server"][-1] for name in ("good", "silent")]
        terminal.press(QUIT)
        assert terminal.wait_exit() == 0
    assert not processes_alive(servers)


def test_without_any_consent_nothing_starts(tmp_path: Path) -> None:
    file = config(tmp_path)
    argv = signoff("--all", "--config", str(file), "--no-memory", "--no-audit")
    with Terminal(argv, 80, 40, cwd=tmp_path) as terminal:
        terminal.wait_for("Start 3 servers")
        terminal.wait_for(lambda text: "moment" not in text)
        terminal.press("enter")
        assert terminal.wait_exit() == 3
    assert not list(tmp_path.glob("*.pid"))
