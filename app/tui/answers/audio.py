"""Audio parts of a result: facts, loudness, and playing in an external player on request.

Starting a player needs approval, once a session for each program.

The bytes are a server's, so a player gets no choice: wherever possible, the kind of file is named
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
from pathlib import Path
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from textual import on
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from ....widgets.bindings import bindings_of
from ....widgets.images.image_view import WaveformView
from ...content.frozen import frozen
from ...content.media.audio import SAVED_LIMIT, read_facts, waveform
from ...content.media.images import ImageRefused, decode_base64
from ...content.mime import suffix_of
from ...content.text import visible
from ...platforms.files import why
from ...platforms.processes import APART, KILL, end_group, wait_for_end
from ...sandbox.worker import WorkerStopped, run_limited
from ...sandbox.worker_side import WorkerLimits
from ...transport.stdio.process import server_environment
from ..approving.two_buttons import TwoButtonDialog
from ..base.failures import TellsFailures
from .body import Body


class PlayDialog(TwoButtonDialog):
    """`about` describes the sound, `program` is the path of the player.

    `guard`: keyword arguments of TwoButtonDialog.
    """

    def __init__(self, about: str, program: str, **guard: Any) -> None:
        super().__init__("Play this sound?", "Do not play", "Play", **guard)
        self._about = about
        self._program = program

    def sheet(self) -> Content:
        return Content.assemble(
            "This sound comes from the server; its player cannot check it.\n\n",
            ("sound    ", "$foreground 60%"),
            self._about,
            ("\nprogram  ", "$foreground 60%"),
            (visible(self._program), "bold"),
            "\n         gets a copy of it; later sounds play without asking this session",
        )


END_SECONDS = 1.0
"""Seconds in which a player may stop before it is killed."""

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


@frozen
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
    """The first program on the PATH that plays sounds of this type, None if there is none."""
    for name, kinds, arguments in _PLAYERS:
        if mime in kinds and (path := shutil.which(name)):
            return Player(name, path, arguments(mime))
    return None


def players_for(mime: str) -> tuple[str, ...]:
    """The names of the programs that would do."""
    return tuple(name for name, kinds, _ in _PLAYERS if mime in kinds)


class NotPlayed(Exception):
    """The player could not be started; the text gives the system's reason."""


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
            raise NotPlayed(why(problem)) from None
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
        # Its group id cannot be reused before it is reaped, which the lock delays.
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


WAVEFORM_LIMITS = WorkerLimits(wall_seconds=3.0)

_agreed: WeakKeyDictionary[App[object], set[str]] = WeakKeyDictionary()
"""Programs that may be started without asking again, for each running app."""


class AudioBody(Body, TellsFailures):
    """`data_base64` and `mime` as the server sent them."""

    DEFAULT_CSS = """
    AudioBody > Static { color: $foreground-muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("part: sound")

    def __init__(self, data_base64: str, mime: str) -> None:
        super().__init__()
        self._data = data_base64
        self._facts = read_facts(data_base64, mime)
        self._loudness = ""
        self._playing: Playing | None = None
        self._run: object = None
        self._is_asking = False

    @property
    def words(self) -> str:
        return self._facts.words

    def compose(self) -> ComposeResult:
        if self._facts.header.samples:
            yield WaveformView()
        if self._facts.is_sound:
            yield Static(classes="state", markup=False)

    def on_mount(self) -> None:
        self._tell()

    def on_unmount(self) -> None:
        self._stop()

    def action_play(self) -> None:
        """Play it, after asking once, or stop it."""
        if self._playing is not None:
            self._stop()
            return
        facts = self._facts
        if not facts.is_sound or self._is_asking:
            return
        player = find_player(facts.found)
        if player is None:
            names = ", ".join(players_for(facts.found)) or "none that Signoff knows"
            self._tell(f"nothing here plays it; these would: {names}")
        elif player.path in _agreed.setdefault(self.app, set()):
            self._play(player)
        else:
            self._is_asking = True
            self.app.push_screen(
                PlayDialog(facts.words, player.path), lambda is_yes: self._answer(player, is_yes)
            )

    def _answer(self, player: Player, is_yes: bool | None) -> None:
        self._is_asking = False
        if is_yes:
            _agreed.setdefault(self.app, set()).add(player.path)
            if self.is_attached:
                self._play(player)

    def _play(self, player: Player) -> None:
        data = self._bytes()
        if data is None:
            return
        app, run = self.app, object()

        def on_end(status: int) -> None:
            # From a thread, and perhaps after the program has ended.
            with contextlib.suppress(Exception):
                app.call_later(self._ended, run, player.name, status)

        self._run = run
        try:
            self._playing = Playing(player, data, self._facts.found, on_end)
        except NotPlayed as problem:
            self._tell(f"{player.name} could not be started: {visible(str(problem))}")
        else:
            self._tell(f"playing with {player.name}, p stops")

    def _ended(self, run: object, name: str, status: int) -> None:
        if self._run is run and self._playing is not None:
            self._playing = None
            self._tell(f"{name} ended with status {status}" if status else "")

    def _stop(self) -> None:
        playing, self._playing = self._playing, None
        if playing is not None:
            playing.stop()
            self._tell()

    def _bytes(self) -> bytes | None:
        try:
            return decode_base64(self._data, SAVED_LIMIT)
        except ImageRefused:
            return None

    def _tell(self, words: str = "") -> None:
        asks = "" if _agreed.get(self.app) else ", after asking"
        pieces = [self._loudness, words or f"p plays it{asks}"]
        for state in self.query(".state").results(Static):
            state.update(Content("  ".join(piece for piece in pieces if piece)))

    @on(WaveformView.Wanted)
    def _wanted(self, message: WaveformView.Wanted) -> None:
        message.stop()
        self.run_worker(
            self._draw(message.view, message.columns),
            group="waveform",
            exclusive=True,
            exit_on_error=False,
        )

    async def _draw(self, view: WaveformView, columns: int) -> None:
        try:
            found = await run_limited(waveform, self._data, columns, limits=WAVEFORM_LIMITS)
        except (ImageRefused, WorkerStopped) as problem:
            self._loudness = f"no waveform: {problem.reason}"
        else:
            self._loudness = found.words
            view.show(found.peaks)
        self._tell("" if self._playing is None else "playing, p stops")
