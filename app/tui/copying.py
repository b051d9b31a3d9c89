"""What is put on the clipboard of the terminal, and what is said of it: everywhere the same."""

from __future__ import annotations

from textual.app import App
from textual.dom import DOMNode

from ..content.text import hidden, size
from .answers.body import Copied

COPY_MAX = 1_000_000
"""Bytes that are put on a clipboard; terminals drop what is longer without a word."""
COPY_DOUBTFUL = 100_000
"""Bytes from which on some terminals ignore them."""
HIDDEN_LOOKED_AT = 200_000


def copy_out(widget: DOMNode, copied: Copied, *, otherwise: str = "") -> None:
    """Copy by OSC 52, and say what and how much, or why not.

    `otherwise` is what else can be done with a text that is too long, such as "s saves it".
    """
    app: App[object] = widget.app
    # A lone surrogate cannot be written to a terminal; it is spelt out.
    data = copied.text.encode("utf-8", "backslashreplace")
    count = len(copied.text)
    amount = f"{count:,} character{'' if count == 1 else 's'}, {size(len(data))}"
    if len(data) > COPY_MAX:
        words = f"Not copied: {amount} is too much for a clipboard by terminal"
        words += f"; {otherwise}." if otherwise else "."
        app.notify(words, severity="warning", timeout=6, markup=False)
        return
    app.copy_to_clipboard(data.decode())
    words = f"copied {copied.what}: {amount}, to the terminal's clipboard (OSC 52)"
    doubts = []
    if len(data) > COPY_DOUBTFUL:
        doubts.append("some terminals ignore so much")
    if unseen := hidden(copied.text[:HIDDEN_LOOKED_AT]):
        doubts.append(f"with characters that do not show: {', '.join(unseen[:3])}")
    if doubts:
        words = "; ".join([words, *doubts])
        app.notify(words, severity="warning", timeout=6, markup=False)
    else:
        app.notify(words, timeout=4, markup=False)
