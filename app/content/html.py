"""HTML of the pages that Signoff writes: escaping, elements, and the page around them.

A page is sent to others and opened elsewhere, with texts of a server in it: it has no script, it
fetches nothing, and its content security policy makes the browser enforce that. Parameters called
`raw` or `words` are any text and made safe here; all others are HTML already. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Final

from .text import PRINTED_BLANKS, visible

INDENTATION_MAX: Final = 80
"""More blanks before a line would hide its end on a narrow page."""
_STYLE: Final = Path(__file__).with_name("page.css")
"""The style sheet of all pages; the rules of a single page follow it."""


def page(title: str, style: str, body: Iterable[str], *, pictures: bool = False) -> str:
    """The whole page; its title is any text."""
    return "".join(f"{line}\n" for line in lines(title, style, body, pictures=pictures))


def lines(title: str, style: str, body: Iterable[str], *, pictures: bool = False) -> Iterator[str]:
    """The lines of a page, one after another; `pictures` allows embedded images."""
    images = " img-src data:;" if pictures else ""
    policy = f"default-src 'none';{images} style-src 'unsafe-inline'"
    yield "<!doctype html>"
    yield '<html lang="en">'
    yield "<head>"
    yield '<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield element("title", text(title))
    yield f"<style>\n{_STYLE.read_text(encoding='utf-8')}{style.strip()}\n</style>"
    yield "</head>"
    yield "<body>"
    yield from body
    yield "</body>"
    yield "</html>"


_IN_ANCHORS: Final = re.compile(r"[^A-Za-z0-9@:/=,.+_-]")
_ANCHOR_MAX: Final = 200


def anchor(raw: str) -> str:
    """The id of an element for a name: the name itself, if it is short and plain.

    Else a digest is part of it, so that no two names share an id.
    """
    plain = _IN_ANCHORS.sub("_", raw)[:_ANCHOR_MAX]
    if plain == raw:
        return raw
    return f"{plain}-{sha256(raw.encode(errors='surrogatepass')).hexdigest()[:12]}"


def text(raw: str) -> str:
    """One line of any text, sanitised, as HTML."""
    return escape(visible(raw))


def block(raw: str) -> str:
    """A text of several lines, each sanitised behind its indentation, as HTML."""
    return "\n".join(map(_indented, raw.split("\n")))


def _indented(line: str) -> str:
    words = line.lstrip(" ")
    blanks = len(line) - len(words)
    if blanks > INDENTATION_MAX:
        return text(line)
    return " " * blanks + escape(visible(words, max_blanks=PRINTED_BLANKS))


def element(tag: str, inside: str = "", *, role: str = "", **attributes: str) -> str:
    """One element; `role` is its class, an attribute without a value is left out."""
    given = "".join(
        f' {name}="{value}"' for name, value in {"class": role, **attributes}.items() if value
    )
    return f"<{tag}{given}>{inside}</{tag}>"


def paragraph(words: str, role: str = "") -> str:
    """A paragraph of a text."""
    return element("p", text(words), role=role)


def code(words: str) -> str:
    """A name or a command, among other words."""
    return element("code", text(words))


def quote(raw: str) -> str:
    """A text as it is, line by line."""
    return element("pre", block(raw))


def word(words: str, role: str) -> str:
    """A word on the colour of its role; one of `page.css`, or of the page's own style."""
    return element("span", text(words), role=f"word {role}")


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """A list of names with a text for each, both of them any text."""
    inside = "".join(
        f"{element('dt', text(name))}{element('dd', text(words))}\n" for name, words in rows
    )
    return element("dl", f"\n{inside}")


def row(cells: Iterable[str], *, heading: str = "", **attributes: str) -> str:
    """A row of a table, with a heading before its cells if there is one."""
    first = element("th", heading, scope="row") if heading else ""
    return element("tr", first + "".join(element("td", one) for one in cells), **attributes)


def table(
    headings: Iterable[str], rows: Iterable[str], *, role: str = "", is_wide: bool = False
) -> str:
    """A table; a wide one is moved sideways by itself, not with the page."""
    titles = "".join(element("th", one, scope="col") if one else "<td></td>" for one in headings)
    head = element("thead", element("tr", titles)) if titles else ""
    whole = element("table", f"{head}\n{element('tbody', chr(10).join(rows))}\n", role=role)
    return element("div", whole, role="wide") if is_wide else whole


def details(summary: str, inside: Iterable[str], role: str = "", **attributes: str) -> str:
    """A summary that opens on the elements inside; with `open="open"` it is open from the start."""
    held = element("summary", summary) + "\n".join(inside)
    return element("details", held, role=role, **attributes)
