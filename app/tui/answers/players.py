"""Programs that play a sound: which of them is there, and one run of it.

The bytes are a server's, so a player gets no choice: wherever it can be, the kind of file is named
to it, since a playlist taken for a sound would make it open addresses of the server's choosing.
Nothing else is in its folder, nothing of the shell's secrets in its environment.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...content.mime import suffix_of
from ...platforms.processes import APART, KILL, end_group, wait_for_end
from ...transport.stdio.process import server_environment

END_SECONDS = 1.0
"""How long a player that is told to stop may take before it is killed."""

_DESKTOP = (
    *("XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"),
    *("PULSE_SERVER", "PULSE_COOKIE", "PIPEWIRE_REMOTE", "AUDIODEV", "ALSA_CONFIG_PATH"),
)
"""What a player needs to find the loudspeaker."""

_FFMPEG = {
    "audio/wav": "wav",
    "audio/mpeg": "mp3",
    "audio/ogg": "ogg",
    "audio/flac": "flac",
    "audio/mp4": "mov",
    "audio/aac": "aac",
}


@dataclass(frozen=True, slots=True)
class Player:
    """A program and its arguments before the file's name."""

    name: str
    path: str
    arguments: tuple[str, ...] = ()


def _ffplay(mime: str) -> tuple[str, ...]:
    quiet = ("-nodisp", "-autoexit", "-loglevel", "quiet", "-protocol_whitelist", "file")
    return (*quiet, "-f", _FFMPEG[mime])


def _mpv(mime: str) -> tuple[str, ...]:
    alone = ("--no-config", "--load-scripts=no", "--ytdl=no", "--access-references=no")
    kind = ("--demuxer=lavf", f"--demuxer-lavf-format={_FFMPEG[mime]}")
    return ("--no-video", "--no-terminal", *alone, *kind, "--")


def _bare(mime: str) -> tuple[str, ...]:
    return ()


_SNDFILE = frozenset({"audio/wav", "audio/ogg", "audio/flac"})

_PLAYERS: tuple[tuple[str, frozenset[str], Callable[[str], tuple[str, ...]]], ...] = (
    ("ffplay", frozenset(_FFMPEG), _ffplay),
    ("mpv", frozenset(_FFMPEG), _mpv),
    ("pw-play", _SNDFILE, _bare),
    ("paplay", _SNDFILE, _bare),
    ("aplay", frozenset({"audio/wav"}), lambda mime: ("-q",)),
    ("afplay", frozenset(_FFMPEG) - {"audio/ogg"}, _bare),
)


def find_player(mime: str) -> Player | None:
    """The first program on the PATH that plays sounds of this type, None where there is none."""
    for name, kinds, arguments in _PLAYERS:
        if mime in kinds and (path := shutil.which(name)):
            return Player(name, path, arguments(mime))
    return None


def players_for(mime: str) -> tuple[str, ...]:
    """The names of the programs that would do."""
    return tuple(name for name, kinds, _ in _PLAYERS if mime in kinds)


class NotPlayed(Exception):
    """The player could not be started; says why, in words of the system."""


class Playing:
    """One run of a player, in a process group of its own; its file goes when it ends.

    `on_end` is called once, from a thread, with the exit status (negative: the signal).

    Raises:
        NotPlayed: it could not be started; nothing is left behind.
    """

    def __init__(
        self,
        player: Player,
        data: bytes,
        mime: str,
        on_end: Callable[[int], None],
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._on_end = on_end
        self._folder = Path(tempfile.mkdtemp(prefix="signoff-sound-"))
        try:
            file = self._folder / f"sound{suffix_of(mime)}"
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                out.write(data)
            desktop = {name: os.environ[name] for name in _DESKTOP if name in os.environ}
            self._process: subprocess.Popen[bytes] = subprocess.Popen(
                [player.path, *player.arguments, str(file)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=self._folder,
                env=server_environment(desktop | dict(env or {})),
                **APART,
            )
        except OSError as problem:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise NotPlayed(problem.strerror or type(problem).__name__) from None
        self._lock = threading.Lock()
        self._is_over = False
        atexit.register(self._end_now)
        threading.Thread(target=self._watch, name="player", daemon=True).start()

    def stop(self) -> None:
        """End the player and whatever it started; does not wait for it."""
        self._signal(signal.SIGTERM)
        patience = threading.Timer(END_SECONDS, self._signal, [KILL])
        patience.daemon = True
        patience.start()

    def _end_now(self) -> None:
        self._signal(KILL)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _signal(self, number: int) -> None:
        # Until it is reaped, which the lock holds up, its group is nobody else's.
        with self._lock, contextlib.suppress(OSError):
            if self._is_over:
                return
            end_group(self._process, number)

    def _watch(self) -> None:
        wait_for_end(self._process)
        self._signal(signal.SIGTERM)
        with self._lock:
            self._is_over = True
            status = self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)
        atexit.unregister(self._end_now)
        self._on_end(status)
