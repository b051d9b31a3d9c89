"""Has a picture decoded in the worker for a view: one wish at a time, the newest one next."""

from __future__ import annotations

from collections.abc import Callable

from ....widgets.pictures.image_view import ImageView
from ...content.media.images import ImageRefused, Pixels, Wish, decode_frames, decode_wish
from ...sandbox.worker import WorkerStopped, run_limited
from ...sandbox.worker_side import WorkerLimits

RENDER_LIMITS = WorkerLimits(wall_seconds=2.0)
SIXEL_LIMITS = WorkerLimits(wall_seconds=5.0, cpu_seconds=4.0)
"""Choosing colours and writing them out comes on top of decoding."""
PLAY_LIMITS = WorkerLimits(wall_seconds=6.0, cpu_seconds=4.0)


class ImageReading:
    """The decoding of one picture. A run is never broken off for a newer wish: that would cost the
    worker process, and keys that repeat would never see a picture.
    """

    def __init__(
        self, view: ImageView, data_base64: str, *, on_read: Callable[[Pixels], None] | None = None
    ) -> None:
        self.view = view
        self._data = data_base64
        self._on_read = on_read
        self._wish: Wish | None = None
        self._wanted: Wish | None = None
        self._is_busy = False

    async def read(self, wish: Wish) -> None:
        """Show the picture as wished for, or why there is none."""
        self._wanted = wish
        if self._is_busy:
            return
        self._is_busy = True
        try:
            while (wanted := self._wanted) is not None:
                self._wanted = None
                await self._read(wanted)
        finally:
            self._is_busy = False

    async def _read(self, wish: Wish) -> None:
        self._wish = wish
        limits = SIXEL_LIMITS if wish.form == "sixel" else RENDER_LIMITS
        try:
            pixels = await run_limited(decode_wish, self._data, wish, limits=limits)
        except (ImageRefused, WorkerStopped) as problem:
            self.view.refuse(problem.reason)
            return
        self.view.show(pixels)
        if self._on_read is not None:
            self._on_read(pixels)

    async def play(self) -> str:
        """Play the frames; what is missing of them in words, "" where nothing is."""
        wish = self._wish
        if wish is None:
            return ""
        try:
            found = await run_limited(decode_frames, self._data, wish, limits=PLAY_LIMITS)
        except (ImageRefused, WorkerStopped) as problem:
            return f"not played: {problem.reason}"
        if len(found.frames) < 2:
            return "not played: there is one frame only"
        self.view.play(found.frames, found.seconds)
        return f"the first {len(found.frames)} frames only" if found.is_cut else ""
