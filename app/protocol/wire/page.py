"""The wire as one page of HTML: no script, nothing fetched, light and dark, fit to be printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ...content.html import PAGE_END, page_block, page_head, page_text
from ...content.json.jsonio import JsonError, pretty
from ...content.labels import stamp
from .book import WireBook
from .frames import SIGNOFF, Frame
from .rows import row_of
from .showing import Showing

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
