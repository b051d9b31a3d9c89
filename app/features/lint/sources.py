"""Inputs of `signoff lint` beside a server: files, the audit log, checks of the schemas.

Definitions in a file are a result of `tools/list`, a dump or a baseline of Signoff's. With them
comes the line on which each begins, so that a report can point there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC
from pathlib import Path
from typing import Final

from ...cli.targets.given_files import given_text
from ...cli.targets.targets import UsageError
from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, Limits, parse
from ...content.json.parts import parse_answer
from ...platforms.files import why
from ...protocol.definitions.pins import FORMAT, PIN_MAX, PinError, read_pin
from ...schemas.schema import SchemaAnswer
from ...storage.audit_files import LogLines
from ...storage.auditing.chain import read_record
from ...storage.auditing.rows import Record, time_of
from ...storage.state_dir import shown
from .linting import RulesError, RuleWeights, read_weighing
from .rule import Broken

_HALVES: Final = ("model-view-differs", "text-copy-differs")
"""Findings on a response whose text does not repeat its structuredContent."""
_BREAKING: Final = (SchemaAnswer.INVALID.value, SchemaAnswer.MISSING.value)


def weighing_of_file(path: str) -> RuleWeights:
    """Read the severity of each rule from a file; defaults without one. Raises UsageError."""
    if not path:
        return RuleWeights()
    try:
        return read_weighing(given_text(path, PIN_MAX))
    except RulesError as problem:
        lines = "\n".join(f"{shown(Path(path))}: {line}" for line in str(problem).splitlines())
        raise UsageError(lines) from None


def pinned_entries(path: str) -> tuple[JsonValue, ...] | None:
    """The definitions of a baseline; None without one. Raises UsageError."""
    if not path:
        return None
    try:
        return read_pin(given_text(path, PIN_MAX)).entries
    except PinError as problem:
        hint = "signoff diff --pin FILE --update writes a baseline"
        raise UsageError(f"{shown(Path(path))}: {problem}; {hint}") from None


def entries_of_file(path: str) -> Entries:
    """The definitions in a file. Raises UsageError."""
    try:
        return read_entries(given_text(path, PIN_MAX))
    except EntriesError as problem:
        raise UsageError(f"{shown(Path(path))}: {problem}") from None


@frozen
class AnswersSeen:
    """Answers in the audit log with a flaw, by the digest of the definition."""

    broken: Mapping[str, Broken]
    """Those that broke an output schema."""
    halves: Mapping[str, Broken]
    """Those whose text does not repeat their structuredContent."""


def answers_seen(log: str | None) -> AnswersSeen:
    """Read the answers with a flaw from an audit log; none if no log was given.

    Raises UsageError for a log that cannot be read.
    """
    broken: dict[str, Broken] = {}
    halves: dict[str, Broken] = {}
    found = AnswersSeen(broken, halves)
    if log is None:
        return found
    place = Path(log)
    try:
        with LogLines(place) as lines:
            if not lines.file_count:
                raise UsageError(f"no audit log at {shown(place)}")
            for line in lines:
                record = read_record(line) or {}
                if record.get("event") != "ended":
                    continue
                if record.get("schema") in _BREAKING:
                    _count(broken, record)
                codes = record.get("findings")
                if isinstance(codes, list) and any(one in codes for one in _HALVES):
                    _count(halves, record)
    except OSError as problem:
        raise UsageError(f"the audit log {shown(place)}: {why(problem)}") from None
    return found


def _count(found: dict[str, Broken], record: Record) -> None:
    definition = record.get("definition")
    if isinstance(definition, str):
        answers = found[definition].answers if definition in found else 0
        found[definition] = Broken(answers + 1, _words_of(record))


def _words_of(record: Record) -> str:
    """The number of a record and its time, as `signoff audit show --json` has them."""
    number, at = record.get("seq"), time_of(record)
    time = "" if at is None else f" of {at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    return f"record {number if isinstance(number, int) else '?'}{time}"


LIMITS: Final = Limits(size=64_000_000, depth=110, nodes=4_000_000)
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\]]|\n')
_BOM: Final = "\ufeff"


class EntriesError(ValueError):
    """A file has no definitions; gives the reason, safe to show."""


@frozen
class Entries:
    """Raw entries, and the line of each; `lines` is empty if they are in another order."""

    entries: tuple[JsonValue, ...]
    lines: tuple[int, ...] = ()
    version: str = ""
    """The revision of the protocol in use, if the file has it."""


def read_entries(text: str) -> Entries:
    """Read such a file. Raises EntriesError."""
    text = text.removeprefix(_BOM)
    try:
        whole = parse(text, LIMITS).value
    except JsonError as problem:
        raise EntriesError(f"not JSON: {problem.reason}") from None
    if isinstance(whole, list):
        return Entries(_each_for_itself(f'{{"tools":{text}}}'), lines_of_entries(text, 0))
    if not isinstance(whole, dict):
        raise EntriesError("not a list of tools")
    if FORMAT in whole:
        try:
            return Entries(read_pin(text).entries)
        except PinError as problem:
            raise EntriesError(str(problem)) from None
    result = whole.get("result")
    if isinstance(result, dict) and isinstance(result.get("tools"), list):
        return Entries(_entries_of(text), lines_of_entries(text, 2))
    if isinstance(whole.get("tools"), list):
        entries = _each_for_itself(text)
        server, version = whole.get("server"), None
        if isinstance(server, dict):
            entries = tuple(map(_dumped, entries))
            version = server.get("protocol_version")
        spoken = version if isinstance(version, str) else ""
        return Entries(entries, lines_of_entries(text, 1), spoken)
    raise EntriesError(
        'it has no "tools": neither a response to tools/list nor signoff tools --json'
    )


def _each_for_itself(result: str) -> tuple[JsonValue, ...]:
    """The entries of a result, those that have a name twice marked as such."""
    return _entries_of(f'{{"jsonrpc":"2.0","id":1,"result":{result}}}')


def _entries_of(text: str) -> tuple[JsonValue, ...]:
    """Parse the entries of a result. Raises EntriesError if it has none."""
    try:
        answer = parse_answer(text, LIMITS).value
    except JsonError as problem:
        raise EntriesError(f"no response to tools/list: {problem.reason}") from None
    inner = answer.get("result") if isinstance(answer, dict) else None
    listed = inner.get("tools") if isinstance(inner, dict) else None
    return tuple(listed) if isinstance(listed, list) else ()


def _dumped(entry: JsonValue) -> JsonValue:
    """The definition in an entry of `signoff tools --json`."""
    return entry["definition"] if isinstance(entry, dict) and "definition" in entry else entry


def lines_of_entries(text: str, objects: int) -> tuple[int, ...]:
    """The line, from 1, on which each entry begins of a list inside so many objects.

    The list is the member `tools` of the innermost of them. The text is valid JSON.
    """
    found: list[int] = []
    line, depth, member, is_in = 1, 0, "", False
    for token in _TOKEN.finditer(text):
        word = token.group()
        if word == "\n":
            line += 1
        elif word in "{[":
            if is_in and depth == objects + 1:
                found.append(line)
            is_list = word == "[" and depth == objects
            if is_list and not is_in and (objects == 0 or member == '"tools"'):
                is_in = True
            depth += 1
        elif word in "}]":
            depth -= 1
            is_in = is_in and depth > objects
        elif depth == objects:
            member = word
    return tuple(found)
