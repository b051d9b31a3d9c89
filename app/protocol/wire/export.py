"""Filters frames, and exports them as lines, JSON lines or a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ...content.html import PAGE_END, page_block, page_head, page_text
from ...content.json.jsonio import JsonError, pretty
from ...content.labels import stamp
from ...content.text import visible
from .book import WireBook
from .capture import line_of
from .frames import SIGNOFF, Frame
from .reading import read
from .rows import Showing, WireRow, row_of


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
        )
        yield line_of(safe) + b"\n"


_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1c2128; --paper: #fff; --dim: #57606a; --line: #d0d7de;
  --error: #a40e26; --box: #f6f8fa; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --dim: #8d96a0;
  --line: #30363d; --error: #ff9492; --box: #161b22; } }
body { font: 14px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
summary { font-family: ui-monospace, monospace; white-space: pre-wrap; cursor: pointer;
  overflow-wrap: anywhere; padding: .15rem .3rem; border-bottom: 1px solid var(--line); }
summary small, p { color: var(--dim); }
pre { background: var(--box); border: 1px solid var(--line); padding: .6rem; overflow: auto;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.error > summary { color: var(--error); font-weight: 600; }
a { color: inherit; }
:target > summary { outline: 2px solid var(--dim); }
"""


def wire_page(
    frames: Sequence[Frame], book: WireBook, showing: Showing, server: str
) -> Iterator[bytes]:
    """The whole page, piece by piece."""
    title = f"The wire of {server}"
    first = stamp(frames[0].at) if frames else ""
    yield "\n".join(
        [
            *page_head(title, _STYLE),
            f"<h1>{page_text(title)}</h1>",
            f"<p>{len(frames):,} messages from {page_text(first)} on; → to the server, ← from it."
            " Secrets are masked.</p>\n",
        ]
    ).encode()
    listed = {frame.number for frame in frames}
    for frame in frames:
        yield _frame(frame, book, showing, listed).encode()
    yield "\n".join([*PAGE_END, ""]).encode()


def _frame(frame: Frame, book: WireBook, showing: Showing, listed: set[int]) -> str:
    row = row_of(frame, book, showing)
    facts = "  ".join(
        page_text(one)
        for one in (row.id and f"id {row.id}", row.size, row.latency, row.call)
        if one
    )
    head = f"{row.time} {row.arrow} {row.direction} {row.kind:<9}"
    summary = f"{page_text(head)} {page_text(row.what)}  <small>{facts}</small>"
    parts = []
    other = book.partner(frame)
    if other is not None and other.number in listed:
        word = "the answer" if other.number > frame.number else "what it belongs to"
        parts.append(f'<p><a href="#m{other.number}">{word}: message {other.number:,}</a></p>')
    if frame.http is not None:
        headers = [f"{name}: {value}" for name, value in frame.http.headers]
        parts.append(f"<pre>{page_block(chr(10).join([frame.http.words, *headers]))}</pre>")
    if not frame.is_http_only and frame.sender != SIGNOFF:
        parts.append(f"<pre>{page_block(_body(frame, showing))}</pre>")
    kind = ' class="error"' if row.is_error else ""
    inside = "".join(parts)
    return f'<details id="m{frame.number}"{kind}><summary>{summary}</summary>{inside}</details>\n'


def _body(frame: Frame, showing: Showing) -> str:
    try:
        return pretty(showing.value(frame))
    except JsonError:
        return showing.text(frame)


def plain_line(row: WireRow) -> str:
    """One line: number, time, direction, kind, subject, and further facts."""
    identity = f"id {visible(row.id)}" if row.id else ""
    facts = [one for one in (identity, row.size, row.latency, row.call) if one]
    sign = "!" if row.is_error else " "
    head = f"{row.number:>6} {row.time} {row.arrow} {row.direction:<4} {sign} {row.kind:<9}"
    tail = f"  ({', '.join(facts)})" if facts else ""
    return f"{head} {visible(row.what)}{tail}"


HINT = "/ words, method: call: from: error"


@dataclass(frozen=True, slots=True)
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
