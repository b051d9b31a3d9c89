"""The bar names files of the server that changed on disk; a disk that hangs holds up nothing."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signoff.app.tui.main import program_look
from signoff.app.tui.main.program_look import ProgramLook
from tests.servers import raw
from tests.tui.bench_stage import NARROW, WIDE, bench_stage


class Disk:
    """A link whose look at its files waits until it may end."""

    def __init__(self, *names: str) -> None:
        self.names = names
        self.looks = 0
        self.may_end = threading.Event()

    def changed_files(self) -> tuple[str, ...]:
        self.looks += 1
        self.may_end.wait(60)
        return self.names


def until(is_so: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.002)


def test_a_look_that_hangs_is_not_waited_for_and_no_other_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(program_look, "LOOK_SECONDS", 0)
    disk, other = Disk("server.py"), Disk()
    links: list[Any] = [disk]
    look = ProgramLook(lambda: links[0])
    for _ in range(50):
        assert look.changed() == ()
    until(lambda: disk.looks)
    assert disk.looks == 1
    disk.may_end.set()
    until(lambda: look.changed() == ("server.py",))
    # What was seen of an earlier start is nothing to the next one.
    links[0] = other
    assert look.changed() == ()
    other.may_end.set()
    until(lambda: look.changed() == () and other.looks)
    look.end()
    until(lambda: not any(one.name == "program" for one in threading.enumerate()))


@pytest.mark.slow
@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_a_script_that_was_edited_is_named_until_the_restart(
    size: tuple[int, int], tmp_path: Path
) -> None:
    script = tmp_path / "server.py"
    words = raw("--only", "echo")
    code = f"import runpy, sys\nsys.argv = {words[1:]!r}\n"
    code += f"runpy.run_path({words[1]!r}, run_name='__main__')\n"
    script.write_text(code)
    command = (sys.executable, str(script))
    async with bench_stage(
        argv=command, size=size, keeps=True, command="python server.py"
    ) as stage:
        assert "changed on disk" not in stage.text
        script.write_text(code + "\n")
        await stage.sees("server.py changed on disk · shift+f5", "shift+f5 Restart")
        # In a field of the form others have the room.
        await stage.choose("echo")
        await stage.sees("shift+f5 Restart")
        await stage.press("shift+f5")
        await stage.no_longer_sees("changed on disk")
        await stage.sees("connected")
