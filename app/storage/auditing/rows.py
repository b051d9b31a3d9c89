"""Records of the audit log as lines for people, and filters for them.

Everything in a line is safe to show. Records come from a file: nothing in them is sure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from typing import Any, Final, NamedTuple

from ...approval.approval import ANSWER_WORDS, DecisionAnswer, decision_words
from ...approval.policies.verdicts import Verdict, VerdictAnswer
from ...calls.call import DENIED_BY_SERVER, NOTHING_SENT, OUTCOME_WORDS, Outcome
from ...content.frozen import frozen
from ...content.text import count, cut, seconds, visible
from ...protocol.answers.task_states import AWAITS_APPROVAL
from ...protocol.findings.findings import Severity, rank
from ...schemas.secrets.masks import mask_text
from .fields import LIST_MAX

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


SIGNS = {Severity.NOTE: "·", Severity.WARNING: "*", Severity.ERROR: "!"}
UNREADABLE = "unreadable"
_SHOWN_MAX = 200


@frozen
class Row:
    """The line of a record, column by column."""

    time: str
    """Local, to the second; empty where the record has no time that can be read."""
    severity: Severity
    event: str
    server: str
    tool: str
    words: str
    """Decision and basis, outcome, or other words on the event."""

    @property
    def sign(self) -> str:
        return SIGNS[self.severity]


def row_of(record: Record) -> Row:
    at = time_of(record)
    name = text_of(record, "server", "name")
    return Row(
        time="" if at is None else at.astimezone().strftime("%Y-%m-%d %H:%M:%S"),
        severity=list(Severity)[severity_of(record)],
        event=_short(text_of(record, "event")),
        server=_short(mask_text(name) or text_of(record, "server", "identity")[:8]),
        tool=_short(text_of(record, "tool")),
        words=_short(_WORDS.get(text_of(record, "event"), _text(""))(record)),
    )


def named(records: Iterable[dict[str, Any]], names: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Records with the configured name of their server, also if only its identity is kept.

    `names` maps identities to names; names in the records are added to it.
    """
    for record in records:
        identity, name = text_of(record, "server", "identity"), text_of(record, "server", "name")
        if identity and name:
            names[identity] = name
        elif identity and identity in names:
            record = {**record, "server": {"name": names[identity], **record["server"]}}
        yield record


def unreadable(line: bytes) -> dict[str, Any]:
    """Return a placeholder record for a line that is not one."""
    return {"event": UNREADABLE, "severity": "error", "line": line.decode("utf-8", "replace")}


def _asked(record: Record) -> str:
    """The verdict in the words of the screen, with the rule behind it."""
    words = text_of(record, "verdict", "answer")
    if words in list(VerdictAnswer):
        is_strong = value_of(record, "verdict", "strong") is True
        reviews = value_of(record, "verdict", "reviews_result") is True
        words = Verdict(VerdictAnswer(words), (), is_strong, reviews_result=reviews).words
    return f"{words}{_by_rule(record)}{_although_invalid(record)}"


def _although_invalid(record: Record) -> str:
    return ", although invalid" if value_of(record, "although_invalid") is True else ""


def _decision(record: Record) -> str:
    answer = text_of(record, "decision", "answer")
    if answer in list(DecisionAnswer):
        answer = ANSWER_WORDS[DecisionAnswer(answer)]
    by, basis = text_of(record, "decision", "by"), text_of(record, "decision", "basis")
    took = value_of(record, "decision", "seconds")
    after = took if isinstance(took, (int, float)) else None
    scope = text_of(record, "decision", "remembered", "scope")
    words = decision_words(answer, by, "" if basis == by else basis, after, scope)
    return f"the response: {words}" if text_of(record, "about") == "result" else words


