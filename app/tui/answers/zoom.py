"""Which piece of a picture is seen, at which size: fitting, at 100 %, or anything between."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

from ...content.media.images import Crop

STEPS = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Drawn pixels a pixel of the picture."""


@dataclass(frozen=True, slots=True)
class Zoom:
    """`scale` is None while the whole picture is fitted; `x`, `y` are the middle, from 0 to 1."""

    scale: float | None = None
    x: float = 0.5
    y: float = 0.5


@dataclass(frozen=True, slots=True)
class Box:
    """A picture of `width` x `height` and the room for it, both in pixels."""

    width: int
    height: int
    room_width: int
    room_height: int

    @property
    def fitting(self) -> float:
        """The scale at which all of the picture is seen; never enlarged."""
        return min(1.0, self.room_width / self.width, self.room_height / self.height)


def scale_of(zoom: Zoom, box: Box) -> float:
    """Drawn pixels a pixel of the picture."""
    return box.fitting if zoom.scale is None else zoom.scale


def stepped(zoom: Zoom, box: Box, by: int) -> Zoom:
    """The next step larger (`by` 1) or smaller (-1); smaller than fitting is fitting."""
    now = scale_of(zoom, box)
    if by > 0:
        return replace(zoom, scale=next((one for one in STEPS if one > now * 1.001), STEPS[-1]))
    smaller = next((one for one in reversed(STEPS) if one < now * 0.999), STEPS[0])
    return Zoom() if smaller <= box.fitting else replace(zoom, scale=smaller)


def panned(zoom: Zoom, box: Box, right: int, down: int) -> Zoom:
    """Moved by a quarter of the room; no further than the edge of the picture."""
    scale = scale_of(zoom, box)
    seen_x = min(1.0, box.room_width / (box.width * scale))
    seen_y = min(1.0, box.room_height / (box.height * scale))
    return replace(
        zoom,
        x=_within(zoom.x + right * seen_x / 4, seen_x),
        y=_within(zoom.y + down * seen_y / 4, seen_y),
    )


def crop_of(zoom: Zoom, box: Box) -> Crop:
    """The piece that is seen: never empty, never outside the picture or larger than the room."""
    scale = scale_of(zoom, box)
    width = max(1, min(box.width, ceil(box.room_width / scale)))
    height = max(1, min(box.height, ceil(box.room_height / scale)))
    left = round(_within(zoom.x, width / box.width) * box.width - width / 2)
    top = round(_within(zoom.y, height / box.height) * box.height - height / 2)
    return Crop(
        max(0, min(left, box.width - width)),
        max(0, min(top, box.height - height)),
        width,
        height,
        max(1, min(box.room_width, round(width * scale))),
        max(1, min(box.room_height, round(height * scale))),
    )


def _within(middle: float, seen: float) -> float:
    return min(max(middle, seen / 2), 1 - seen / 2)
