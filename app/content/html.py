"""Begin and end of every HTML page that Signoff writes, and escaping of texts in it.

A page is handed on and opened far from here, with texts of a server in it: it has no script, it
fetches nothing, and its content security policy says so to the browser. Pure.
"""

from __future__ import annotations

from html import escape
from typing import Final

from .text import visible

INDENTATION_MAX: Final = 80
"""More blanks before a line would hide its end on a narrow page."""
PAGE_END: Final = ("</body>", "</html>")


def page_head(title: str, style: str, *, pictures: bool = False) -> tuple[str, ...]:
    """The lines up to the heading, which says the title; `pictures` that stand in the page itself
    are let through on demand."""
    images = " img-src data:;" if pictures else ""
    policy = f"default-src 'none';{images} style-src 'unsafe-inline'"
    return (
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{page_text(title)}</title>",
        f"<style>\n{style.strip()}\n</style>",
        "</head>",
        "<body>",
    )


def page_text(text: str) -> str:
    """One line of any text, sanitised, as HTML."""
    return escape(visible(text))


def page_block(text: str) -> str:
    """A text of several lines, each sanitised behind its indentation, as HTML."""
    return "\n".join(map(_indented, text.split("\n")))


def _indented(line: str) -> str:
    words = line.lstrip(" ")
    blanks = len(line) - len(words)
    return " " * blanks + page_text(words) if blanks <= INDENTATION_MAX else page_text(line)