def _ended(record: Record) -> str:
    outcome = text_of(record, "outcome")
    words = OUTCOME_WORDS[Outcome(outcome)] if outcome in list(Outcome) else outcome
    if outcome == Outcome.NOT_SENT:
        reason = text_of(record, "reason")
        return f"{words}: {reason}" if reason else words
    if outcome == Outcome.TOOL_ERROR and text_of(record, "denial", "remediation"):
        words = DENIED_BY_SERVER
    if value_of(record, "awaits_server") is True:
        words = AWAITS_APPROVAL
    schema, took = text_of(record, "schema"), value_of(record, "duration_ms")
    found = [words]
    found += [f"structuredContent {schema}"] if schema in ("invalid", "missing") else []
    found += ["response withheld"] if value_of(record, "withheld") is True else []
    found += [seconds(took / 1000)] if isinstance(took, (int, float)) else []
    found += [NOTHING_SENT] if value_of(record, "sent") is False else []
    return ", ".join(found)


def _by_rule(record: Record) -> str:
    policy, rule = text_of(record, "verdict", "policy"), text_of(record, "verdict", "rule")
    return f" ({policy}{': ' if rule else ''}{rule})" if policy else ""


def _changes(record: Record) -> str:
    found = []
    for name in ("changed", "added", "gone", "renamed"):
        items, more = value_of(record, name), value_of(record, f"more_{name}")
        if isinstance(items, list) and items:
            number = len(items) + (more if isinstance(more, int) else 0)
            # A list of names ends with words about those that were left out.
            over = f"over {LIST_MAX}" if more is None and number > LIST_MAX else f"{number:,}"
            found.append(f"{over} {name}")
    by = text_of(record, "by")
    return ", ".join([*found, *([f"by {by}"] if by else [])])


def _overrides(record: Record) -> str:
    found = value_of(record, "overrides")
    if not isinstance(found, dict) or not found:
        return "taken back"
    return ", ".join(f"{name} {str(value).lower()}" for name, value in found.items())


def _count(record: Record, name: str) -> str:
    value = value_of(record, name)
    return count(value, name.removesuffix("s")) if isinstance(value, int) else ""


def _text(*path: str) -> Callable[[Record], str]:
    return lambda record: text_of(record, *path)


_WORDS: Final[Mapping[str, Callable[[Record], str]]] = {
    **dict.fromkeys(("asked", "result-asked"), _asked),
    "decided": _decision,
    "server-request": lambda one: text_of(one, "method") + _by_rule(one),
    "server-request-answered": lambda one: (
        f"{text_of(one, 'method')}: {_decision(one)}{_by_rule(one)}"
    ),
    "server-request-unanswered": lambda one: (
        f"{text_of(one, 'method')}: no reply went out: {text_of(one, 'reason')}"
    ),
    "resolving": lambda one: (
        f"arguments {text_of(one, 'arguments', 'sha256')[:8]}, before any approval"
    ),
    "sent": lambda one: (
        f"arguments {text_of(one, 'arguments', 'sha256')[:8]}{_although_invalid(one)}"
    ),
    "ended": _ended,
    **dict.fromkeys(
        ("opened", "reopened"),
        lambda one: f"{text_of(one, 'trust')}, policy {text_of(one, 'policy')}",
    ),
    "relayed": lambda one: (
        f"for {text_of(one, 'host', 'name') or 'a host'}, "
        f"{'policy ' + policy if (policy := text_of(one, 'policy')) else 'watched'}"
    ),
    **dict.fromkeys(("lost", "log-replaced"), _text("reason")),
    "closed": lambda one: _count(one, "calls"),
    "listed": lambda one: _count(one, "tools"),
    **dict.fromkeys(("definitions-changed", "changes-accepted"), _changes),
    **dict.fromkeys(
        ("grant-given", "grant-used", "grant-revoked", "grant-voided"), _text("grant", "scope")
    ),
    **{name: _text(name) for name in ("trust", "policy")},
    "denied-for-session": lambda _: "with any arguments",
    "what-if": _overrides,
    "opened-outside": _text("uri"),
    **dict.fromkeys(
        ("raw-sent", "raw-denied", "raw-answered", "send-blocked"),
        lambda one: ": ".join(filter(None, (text_of(one, "method"), text_of(one, "outcome")))),
    ),
    "torn-line": lambda one: f"{value_of(one, 'torn', 'bytes')} bytes of the line before were lost",
    UNREADABLE: _text("line"),
}
"""Each event of the log, in words; others have none."""


def _short(text: str) -> str:
    return visible(cut(text, _SHOWN_MAX).text)
