"""Filters for records of the audit log, which come from a file: nothing in them is sure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from ...content.frozen import frozen
from ...protocol.findings.findings import Severity, rank

Record = Mapping[str, Any]

_AGO = re.compile(r"(\d{1,6})([smhdw])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class FilterWords(NamedTuple):
    """Filters as a person writes them; empty ones filter nothing.

    Times are ISO dates and times, local without a zone, or so long ago: `90s`, `15m`, `2h`, `3d`,
    `1w`.
    """

    since: str = ""
    until: str = ""
    server: str = ""
    tool: str = ""
    event: str = ""
    severity: str = ""
    outcome: str = ""
    session: str = ""
    text: str = ""


@frozen
class Filters:
    """Conditions on records; an empty one accepts all.

    `server`, `tool`, `event` and `outcome` are globs, `server` also the beginning of an identity
    hash, `session` the beginning of an id. `severity` is the lowest accepted, and `text` is
    searched in every value, whatever its case.
    """

    since: datetime | None = None
    until: datetime | None = None
    server: str = ""
    tool: str = ""
    event: str = ""
    severity: Severity | None = None
    outcome: str = ""
    session: str = ""
    text: str = ""

    def matches(self, record: Record) -> bool:
        """True if a record is wanted. One without a time is wanted whatever the times."""
        return (
            self._is_in_time(record)
            and self._is_of_server(record)
            and (not self.tool or fnmatchcase(text_of(record, "tool"), self.tool))
            and (not self.event or fnmatchcase(text_of(record, "event"), self.event))
            and (self.severity is None or severity_of(record) >= rank(self.severity))
            and (not self.outcome or fnmatchcase(text_of(record, "outcome"), self.outcome))
            and text_of(record, "session").startswith(self.session)
            and (not self.text or _holds(record, self.text.casefold()))
        )

    def _is_in_time(self, record: Record) -> bool:
        if self.since is None and self.until is None:
            return True
        at = time_of(record)
        if at is None:
            return True
        return (self.since is None or at >= self.since) and (self.until is None or at <= self.until)

    def _is_of_server(self, record: Record) -> bool:
        if not self.server:
            return True
        name, identity = text_of(record, "server", "name"), text_of(record, "server", "identity")
        by_identity = len(self.server) >= 6 and identity.startswith(self.server)
        return by_identity or (bool(name) and fnmatchcase(name, self.server))


def read_filters(given: FilterWords, now: datetime) -> Filters:
    """Parse filters. `now` has a time zone.

    Raises ValueError, in words, for unreadable ones.
    """
    words = FilterWords(*(word.strip() for word in given))
    level = words.severity.lower()
    if level and level not in list(Severity):
        raise ValueError(f"severity is note, warning or error, not {level!r}")
    return Filters(
        since=_read_time(words.since, now, is_end=False),
        until=_read_time(words.until, now, is_end=True),
        server=words.server,
        tool=words.tool,
        event=words.event,
        severity=Severity(level) if level else None,
        outcome=words.outcome,
        session=words.session,
        text=words.text,
    )


def read_query(query: str, now: datetime) -> Filters:
    """Filters from one line: `tool:delete_* severity:warning since:2h`, and words to look for.

    Raises ValueError as `read_filters` does.
    """
    given: dict[str, str] = {}
    words = []
    for word in query.split():
        name, colon, value = word.partition(":")
        if colon and name in FilterWords._fields:
            given[name] = value
        else:
            words.append(word)
    text = " ".join([given.pop("text", ""), *words]).strip()
    return read_filters(FilterWords(**given, text=text), now)


def text_of(record: Record, *path: str) -> str:
    """The string at a place in a record; empty if there is none."""
    value = value_of(record, *path)
    return value if isinstance(value, str) else ""


def value_of(record: Record, *path: str) -> Any:
    """The value at a place in a record; None if there is none."""
    value: Any = record
    for name in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def time_of(record: Record) -> datetime | None:
    try:
        at = datetime.fromisoformat(text_of(record, "ts"))
    except ValueError:
        return None
    return at if at.tzinfo is not None else None


def severity_of(record: Record) -> int:
    """The rank of a record's severity, from 0 for a note; the highest if it is not known."""
    found = text_of(record, "severity")
    return rank(Severity(found)) if found in list(Severity) else rank(Severity.ERROR)


def _read_time(words: str, now: datetime, *, is_end: bool) -> datetime | None:
    if not words:
        return None
    ago = _AGO.fullmatch(words)
    try:
        if ago is not None:
            return now - timedelta(**{_UNITS[ago.group(2)]: int(ago.group(1))})
        at = datetime.fromisoformat(words)
        if is_end and _DAY.fullmatch(words):
            at += timedelta(days=1, microseconds=-1)
        return at if at.tzinfo is not None else at.replace(tzinfo=now.tzinfo)
    except (ValueError, OverflowError):
        raise ValueError(
            f"{words!r} is not a time: use an ISO date or time, or an age (examples: 2h, 3d)"
        ) from None


def _holds(value: object, wanted: str) -> bool:
    stack: list[object] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, Mapping):
            stack += item.keys()
            stack += item.values()
        elif isinstance(item, list):
            stack += item
        elif item is not None and wanted in str(item).casefold():
            return True
    return False
