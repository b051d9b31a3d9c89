"""Which frames are wanted, as a person types it: words, or `method:`, `call:`, `from:`, `error`."""

from __future__ import annotations

from dataclasses import dataclass

from .book import WireBook
from .frames import SIGNOFF, Frame
from .reading import read

HINT = "/ words, method: call: from: error"


@dataclass(frozen=True, slots=True)
class WireFilter:
    """What a frame must be; an empty one wants all."""

    words: tuple[bytes, ...] = ()
    """In lower case; all of them have to be in the message."""
    method: str = ""
    call: int = 0
    sender: str = ""
    is_error: bool = False

    @property
    def is_empty(self) -> bool:
        return self == WireFilter()

    def matches(self, frame: Frame, book: WireBook) -> bool:
        """Whether a frame is wanted."""
        if self.sender and frame.sender != self.sender:
            return False
        if self.call and book.call_of(frame) != self.call:
            return False
        if self.is_error and not read(frame).is_error:
            return False
        if self.method and self.method not in book.method_of(frame).casefold():
            return False
        if not self.words:
            return True
        lowered = frame.raw.lower()
        return all(word in lowered for word in self.words)


def read_filter(text: str) -> WireFilter:
    """Raises ValueError, in words of our own, for what makes no sense."""
    words: list[bytes] = []
    method, call, sender, is_error = "", 0, "", False
    for one in text.split():
        name, colon, value = one.partition(":")
        if one == "error":
            is_error = True
        elif colon and name == "method":
            method = value.casefold()
        elif colon and name == "call":
            if value and not (value.isascii() and value.isdigit() and len(value) < 10):
                raise ValueError("call: wants the number of a call, as in call:3")
            call = int(value or 0)
        elif colon and name == "from":
            if not any(known.startswith(value) for known in ("server", "client", SIGNOFF)):
                raise ValueError("from: wants server, client or signoff")
            whole = [known for known in ("server", "client", SIGNOFF) if known == value]
            sender = whole[0] if whole else ""
        else:
            words.append(one.removeprefix("text:").lower().encode("utf-8", "replace"))
    return WireFilter(tuple(words), method, call, sender, is_error)
