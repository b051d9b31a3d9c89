"""`signoff audit`: the log read and filtered, and its chain verified."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.cells import cell_len

from ...headless.exit_status import ExitStatus
from ...headless.printing import print_error, say
from ...storage.audit_files import LogLines
from ...storage.audit_log import default_path
from ...storage.auditing.chain import read_record
from ...storage.auditing.filters import FilterWords, read_filters
from ...storage.auditing.proof import is_whole, verdict_lines, verify
from ...storage.auditing.rows import Row, named, row_of, unreadable
from ...storage.state_dir import shown, why

HASH_CELLS = 64


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
            for line, record in _records(lines, names):
                if not filters.matches(record):
                    continue
                if as_json:
                    print(line.decode("ascii", "backslashreplace"))
                else:
                    say(_line(row_of(record)))
    except OSError as problem:
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
        return _usage("--from takes the number of a record, and the first one is 1")
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
    return _usage(f"there is no audit log at {shown(place)}")


def _usage(problem: str) -> int:
    print_error(problem)
    return ExitStatus.USAGE
