"""Lines on standard output and standard error, for any terminal, with secrets masked.

With styles if possible; broken between words, with their margins kept. `--show-secrets` masks
nothing. The approval request on a terminal is not masked: the approver sees everything that is
sent.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.text import Text

from ...content.json.jsonio import JsonValue, pointer
from ...content.texts.facts import Fact, below
from ...content.texts.facts import cells as cells_of
from ...content.texts.sheet_line import GUTTER
from ...protocol.server import Server
from ...protocol.tool import ToolDefinition
from ...schemas.secrets.arguments import mask_arguments
from ...schemas.secrets.commands import mask_command, secrets_of_command
from ...schemas.secrets.masks import SecretScrubber, mask_text, mask_value

NARROWEST: Final = 20
"""Columns of a terminal below which its reported width is ignored."""


class Captured(io.StringIO):
    """Output that is printed later, for lines of this many columns; None for any length."""

    def __init__(self, columns: int | None) -> None:
        super().__init__()
        self.columns = columns


def say(line: str) -> None:
    """One line on standard output, as several where the terminal has no room for it."""
    width = width_of(sys.stdout)
    for one in wrapped(line, None if width is None else width - 1):
        print(encodable(one, sys.stdout))


def say_rows(values: Sequence[Sequence[Fact]]) -> None:
    """A table of values: the cells of each under headings, and the lines below its row."""
    if not values:
        return
    cells = [cells_of(facts) for facts in values]
    table = [tuple(cells[0]), *(tuple(row.values()) for row in cells)]
    widths = [max(map(cell_len, column)) for column in zip(*table, strict=True)]
    for row, facts in zip(table, ((), *values), strict=True):
        padded = [
            text + " " * (width - cell_len(text)) for text, width in zip(row, widths, strict=True)
        ]
        say("  ".join(padded).rstrip())
        for line in below(facts):
            say(f"{'':<{widths[0]}}  {line.label:<{line.indent}} {line.plain}")


def print_error(line: str) -> None:
    """Print an error on standard error after the name of the program."""
    for one in f"signoff: {line}".split("\n"):
        tell(one)


def tell(line: str) -> None:
    """One line on standard error, as several where the terminal has no room for it."""
    width = width_of(sys.stderr)
    for one in wrapped(line, None if width is None else width - 1):
        print(encodable(one.rstrip(" "), sys.stderr), file=sys.stderr)


def tell_whole(line: str) -> None:
    """One line on standard error, however wide, so that it can be copied."""
    print(encodable(line, sys.stderr), file=sys.stderr)


def prompt(words: str) -> None:
    """Write a prompt on standard error."""
    width = width_of(sys.stderr)
    *before, last = wrapped(words.rstrip(" "), None if width is None else width - 2)
    for one in before:
        print(encodable(one, sys.stderr), file=sys.stderr)
    print(f"{encodable(last, sys.stderr)} ", end="", file=sys.stderr, flush=True)


def width_of(stream: Any) -> int | None:
    """Columns of the stream's terminal now; None where lines may be of any length."""
    if isinstance(stream, Captured):
        return stream.columns
    if stream is None or not stream.isatty():
        return None
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return columns if columns >= NARROWEST else 80


