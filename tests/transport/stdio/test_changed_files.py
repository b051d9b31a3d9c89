"""Which files of a server's program are seen to have changed on disk since its start."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from signoff.app.transport.stdio.program import Program


def overwritten(script: Path) -> None:
    script.write_text("pass\n\n")


def replaced(script: Path) -> None:
    """As most editors save: another file takes the name."""
    other = script.with_suffix(".new")
    other.write_text("pass\n")
    os.replace(other, script)


def touched(script: Path) -> None:
    os.utime(script, ns=(1, 1))


def removed(script: Path) -> None:
    script.unlink()


def other_rights(script: Path) -> None:
    script.chmod(0o600)


@pytest.mark.parametrize(
    ("change", "is_seen"),
    [
        (overwritten, True),
        (replaced, True),
        (touched, True),
        (removed, False),
        (other_rights, False),
    ],
)
def test_what_counts_as_a_change(
    change: Callable[[Path], None], is_seen: bool, tmp_path: Path
) -> None:
    script = tmp_path / "server.py"
    script.write_text("pass\n")
    program = Program([sys.executable, "-u", str(script)], dict(os.environ))
    program.looked_at(b"k" * 32, {})
    assert program.changed_files() == ()
    change(script)
    assert program.changed_files() == (("server.py",) if is_seen else ())
    program.close()
    assert program.changed_files() == (("server.py",) if is_seen else ())


def test_a_link_that_leads_elsewhere_a_program_and_its_folder(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("it needs links and a first line")
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text("pass\n")
    link = tmp_path / "server.py"
    link.symlink_to("one.py")
    tool = tmp_path / "tool"
    tool.write_text(f"#!{sys.executable}\npass\n")
    tool.chmod(0o755)
    linked = Program([sys.executable, "server.py"], dict(os.environ), str(tmp_path))
    itself = Program(["./tool", "other.py"], dict(os.environ), str(tmp_path))
    assert linked.changed_files() == itself.changed_files() == ()
    link.unlink()
    link.symlink_to("two.py")
    overwritten(tool)
    assert linked.changed_files() == ("server.py",)
    assert itself.changed_files() == ("tool",)


@pytest.mark.parametrize("argv", [["-m", "json"], ["-c", "pass"], ["no_such_file.py"]])
def test_a_command_that_names_no_file_is_the_interpreter_alone(argv: list[str]) -> None:
    program = Program([sys.executable, *argv], dict(os.environ))
    assert program.changed_files() == ()
    program.close()
