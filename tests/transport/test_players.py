"""Players are started as they should be, and nothing of them stays; the programs are scripts."""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from signoff.app.tui.answers.audio import NotPlayed, Player, Playing, find_player, players_for

SOUND = b"RIFF....WAVE and so on"

REPORTING = """#!/bin/sh
for last; do :; done
{ echo "arguments $*"; echo "mode $(stat -c %a "$last")"; echo "folder $(pwd)"
  echo "secret $SIGNOFF_SECRET"; echo "pulse $PULSE_SERVER"; cat "$last"; } > "$REPORT.new"
mv "$REPORT.new" "$REPORT"
"""
LASTING = """#!/bin/sh
sleep 300 &
echo $! > "$REPORT.new"
mv "$REPORT.new" "$REPORT"
wait
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Path]:
    """Put a script of this name on a PATH that has no other player."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("sh", "cat", "mv", "sleep", "stat"):
        (folder / tool).symlink_to(f"/bin/{tool}" if Path(f"/bin/{tool}").exists() else tool)
    monkeypatch.setenv("PATH", str(folder))

    def put(name: str, script: str) -> Path:
        program = folder / name
        program.write_text(script.replace("$REPORT", str(tmp_path / "report")), encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return program

    return put


class Run:
    """A run of a player, with its end."""

    def __init__(self, player: Player, mime: str = "audio/wav") -> None:
        self.statuses: list[int] = []
        self.ended = threading.Event()
        self.playing = Playing(player, SOUND, mime, self._end)

    def _end(self, status: int) -> None:
        self.statuses.append(status)
        self.ended.set()


def until(is_so: Callable[[], object]) -> None:
    end = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


def left_behind() -> list[Path]:
    temporary = Path(os.environ.get("TMPDIR", "/tmp"))
    return list(temporary.glob("signoff-sound-*"))


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)


def test_a_player_gets_the_bytes_in_a_private_file_that_goes(
    install: Callable[[str, str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNOFF_SECRET", "hunter2")
    monkeypatch.setenv("PULSE_SERVER", "here")
    program = install("ffplay", REPORTING)
    player = find_player("audio/wav")
    assert player is not None
    assert (player.name, player.path) == ("ffplay", str(program))
    run = Run(player)
    assert run.ended.wait(60)
    assert run.statuses == [0]
    lines = (tmp_path / "report").read_text(encoding="utf-8").splitlines()
    report = dict(line.split(" ", 1) for line in lines[:5])
    assert report["arguments"].startswith("-nodisp -autoexit ")
    assert " -f wav " in report["arguments"]
    assert report["arguments"].endswith("/sound.wav")
    assert report["mode"] == "600"
    assert report["folder"].startswith(str(tmp_path / "temporary" / "signoff-sound-"))
    assert report["secret"] == ""
    assert report["pulse"] == "here"
    assert "\n".join(lines[5:]).encode() == SOUND
    assert left_behind() == []


def test_stopping_ends_whatever_the_player_started(
    install: Callable[[str, str], Path], tmp_path: Path
) -> None:
    install("aplay", LASTING)
    player = find_player("audio/wav")
    assert player is not None
    run = Run(player)
    report = tmp_path / "report"
    until(report.exists)
    child = int(report.read_text(encoding="utf-8"))
    assert not run.ended.is_set()
    run.playing.stop()
    assert run.ended.wait(60)
    until(lambda: not psutil.pid_exists(child) or _is_zombie(child))
    assert len(run.statuses) == 1
    assert left_behind() == []
    run.playing.stop()


@pytest.mark.slow
def test_a_player_that_does_not_listen_is_killed(
    install: Callable[[str, str], Path], tmp_path: Path
) -> None:
    deaf = LASTING.replace("sleep 300 &", "trap '' TERM\nsleep 300 &").replace(
        "\nwait", "\nwhile :; do wait; done"
    )
    install("aplay", deaf)
    player = find_player("audio/wav")
    assert player is not None
    run = Run(player)
    until((tmp_path / "report").exists)
    run.playing.stop()
    assert run.ended.wait(60)
    assert run.statuses == [-9]


def test_who_plays_what(install: Callable[[str, str], Path]) -> None:
    assert find_player("audio/wav") is None
    assert players_for("audio/wav") == ("ffplay", "mpv", "pw-play", "paplay", "aplay", "afplay")
    assert "aplay" not in players_for("audio/mpeg")
    assert players_for("audio/midi") == ()
    install("aplay", REPORTING)
    assert find_player("audio/mpeg") is None
    assert find_player("image/png") is None
    found = find_player("audio/wav")
    assert found is not None
    assert found.name == "aplay"


def test_mpv_reads_nothing_but_the_sound(install: Callable[[str, str], Path]) -> None:
    install("mpv", REPORTING)
    found = find_player("audio/ogg")
    assert found is not None
    assert {"--no-config", "--load-scripts=no", "--ytdl=no"} < set(found.arguments)
    assert "--demuxer-lavf-format=ogg" in found.arguments
    assert found.arguments[-1] == "--"


def test_what_cannot_be_started_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(NotPlayed, match=r"(?i)no such file"):
        Playing(Player("gone", str(tmp_path / "gone")), SOUND, "audio/wav", print)
    assert left_behind() == []


def _is_zombie(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.Error:
        return True