def encodable(text: str, stream: Any) -> str:
    """A terminal that is not UTF-8 gets escapes for the signs it has not."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


class PlainConsole(Console):
    """Takes text as it is. Raises OSError if it cannot be written."""

    def __init__(self) -> None:
        # FORCE_COLOR would colour lines of plain mode.
        colours: Any = None if isinstance(sys.stdout, Captured) else "auto"
        super().__init__(
            highlight=False, markup=False, emoji=False, soft_wrap=True, color_system=colours
        )

    def tell(self, text: Text) -> None:
        """One line, as several where the terminal has no room for it."""
        width = width_of(sys.stdout)
        if width is None:
            self.print(text, soft_wrap=True)
            return
        for margin, start, end in rows(text.plain, width - 1):
            before = text[: len(margin)] if text.plain.startswith(margin) else Text(margin)
            self.print(before + text[start:end], soft_wrap=True)

    def on_broken_pipe(self) -> None:
        # Rich would end the program with 1, the status of a tool that reported an error.
        raise


_BEHIND_GUTTER: Final = re.compile(r"( {0,16}|[a-z]{1,12} +|[^\w ] )┃ {1,40}")
_LABELLED: Final = re.compile(r" *\S+(?: \S+)? {2,}")
_WORD: Final = re.compile(r"[^ ]+")
_NARROWEST: Final = 12
"""Cells that are left for words, however wide the text before them."""


class PrintedRow(NamedTuple):
    """A row of a line: its margin, and the part of the line."""

    margin: str
    start: int
    end: int


def wrapped(line: str, width: int | None) -> list[str]:
    """One line as lines of at most `width` cells, or as it is if that is None; see `rows`."""
    return [f"{margin}{line[start:end]}" for margin, start, end in rows(line, width)]


def rows(line: str, width: int | None) -> list[PrintedRow]:
    """The rows of at most `width` cells that a line makes; one if that is None.

    They are broken between words, and within a word only if it alone is wider than a line. Later
    rows begin under the words of the first, so that no text of a server's begins a line: it is
    behind its gutter again, or indented.
    """
    if width is None or cell_len(line) <= width:
        return [PrintedRow("", 0, len(line))]
    first, after = _margins(line, width)
    return list(_broken(line, first, after, max(width, _NARROWEST)))


def _margins(line: str, width: int) -> tuple[str, str]:
    """Return the margins of the first row, and of the rows after it."""
    if found := _BEHIND_GUTTER.match(line):
        first = found.group()
        gutter = first.replace(found[1], " " * len(found[1]), 1)
        if cell_len(gutter) + _NARROWEST <= width:
            return first, gutter
        short = gutter[: gutter.index(GUTTER)] + GUTTER
        short = short if cell_len(short) + _NARROWEST <= width else GUTTER
        return first, short
    if (found := _LABELLED.match(line)) and cell_len(found.group()) <= width // 2:
        return found.group(), " " * cell_len(found.group())
    blanks = line[: len(line) - len(line.lstrip(" "))]
    return blanks, f"{blanks[: width // 3]}  "


def _broken(line: str, first: str, after: str, width: int) -> Iterator[PrintedRow]:
    margin, start, end = first, len(first), len(first)
    room = width - max(cell_len(first), cell_len(after))
    for found in _WORD.finditer(line, len(first)):
        begin = found.start() if start == end else start
        if cell_len(margin) + cell_len(line[begin : found.end()]) <= width:
            start, end = begin, found.end()
            continue
        if start != end:
            yield PrintedRow(margin, start, end)
            margin = after
        start, end = found.span()
        if cell_len(found.group()) > room:
            for piece in chop_cells(found.group(), room)[:-1]:
                yield PrintedRow(margin, start, start + len(piece))
                margin, start = after, start + len(piece)
    yield PrintedRow(margin, start, end)


OPTION = "--show-secrets"


class Hiding:
    """Masks a server's command line, and the arguments of a call, for one command.

    `shows` is `--show-secrets`: everything is then printed unmasked.
    """

    def __init__(
        self,
        shows: bool,
        server: Server,
        tool: ToolDefinition | None = None,
        arguments: Mapping[str, JsonValue] | None = None,
        env: Iterable[tuple[str, str]] = (),
    ) -> None:
        """`env` are the variables that the server was given."""
        self._shows = shows
        given = None if arguments is None else dict(arguments)
        schema = None if tool is None else tool.input_schema
        masked = mask_arguments(given, schema)
        shown = given if shows else cast("dict[str, JsonValue] | None", masked.value)
        self.arguments: dict[str, JsonValue] | None = shown
        """The arguments as they may be printed."""
        self._places = tuple(dict.fromkeys(pointer(place) for place in masked.places))
        self._command = mask_command(server.command)
        self._hides_command = self._command != server.command
        variables = mask_value(dict(env))
        known = masked.found | variables.found | secrets_of_command(server.command)
        self.knows_any = bool(known)
        """Whether there is a secret that a text might repeat."""
        self._echoes = SecretScrubber(known)

    def command(self, command: str) -> str:
        """The command line or URL of the server."""
        return command if self._shows else self._command

    def text(self, text: str) -> str:
        """Words that may repeat a secret."""
        return text if self._shows else self._echoes.text(text)

    def said(self, text: str) -> str:
        """Mask text that may hold an unknown secret, such as a line on stderr."""
        return text if self._shows else mask_text(self._echoes.text(text))

    def value(self, value: Any) -> Any:
        """JSON that may repeat a secret."""
        return value if self._shows else self._echoes.value(cast("JsonValue", value))

    def report(self) -> dict[str, Any] | None:
        """List the masked values of a report, which is made last; None if there are none."""
        if self._shows or not (self._places or self._hides_command or self._echoes.count):
            return None
        return {
            "arguments": list(self._places),
            "command": self._hides_command,
            "repeated": self._echoes.count,
            "shown_by": OPTION,
        }

    def words(self) -> str:
        """The same as a line for people; empty if nothing was masked."""
        if self.report() is None:
            return ""
        where = [", ".join(self._places)] if self._places else []
        where += ["the command"] if self._hides_command else []
        where += ["what repeats them"] if self._echoes.count else []
        return f"secrets are masked in {' and in '.join(where)}; {OPTION} prints them"
