"""Filters frames, and exports them as lines, JSON lines or a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ...content import html
from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, pretty
from ...content.labels import stamp
from ...content.text import count, visible
from .capture import line_of
from .frames import SIGNOFF, Frame
from .reading import read
from .rows import KIND_CELLS, Showing, WireBook, WireRow, row_of


def json_lines(frames: Iterable[Frame], showing: Showing) -> Iterator[bytes]:
    """One line for each."""
    for frame in frames:
        raw = showing.text(frame).encode("utf-8", "replace")
        is_cut = frame.is_cut
        safe = Frame(
            *(frame.number, frame.at, frame.tick, frame.sender, raw),
            frame.size if is_cut else len(raw),
            frame.call,
            frame.http,
            is_masked=frame.is_masked or raw != frame.raw,
        )
        yield line_of(safe) + b"\n"


_STYLE: Final = """
summary { font-family: ui-monospace, monospace; white-space: pre-wrap; padding: .15rem .3rem;
  border-bottom: 1px solid var(--line); }
p { color: var(--dim); }
.error > summary { color: var(--bad); font-weight: 600; }
a { color: inherit; }
:target > summary { outline: 2px solid var(--dim); }
"""


def wire_page(
    frames: Sequence[Frame], book: WireBook, showing: Showing, server: str
) -> Iterator[bytes]:
    """The whole page, piece by piece."""
    title = f"The wire of {server}"
    for line in html.lines(title, _STYLE, _body(title, frames, book, showing)):
        yield f"{line}\n".encode()


def _body(title: str, frames: Sequence[Frame], book: WireBook, showing: Showing) -> Iterator[str]:
    first = stamp(frames[0].at) if frames else ""
    yield html.element("h1", html.text(title))
    shown = count(len(frames), "message")
    yield (
        f"<p>{shown} from {html.text(first)} on; → to the server, ← from it."
        " Secrets are masked.</p>"
    )
    listed = {frame.number for frame in frames}
    for frame in frames:
        yield _frame(frame, book, showing, listed)


def _frame(frame: Frame, book: WireBook, showing: Showing, listed: set[int]) -> str:
    row = row_of(frame, book, showing)
    facts = "  ".join(
        html.text(one)
        for one in (row.id and f"id {row.id}", row.size, row.latency, row.call)
        if one
    )
    head = f"{row.time} {row.arrow} {row.kind:<{KIND_CELLS}}"
    summary = f"{html.text(head)} {html.text(row.what)}  <small>{facts}</small>"
    parts = []
    other = book.partner(frame)
    if other is not None and other.number in listed:
        word = "response" if other.number > frame.number else "related message"
        link = f"{word}: message {other.number:,}"
        parts.append(html.element("p", html.element("a", link, href=f"#m{other.number}")))
    if frame.http is not None:
        headers = [f"{name}: {value}" for name, value in frame.http.headers]
        parts.append(html.quote("\n".join([frame.http.words, *headers])))
    if not frame.is_http_only and frame.sender != SIGNOFF:
        parts.append(html.quote(_message(frame, showing)))
    return html.details(summary, parts, "error" if row.is_error else "", id=f"m{frame.number}")


def _message(frame: Frame, showing: Showing) -> str:
    try:
        return pretty(showing.value(frame))
    except JsonError:
        return showing.text(frame)


def plain_line(row: WireRow) -> str:
    """One line: number, time, arrow, kind, subject, and further facts."""
    identity = f"id {visible(row.id)}" if row.id else ""
    facts = [one for one in (identity, row.size, row.latency, row.call) if one]
    sign = "!" if row.is_error else " "
    head = f"{row.number:>6} {row.time} {row.arrow} {sign} {row.kind:<{KIND_CELLS}}"
    tail = f"  ({', '.join(facts)})" if facts else ""
    return f"{head} {visible(row.what)}{tail}"


HINT = "/ words, method: call: from: error"


@frozen
class WireFilter:
    """Conditions on frames; an empty one accepts all."""

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
        """True if a frame is wanted."""
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
    """Parse a filter. Raises ValueError, in words of our own, for an invalid one."""
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
                raise ValueError("call: needs the number of a call (example: call:3)")
            call = int(value or 0)
        elif colon and name == "from":
            if not any(known.startswith(value) for known in ("server", "client", SIGNOFF)):
                raise ValueError("from: must be server, client or signoff")
            whole = [known for known in ("server", "client", SIGNOFF) if known == value]
            sender = whole[0] if whole else ""
        else:
            words.append(one.removeprefix("text:").lower().encode("utf-8", "replace"))
    return WireFilter(tuple(words), method, call, sender, is_error)
