"""`signoff audit`: the log read and filtered, and its chain proved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.cells import cell_len

from app.core.auditing.audit import START, Verification, read_record, verify
from app.core.auditing.audit_filters import read_filters
from app.core.auditing.audit_rows import Row, named, row_of, unreadable
from app.core.text import visible
from app.flows.printing import complain, say
from app.store.audit_files import LogLines
from app.store.audit_log import default_path
from app.store.place import shown, why

OK, BROKEN, USAGE = 0, 1, 2
HASH_CELLS = 64

CANNOT_SHOW = (
    "The chain alone cannot show that records were cut off at its end: keep the hash of the last\n"
    "record elsewhere, and give it with --expect."
)


def run_show(given: Mapping[str, object], as_json: bool = False, path: str = "") -> int:
    """Print the records that pass the filters (see `read_filters`), oldest first.

    With `as_json`, the lines of the log as they are, so that their hashes can be checked.
    """
    try:
        filters = read_filters(given, datetime.now().astimezone())
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
    return OK


def run_verify(path: str = "", expect: str = "") -> int:
    """Prove the chain; returns 0 where it is intact, 1 where it is broken, 2 for wrong usage.

    `expect` is the hash of a record, noted earlier: it must still be there.
    """
    wanted = expect.strip().lower()
    if wanted and (len(wanted) != HASH_CELLS or set(wanted) - set("0123456789abcdef")):
        return _usage("--expect takes the 64 hexadecimal digits of a record's hash")
    place = _place(path)
    try:
        with LogLines(place) as lines:
            if not lines.file_count:
                return _no_log(place)
            found = verify(lines, wanted)
            where = lines.place(found.line) if found.line is not None else ""
            files = lines.file_count
    except OSError as problem:
        return _usage(f"{shown(place)}: {why(problem)}")
    for words in verdict_lines(found, where, files, wanted):
        say(words)
    is_missing = bool(wanted) and found.expected_seq is None
    return BROKEN if found.kind or is_missing else OK


def verdict_lines(found: Verification, where: str, files: int, expect: str) -> Iterator[str]:
    """What a proof has shown, in words; `where` is the first bad line."""
    count = f"{found.count:,} record{'' if found.count == 1 else 's'}"
    if found.kind:
        yield f"broken at {visible(where)}: {found.kind}: {found.problem}"
        yield f"before it: {count} in order"
    else:
        yield f"intact: {count} in {files} file{'' if files == 1 else 's'}"
    if found.starts_midway:
        words = f"it begins with record {found.first_seq:,}: rotation has removed older ones,"
        yield f"{words} or somebody has"
    if found.torn:
        yield f"{found.torn} line(s) were torn by a crash; the records after them account for them"
    if found.head != START:
        yield f"last record {found.last_seq:,}, hash {found.head}"
    if expect and found.expected_seq is None:
        yield "the expected record is not there: the log was cut off, or is another one"
    elif expect:
        later = found.last_seq - (found.expected_seq or 0)
        yield f"record {found.expected_seq:,} has the expected hash; {later:,} came after it"
    elif not found.kind:
        yield CANNOT_SHOW


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
    complain(problem)
    return USAGE
