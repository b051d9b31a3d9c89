"""Commands of the command line on the server that is open: their words, options and output."""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, TypeVar

from ...calls.call import Call
from ...content.text import sentence, visible
from ...presentation.feature import CommandEntry
from ..command import AlsoOnOpen, OnOpen, OnServer, WithoutServer
from ..command_table import add_of, all_commands
from ..options.parser import Parser, describe
from ..output.printing import Captured
from ..output.report_files import only_report, printed_reports
from ..targets.live import NotConnected, Options
from ..targets.targets import UsageError
from .session import NotDone, PlainSession, is_number, not_done
from .telling import wait_for
from .values import IS_TAKEN, STANDARD_INPUT

T = TypeVar("T")
_BLANKS: Final = 1_000
"""Blanks in a row that a line of a command keeps: columns are made of them."""
OPTION: Final = re.compile(r"(?:^|(?<=\s))--?[a-zA-Z]")


def entries() -> dict[str, CommandEntry]:
    """The commands of `signoff --help` that can work on an open server, by name."""
    return {entry.name: entry for _, entry in all_commands() if entry.on_open}


def parser_of(name: str) -> Parser:
    """The parser of a command, without the options that are about opening a server."""
    feature, entry = next(one for one in all_commands() if one[1].name == name)
    parser = Parser(prog=name)
    add_of(feature, entry)(parser)
    describe(parser, entry.words)
    parser.leave_out_shared()
    parser.set_defaults(mode=name)
    return parser


async def run_line(desk: PlainSession, name: str, rest: str) -> None:
    """Run a command with the words behind its name. Raises NotDone and Cancelled."""
    await run_words(desk, name, await _words(desk, entries()[name], rest))


async def _words(desk: PlainSession, entry: CommandEntry, rest: str) -> list[str]:
    """Split the words; before the options there may be a name with blanks, or a number."""
    if not entry.takes or rest.lstrip().startswith(("'", '"')):
        return split(rest)
    found = OPTION.search(rest)
    name = rest[: found.start() if found else len(rest)].strip()
    options = split(rest[found.start() :]) if found else []
    if not name:
        return options
    if is_number(name):
        name = await key_of(desk, entry.takes, name)
    return [*options, "--", name]


def split(text: str) -> list[str]:
    """Split as a shell does. Raises NotDone for a quote without its end."""
    try:
        return shlex.split(text)
    except ValueError:
        raise NotDone("A quote has no end.") from None


async def key_of(desk: PlainSession, kind: str, number: str) -> str:
    """The name or address of a number in a list, which is made if there is none yet."""
    lister = next(name for name, entry in entries().items() if entry.lists == kind)
    if kind not in desk.numbers:
        output = Captured(None)
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                await desk.working(_carried_out(desk, lister, []))
            except (UsageError, NotConnected) as problem:
                raise not_done(problem) from None
    keys = desk.numbers.get(kind, ())
    if not 0 < int(number[:9]) <= len(keys):
        raise NotDone(f"No {kind} has the number {number[:9]}: {lister} lists {len(keys):,}.")
    return keys[int(number[:9]) - 1]


async def run_words(
    desk: PlainSession, name: str, words: Sequence[str], *, has_numbers: bool = True
) -> None:
    """Run a command, in which a number as TOOL is one of the list unless `has_numbers` is False.

    Raises NotDone and Cancelled.
    """
    await printed(desk, _carried_out(desk, name, words, has_numbers=has_numbers))


async def printed(desk: PlainSession, work: Coroutine[Any, Any, None]) -> None:
    """Do work that prints, and print that as lines, but not while a question is open.

    Raises NotDone and Cancelled.
    """
    output, before = Captured(desk.console.width), next(reversed(desk.engine.calls), None)
    problem: Exception | None = None
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            await desk.working(work)
    except Exception as error:
        problem = error
    newest = next(reversed(desk.engine.calls), None)
    desk.selected = desk.selected if newest == before else newest
    if text := output.getvalue().removesuffix("\n"):
        # Not between a question and its prompt.
        async with desk.dialogue.keyboard.turn():
            lines = text.split("\n")
            desk.console.say_all(visible(line, max_blanks=_BLANKS) for line in lines)
    if problem is not None:
        is_usual = isinstance(problem, UsageError | NotConnected)
        raise not_done(problem) if is_usual else problem


async def _carried_out(
    desk: PlainSession, name: str, words: Sequence[str], *, has_numbers: bool = True
) -> None:
    """Parse the words, and run the work of the command on the engine."""
    try:
        command, desk.words, only = _read(desk, name, words, has_numbers)
    except SystemExit:
        # The parser has printed the help, or the error.
        return
    options = options_of(desk, as_json=_is_json(command))
    if isinstance(command, OnServer | WithoutServer) and isinstance(
        command.work, OnOpen | AlsoOnOpen
    ):
        with only:
            await command.work.on(options, desk.engine, command.own)
        return
    raise UsageError(f"this is not about the server that is open: run signoff {name} in a shell")


def _read(
    desk: PlainSession, name: str, words: Sequence[str], has_numbers: bool
) -> tuple[object, tuple[str, ...], AbstractContextManager[None]]:
    """Read the words of a command, those by which its list is filtered, and in which context its
    work prints.

    Raises SystemExit, after the parser has printed the help or an error.
    """
    parser, entry = parser_of(name), entries()[name]
    words = list(words) or list(parser.commands)[:1]
    parser.tell_words(words)
    parser.complain_of_unknown(words)
    given, rest = parser.parse_known_args(words)
    if vars(given).get("args") == STANDARD_INPUT:
        parser.error(IS_TAKEN)
    tool = vars(given).get("tool")
    if tool and has_numbers and is_number(tool):
        given.tool = desk.only_name(desk.tool(tool))
    if "adjust_words" in given:
        rest = given.adjust_words(parser, given, rest)
    if rest and (not entry.lists or any(word.startswith("-") for word in rest)):
        parser.error(f"unrecognized arguments: {visible(' '.join(rest))}")
    if rest and vars(given).get("json"):
        parser.error(f"--json has all rows: leave out {visible(' '.join(rest))}")
    printed = printed_reports(given)
    if len(printed) > 1:
        parser.error(f"{' and '.join(printed)} print here: write one report to a file")
    only = only_report() if printed else contextlib.nullcontext()
    return given.read_command(given), tuple(rest), only


def options_of(desk: PlainSession, *, as_json: bool = False) -> Options:
    """The options of a command in this session."""
    return Options(desk.config, as_json, session=_Open(desk))


def _is_json(command: object) -> bool:
    return isinstance(command, OnServer) and command.output.json


class _Open:
    """The session as commands see it: numbered lists, and calls that are followed."""

    def __init__(self, desk: PlainSession) -> None:
        self._desk = desk

    def rows(
        self, kind: str, found: Sequence[T], key: Callable[[T], str], text: Callable[[T], str]
    ) -> list[tuple[str, T]]:
        """Number the rows, and leave those with all of the typed words."""
        self._desk.numbers[kind] = tuple(map(key, found))
        wanted = " ".join(self._desk.words).casefold().split()
        return [
            (str(number), one)
            for number, one in enumerate(found, 1)
            if all(word in text(one) for word in wanted)
        ]

    async def ended(self, begin: Callable[[], int], *, is_told: bool) -> Call:
        """Begin a call, follow it to its end, and print it if `is_told`."""
        self._desk.must_be_open()
        try:
            number = begin()
        except ValueError as problem:
            raise NotDone(f"It cannot be sent: {sentence(problem)}") from None
        await wait_for(self._desk, number, is_told=is_told)
        return self._desk.engine.calls[number]
