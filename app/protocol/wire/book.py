"""Indexes the frames of a log: requests with their responses, and frames of calls."""

from __future__ import annotations

from collections.abc import Sequence

from .frames import BEGAN, CLIENT, SERVER, SIGNOFF, Frame, FrameLog, Kind
from .reading import Id, key_of, messages_of, read

AT_ONCE = 1_000
"""Frames that are read in before the rest of the program gets its turn."""

_Key = tuple[str, bool, Id]


class WireBook:
    """Reads a log in as it grows. For one reader, which calls `update` now and then."""

    def __init__(self, log: FrameLog) -> None:
        self._log = log
        self._frames: list[Frame] = []
        self._seen = 0
        self._asked: dict[_Key, int] = {}
        """The newest request of each side under an id, on this connection."""
        self._partners: dict[int, int] = {}
        self._about: dict[int, int] = {}
        self._calls: dict[int, int] = {}

    @property
    def frames(self) -> Sequence[Frame]:
        """Those that are kept and were read in, oldest first."""
        return self._frames

    @property
    def first(self) -> int:
        """The number of the oldest."""
        return self._frames[0].number if self._frames else self._seen + 1

    @property
    def seen(self) -> int:
        """The number of the newest that was read in."""
        return self._seen

    @property
    def is_behind(self) -> bool:
        """True if there is more to read in."""
        return self._seen < self._log.count

    def update(self, most: int = AT_ONCE) -> list[Frame]:
        """Read new frames, up to a number; returns them. Dropped frames are forgotten."""
        if not self.is_behind:
            return []
        new = self._log.since(self._seen, most)
        if new and new[0].number > self._seen + 1:
            # What came between was gone before it was read in, and so is all before it.
            self._forget(new[0].number)
        for frame in new:
            self._frames.append(frame)
            for message in messages_of(frame):
                self._link(message)
        self._seen = new[-1].number if new else self._log.count
        self._forget(self._log.first)
        return new

    def at(self, number: int) -> Frame | None:
        """The frame of that number, while it is kept."""
        index = number - self.first
        return self._frames[index] if 0 <= index < len(self._frames) else None

    def partner(self, frame: Frame) -> Frame | None:
        """The answer to a request, or the request that an answer or a notification is about."""
        number = frame.number
        return self.at(self._partners.get(number) or self._about.get(number, 0))

    def latency(self, frame: Frame) -> float | None:
        """Seconds between a request and its response, for either frame; None without a response."""
        other = self.at(self._partners.get(frame.number, 0))
        return None if other is None else abs(other.tick - frame.tick)

    def call_of(self, frame: Frame) -> int:
        """The number of the call that a frame belongs to; 0 for none."""
        return frame.call or self._calls.get(frame.number, 0)

    def method_of(self, frame: Frame) -> str:
        """The method of a message; of an answer or a status, that of its request. Raw."""
        own = read(frame).method
        if own:
            return own
        other = self.partner(frame)
        return "" if other is None else read(other).method

    def _link(self, frame: Frame) -> None:
        found, number = read(frame), frame.number
        if frame.sender == SIGNOFF:
            if frame.raw.startswith(BEGAN.encode()):
                self._asked.clear()
            return
        other = SERVER if frame.sender == CLIENT else CLIENT
        if found.kind is Kind.REQUEST and found.id is not None:
            self._asked[(frame.sender, *key_of(found.id))] = number
            return
        if found.kind in (Kind.ANSWER, Kind.ERROR) and found.id is not None:
            asked = self._asked.get((other, *key_of(found.id)), 0)
            if asked:
                # A line with several messages goes with the first request that it answers.
                self._partners.setdefault(number, asked)
                self._partners.setdefault(asked, number)
        else:
            identity = found.about if found.about is not None else found.id
            if identity is None:
                return
            side = frame.sender if found.method.endswith("/cancelled") else CLIENT
            asked = self._asked.get((side, *key_of(identity)), 0)
            if asked:
                self._about[number] = asked
        request = self.at(asked) if asked else None
        if request is not None and (call := self.call_of(request)):
            self._calls[number] = call

    def _forget(self, first: int) -> None:
        gone = max(0, first - self.first)
        for frame in self._frames[:gone]:
            for kept in (self._partners, self._about, self._calls):
                kept.pop(frame.number, None)
            found = read(frame)
            if found.kind is Kind.REQUEST and found.id is not None:
                key = (frame.sender, *key_of(found.id))
                if self._asked.get(key) == frame.number:
                    del self._asked[key]
        del self._frames[:gone]
