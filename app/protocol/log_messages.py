"""Log messages of a server: their levels, and each as a line that can be kept and shown.

Spec 2025-11-25, server/utilities/logging: a level of RFC 5424, perhaps a logger, any JSON as data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..content.frozen import frozen
from ..content.text import cut, shortened, visible

if TYPE_CHECKING:
    # The command line knows the levels, and the server is started before anything else is there.
    from collections.abc import Iterable

    from ..content.json.jsonio import JsonValue

LEVELS: Final = (
    *("debug", "info", "notice", "warning"),
    *("error", "critical", "alert", "emergency"),
)
"""From the least to the worst."""
TEXT_MAX: Final = 2_000
_NAME_MAX: Final = 80
_NAME_CELLS: Final = 40


@frozen
class LogMessage:
    """One message, cut; `logger` and `text` are raw and belong through the sanitiser."""

    level: str
    """One of LEVELS, or what came in its place, safe to show."""
    logger: str
    text: str
    is_cut: bool = False

    @property
    def line(self) -> str:
        """Level, logger and text as one line that is safe to show."""
        logger = f"{visible(self.logger)}: " if self.logger else ""
        return f"{self.level:<9} {logger}{visible(self.text)}{'…' if self.is_cut else ''}"

    def reaches(self, least: str) -> bool:
        """True if it is of the level `least` or worse, or of none of ours."""
        if least not in LEVELS or self.level not in LEVELS:
            return True
        return LEVELS.index(self.level) >= LEVELS.index(least)

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "level": self.level,
            "logger": self.logger or None,
            "text": self.text,
            "cut": self.is_cut,
        }


def loggers_of(messages: Iterable[LogMessage]) -> tuple[str, ...]:
    """The raw names of the loggers, each once and sorted; an empty one for messages without."""
    return tuple(sorted({one.logger for one in messages}))


def logger_words(logger: str) -> str:
    """Name the messages of a logger, in words that are safe to show."""
    return f"of the logger “{shortened(logger, _NAME_CELLS)}”" if logger else "without a logger"


def read_message(level: JsonValue, logger: JsonValue, data: JsonValue) -> LogMessage:
    """A message as it came; data other than a string is written as JSON."""
    text = cut(data if isinstance(data, str) else _written(data), TEXT_MAX)
    named = cut(logger, _NAME_MAX).text if isinstance(logger, str) else ""
    return LogMessage(_level(level), named, text.text, text.is_cut)


def _level(level: JsonValue) -> str:
    if isinstance(level, str):
        return level if level in LEVELS else visible(cut(level, 20).text) or "(none)"
    return "(none)"


def _written(data: JsonValue) -> str:
    """As much of the JSON text as is kept; the rest is not even made."""
    import json

    pieces, length = [], 0
    for piece in json.JSONEncoder(ensure_ascii=False).iterencode(data):
        pieces.append(piece[: TEXT_MAX + 1])
        length += len(piece)
        if length > TEXT_MAX:
            break
    return "".join(pieces)
