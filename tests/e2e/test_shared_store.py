"""Two Signoffs that share one state folder."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from signoff.app.approval.grants import Scope
from tests.cli.running import run
from tests.e2e.program import quit_program
from tests.e2e.shifting import TOOL, Folder, approve_by_chord, deny


def test_what_is_remembered_in_one_counts_in_the_other_until_it_is_revoked(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    with folder.program() as one, folder.program() as other:
        one.ask()
        one.remember("tool, for 1 day")
        approve_by_chord(one.terminal)
        one.ended("answered")
        (grant,) = folder.grants()
        assert grant.scope is Scope.UNTIL

        other.call()
        other.ended("answered")
        other.answered_with("approved by .*remembered approval")
        (used,) = folder.grants()
        assert (used.id, used.uses) == (grant.id, 1)

        revoked = run(tmp_path, "grants", "revoke", str(grant.id))
        assert (revoked.status, revoked.stdout) == (0, f"approval {grant.id} is forgotten\n")
        for program in (one, other):
            program.ask()
            deny(program.terminal)
            program.ended("denied by you")
        assert [call["tool"] for call in folder.calls] == [TOOL, TOOL]

        one.ask()
        one.remember("this tool, this session")
        approve_by_chord(one.terminal)
        one.ended("answered")
        other.ask()
        deny(other.terminal)
        other.ended("denied by you")
        (grant,) = folder.grants()
        assert (grant.tool, grant.scope, grant.uses) == (TOOL, Scope.SESSION, 0)
        assert quit_program(other.terminal) == 0
        assert folder.grants() == [grant]
        assert quit_program(one.terminal) == 0
    assert folder.grants() == []
    assert run(tmp_path, "grants", "list").stdout == "nothing is remembered\n"
    assert run(tmp_path, "audit", "verify").status == 0, "two have written one chain"


def test_what_was_for_a_session_is_gone_when_it_was_killed(tmp_path: Path) -> None:
    if sys.platform == "win32":
        raise NotImplementedError
    folder = Folder(tmp_path)
    with folder.program() as killed:
        killed.ask()
        killed.remember("this tool, this session")
        approve_by_chord(killed.terminal)
        killed.ended("answered")
        assert len(folder.grants()) == 1
        killed.terminal.signal(signal.SIGKILL)
        killed.terminal.wait_exit()
    assert folder.grants() == []
