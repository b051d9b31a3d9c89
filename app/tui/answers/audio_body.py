"""A sound that a tool answered with: what it is and how loud; it is played on request only."""

from __future__ import annotations

import contextlib
from typing import ClassVar
from weakref import WeakKeyDictionary

from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from ....widgets.pictures.waveform import WaveformView
from ...content.media.audio import SAVED_LIMIT, read_facts
from ...content.media.images import ImageRefused, decode_base64
from ...content.media.waveform import waveform
from ...content.text import visible
from ...sandbox.worker import WorkerStopped, run_limited
from ...sandbox.worker_side import WorkerLimits
from ..failures import TellsFailures
from .body import Body
from .play_dialog import PlayDialog
from .players import NotPlayed, Player, Playing, find_player, players_for

WAVEFORM_LIMITS = WorkerLimits(wall_seconds=3.0)

_agreed: WeakKeyDictionary[App[object], set[str]] = WeakKeyDictionary()
"""Programs that may be started without asking again, for each running app."""


class AudioBody(Body, TellsFailures):
    """`data_base64` and `mime` as the server sent them."""

    DEFAULT_CSS = """
    AudioBody > Static { color: $foreground-muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "play", "Play", show=False, tooltip="Play a sound, after asking, or stop it."),
    ]

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
