"""`signoff manual [PAGE]`: a page in the pager of the terminal, or the list of pages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

from ...cli.command import AlsoOnOpen, without_server
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser
from ...cli.output.printing import encodable, say, tell, width_of
from ...cli.targets.targets import UsageError
from ...content.suggest import did_you_mean, shown_name
from ...content.text import shortened
from ...content.texts.markdown import MarkdownRefused, markdown_lines
from ...presentation.exit_status import ExitStatus
from .pages import INDEX, for_reading, named, names, rows

if TYPE_CHECKING:
    from ...cli.targets.live import Options
    from ...engine.engine import Engine

_SHOWN: Final = 60
"""Characters of an unknown name in the error."""
_WIDEST: Final = 160
"""Columns of a page, however wide the terminal."""


@options
class ManualOptions(NamedTuple):
    """Options of `manual`."""

    page: str = opt(
        "PAGE",
        "a page, such as how-to/lint, or its last part, such as lint (default: list the pages)",
        nargs="?",
        default="",
    )


def add(manual: Parser) -> None:
    without_server(manual, ManualOptions, _SHOWS)


def run_manual(wanted: ManualOptions) -> int:
    """Show a page, or list all; returns the exit status."""
    if not wanted.page:
        for line in list_lines():
            say(line)
        return ExitStatus.OK
    pages = named(wanted.page)
    if not pages:
        last = [name.rpartition("/")[2] for name in names()]
        hint = did_you_mean(wanted.page, (*names(), *last)) or "; signoff manual lists the pages"
        raise UsageError(f"no such page: {shown_name(shortened(wanted.page, _SHOWN))}{hint}")
    if pages[1:]:
        tell(f"this is {pages[0]}; the name also means {' and '.join(pages[1:])}")
    show(pages[0])
    return ExitStatus.OK


async def _run_on_open(options: Options, engine: Engine, wanted: ManualOptions) -> int:
    return run_manual(wanted)


_SHOWS: Final = AlsoOnOpen(run_manual, _run_on_open)
"""In plain mode, too, without a pager."""


def list_lines() -> Iterator[str]:
    """The list of pages, by group."""
    for group, some in groupby(rows(), key=lambda row: row.group):
        yield group
        for row in some:
            yield f"  {row.name}   {row.title}"
        yield ""
    yield f"signoff manual PAGE shows one of them; signoff manual {INDEX} begins with a first call."


def show(page: str) -> None:
    """Show a page in the pager, laid out for the terminal; elsewhere print its Markdown."""
    width = width_of(sys.stdout)
    text = for_reading(page) if width is None else laid_out(for_reading(page), width - 1)
    if width is None or not (sys.stdin.isatty() and sys.stdout.isatty()):
        print(encodable(text, sys.stdout))
        return
    from pydoc import pager

    pager(encodable(f"{text}\n", sys.stdout))


def laid_out(text: str, width: int) -> str:
    """Markdown as plain lines of this many cells; as it is if it is too long to be laid out."""
    lines = markdown_lines(text, min(width, _WIDEST))
    if isinstance(lines, MarkdownRefused):
        return text
    return "\n".join("".join(piece for piece, _ in line).rstrip() for line in lines)
