"""`signoff audit`: the log read and filtered, and its chain verified."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rich.cells import cell_len

from ...cli.command import AlsoOnOpen, without_server
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser, add_described, verbs
from ...cli.output.printing import print_error, say, tell
from ...content.text import visible
from ...platforms.files import why
from ...platforms.output import GONE
from ...presentation.exit_status import ExitStatus
from ...storage.audit_files import LogLines
from ...storage.audit_log import default_path
from ...storage.auditing.chain import read_record
from ...storage.auditing.rows import FilterWords, Row, named, read_filters, row_of, unreadable
from ...storage.auditing.verifying import is_whole, verdict_lines, verify
from ...storage.state_dir import shown

if TYPE_CHECKING:
    from ...cli.targets.live import Options
    from ...engine.engine import Engine

HASH_CELLS = 64


_LOG: Final[Any] = opt("--audit FILE", "read this log (default: in the state folder)")
"""Another log than the usual."""


@options
class ShowOptions(NamedTuple):
    """Options of `audit show`, beside the filters."""

    json: bool = opt("--json", "print each record as a line of JSON")
    since: str = opt("--since TIME", "only records from this ISO date or time on")
    until: str = opt("--until TIME", "only records up to this date or time")
    server: str = opt("--server NAME", "only records of this server")
    tool: str = opt("--tool NAME", "only records of this tool")
    event: str = opt("--event NAME", "asked, decided, sent, ended, ...")
    severity: str = opt(
        "--severity LEVEL",
        "only records of this severity or above: note, warning, error (also a destructive call "
        "that was approved)",
    )
    outcome: str = opt("--outcome NAME", "ok, tool-error, denied, not-sent, ...")
    session: str = opt("--session ID", "only records of one run of Signoff")
    text: str = opt("--text WORDS", "only records with these words")
    audit: str = _LOG

    @property
    def filters(self) -> FilterWords:
        """The values of the options that filter."""
        named = self._asdict()
        return FilterWords(**{name: named[name] for name in FilterWords._fields})


@options
class VerifyOptions(NamedTuple):
    """Options of `audit verify`."""

    expect: str = opt("--expect HASH", "the hash that the newest record must have")
    """The hash of a record, noted earlier, that must still be there; empty for any."""
    first: int = opt(
        "--from-record N",
        "accept a log that begins with record N or an earlier one, after rotation removed the "
        "others",
        default=1,
        type=int,
        earlier="--from",
    )
    """The number of the record from which on all are wanted."""
    audit: str = _LOG


def add(parser: Parser) -> None:
    kinds = verbs(parser)
    add_described(kinds, "show", "print records", _add_show)
    add_described(
        kinds,
        "verify",
        "check that no record was changed, inserted or removed before the last one",
        _add_verify,
    )


def _add_show(show: Parser) -> None:
    work = AlsoOnOpen(
        lambda wanted: run_show(wanted.filters, wanted.json, wanted.audit), _show_of_session
    )
    without_server(show, ShowOptions, work)


def _add_verify(verify: Parser) -> None:
    work = AlsoOnOpen(
        lambda wanted: run_verify(wanted.audit, wanted.expect, wanted.first), _verify_of_session
    )
    without_server(verify, VerifyOptions, work)


async def _show_of_session(options: Options, engine: Engine, wanted: ShowOptions) -> int:
    path = wanted.audit or _log_of(engine)
    return run_show(wanted.filters, wanted.json, path) if path else ExitStatus.USAGE


async def _verify_of_session(options: Options, engine: Engine, wanted: VerifyOptions) -> int:
    path = wanted.audit or _log_of(engine)
    return run_verify(path, wanted.expect, wanted.first) if path else ExitStatus.USAGE


def _log_of(engine: Engine) -> str:
    """The log that a session writes; empty, and reported, if it keeps none."""
    ledger = engine.ledger
    if not ledger.is_kept:
        print_error("no audit log is kept (--no-audit)")
        return ""
    if ledger.problem:
        print_error(f"it cannot be written: {visible(ledger.problem)}")
    say(f"the audit log is {shown(ledger.place)}")
    return str(ledger.place)


def run_show(wanted: FilterWords, as_json: bool = False, path: str = "") -> int:
    """Print the records that pass the filters (see `read_filters`), oldest first.

    With `as_json`, the lines of the log as they are, so that their hashes can be checked.
    """
    try:
        filters = read_filters(wanted, datetime.now().astimezone())
    except ValueError as problem:
        return _usage(str(problem))
    place = _place(path)
    try:
        with LogLines(place) as lines:
            if not lines.file_count:
                return _no_log(place)
            names: dict[str, str] = {}
            is_empty = True
            for line, record in _records(lines, names):
                if not filters.matches(record):
                    continue
                is_empty = False
                if as_json:
                    print(line.decode("ascii", "backslashreplace"))
                else:
                    say(_line(row_of(record)))
        if is_empty:
            tell(f"signoff: {shown(place)}: no record matches")
    except OSError as problem:
        if problem.errno in GONE:
            raise
        return _usage(f"{shown(place)}: {why(problem)}")
    return ExitStatus.OK


def run_verify(path: str = "", expect: str = "", first: int = 1) -> int:
    """Verify the chain.

    Returns 0 if it is intact, 1 if it is broken, 2 for wrong usage, and 7 if the records are in
    order but some are missing: its beginning, its newest file, or all. `expect` is the hash of a
    record, noted earlier: it must still be there. `first` is the number of the first required
    record.
    """
    expected = expect.strip().lower()
    if expected and (len(expected) != HASH_CELLS or set(expected) - set("0123456789abcdef")):
        return _usage("--expect takes the 64 hexadecimal digits of a record's hash")
    if first < 1:
        return _usage("--from-record takes the number of a record, and the first one is 1")
    place = _place(path)
    try:
        with LogLines(place) as lines:
            if not lines.file_count:
                return _no_log(place)
            found = verify(lines, expected)
            places = lines.places(found)
    except OSError as problem:
        return _usage(f"{shown(place)}: {why(problem)}")
    for words in verdict_lines(found, places, expected, first):
        say(words)
    if found.kind or (expected and found.expected_seq is None):
        return ExitStatus.LOG_CHANGED
    return ExitStatus.OK if is_whole(found, places, first) else ExitStatus.LOG_NOT_WHOLE


def _records(lines: LogLines, names: dict[str, str]) -> Iterator[tuple[bytes, dict[str, Any]]]:
    for raw in lines:
        line = raw.removesuffix(b"\n")
        if line:
            record = read_record(line) or unreadable(line)
            yield line, next(named([record], names))


def _line(row: Row) -> str:
    cells = [
        _padded(row.time, 19),
        _padded(f"{row.sign} {row.severity.value}", 9),
        _padded(row.event, 19),
        _padded(row.server or "-", 16),
        _padded(row.tool or "-", 24),
        row.words,
    ]
    return "  ".join(cells).rstrip()


def _padded(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))


def _place(path: str) -> Path:
    return Path(path) if path else default_path()


def _no_log(place: Path) -> int:
    return _usage(f"no audit log at {shown(place)}")


def _usage(problem: str) -> int:
    print_error(problem)
    return ExitStatus.USAGE
