"""Verdicts on a JSON value under a JSON Schema that a server wrote.

Schema and value are hostile input: a verdict can cost any amount of time and memory, so callers run
`judge` in a worker process that can be killed. Nothing here fetches: a `$ref` that leaves the
schema is reported, never followed (spec 2026-07-28, server/tools: clients "MUST NOT automatically
dereference `$ref` values that resolve to a network URI").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from ..content.frozen import frozen
from ..content.json.jsonio import pointer
from .faults import NO_SCHEMA, dialect_of, faults_in, too_much
from .formats import is_rejected_by_ajv
from .messages import brief, explain, invalid_schema, named, not_contained, one_line

if TYPE_CHECKING:
    from jsonschema.exceptions import _Error

    from ..content.json.jsonio import JsonValue
    from .messages import Hidden

MAX_NODES = 10_000
MAX_ERRORS = 100

Path = tuple[str | int, ...]


class SchemaAnswer(StrEnum):
    """Verdicts on a value: `MISSING` means there was a schema and no value."""

    VALID = "valid"
    INVALID = "invalid"
    MISSING = "missing"
    NOT_VALIDATED = "not-validated"
    NO_SCHEMA = "no-schema"


@frozen
class Mismatch:
    """One way in which the value breaks the schema.

    `path` leads to the place in the value and `schema_path` to the rule; both are raw, so they go
    through the sanitiser before they are shown. `message` is safe and at most 300 characters.
    A missing or an unexpected property is reported at its own path, not at its parent's.
    """

    path: Path
    message: str
    schema_path: Path
    keyword: str
    format: str = ""
    """The format that the value is not of."""
    is_rejected_by_ajv: bool = True
    """Whether clients that are built on ajv reject it for that."""


@frozen
class SchemaVerdict:
    """`more` counts the errors past the first 100.

    `reason` is why there was no validation, or which part of the value was not checked; those
    places are `unchecked`. If some clients reject a value that the schema allows - they assert
    formats, or compute in binary fractions - `rejected_by_clients` has their errors.
    """

    answer: SchemaAnswer
    errors: tuple[Mismatch, ...] = ()
    reason: str = ""
    more: int = 0
    unchecked: tuple[Mismatch, ...] = ()
    rejected_by_clients: tuple[Mismatch, ...] = ()


def judge(schema: JsonValue, value: JsonValue) -> SchemaVerdict:
    """Judge `value` by `schema`; never raises, never fetches, does not assert `format`.

    The dialect is the declared `$schema`, else 2020-12 (spec 2025-11-25, basic).
    """
    return _guarded(schema, value, lambda: None)


def judge_arguments(schema: JsonValue, arguments: JsonValue) -> SchemaVerdict:
    """`judge` for a person's arguments: no message repeats a secret."""
    # Imported here, since it is needed only where something is wrong.
    from .messages import Hidden

    return _guarded(schema, arguments, lambda: Hidden(schema, arguments))


def _guarded(
    schema: JsonValue, value: JsonValue, hiding: Callable[[], Hidden | None]
) -> SchemaVerdict:
    try:
        return _judge(schema, value, hiding)
    except RecursionError:
        return _not_validated("schema and value are too deeply recursive")
    except MemoryError:
        return _not_validated("the check exceeded its memory limit")
    except Exception as error:
        ref = getattr(error, "ref", None)
        if isinstance(ref, str):
            return _not_validated(not_contained(ref))
        return _not_validated(f"checking failed: {type(error).__name__}: {one_line(error)}")


def _judge(
    schema: JsonValue, value: JsonValue, hiding: Callable[[], Hidden | None]
) -> SchemaVerdict:
    # Imported here, since it costs time that most commands need not spend.
    from .dialects import without
    from .unknown import UNCHECKED

    if reason := too_much(schema, MAX_NODES):
        return _not_validated(reason)
    if not isinstance(schema, (dict, bool)):
        return _not_validated(NO_SCHEMA.format(brief(schema)))
    dialect, unknown = dialect_of(schema)
    if unknown:
        return _not_validated(unknown)
    faults = [(at, invalid_schema(why)) for at, why in faults_in(dialect, schema)]
    usable = without(schema, faults)

    found: list[Mismatch] = []
    unchecked: dict[Path, Mismatch] = {}
    more = 0
    for mismatch in _found(dialect, usable, value, hiding):
        if mismatch.keyword == UNCHECKED:
            unchecked.setdefault(mismatch.path, mismatch)
        elif len(found) < MAX_ERRORS:
            found.append(mismatch)
        else:
            more += 1
    found.sort(key=_place)
    skipped = tuple(sorted(unchecked.values(), key=_place))
    answer = (
        SchemaAnswer.INVALID
        if found
        else SchemaAnswer.NOT_VALIDATED
        if skipped
        else SchemaAnswer.VALID
    )
    return SchemaVerdict(
        answer,
        tuple(found),
        _extent(value, skipped, is_valid=not found) if skipped else "",
        more,
        skipped[:MAX_ERRORS],
        () if more else _rejected_by_clients(dialect, usable, value, hiding, found),
    )


def _place(mismatch: Mismatch) -> list[tuple[bool, str | int]]:
    return [(isinstance(step, str), step) for step in mismatch.path]


def _found(
    dialect: str,
    schema: JsonValue,
    value: JsonValue,
    hiding: Callable[[], Hidden | None],
    as_clients: bool = False,
) -> Iterator[Mismatch]:
    from referencing import Registry

    from .dialects import dialect as validator_of

    registry: Registry[Any] = Registry()
    validator = validator_of(dialect, as_clients)(schema, registry=registry)
    return _mismatches(validator.iter_errors(value), hiding)


def _rejected_by_clients(
    dialect: str,
    schema: JsonValue,
    value: JsonValue,
    hiding: Callable[[], Hidden | None],
    known: list[Mismatch],
) -> tuple[Mismatch, ...]:
    """Errors in clients that assert formats and compute in binary fractions, beyond ours."""
    from .unknown import UNCHECKED

    if not _mentions(schema, ("format", "multipleOf")):
        return ()
    seen = {(one.path, one.schema_path) for one in known}
    found: list[Mismatch] = []
    for mismatch in _found(dialect, schema, value, hiding, as_clients=True):
        is_new = (mismatch.path, mismatch.schema_path) not in seen
        if is_new and mismatch.keyword != UNCHECKED and len(found) < MAX_ERRORS:
            found.append(mismatch)
    return tuple(sorted(found, key=_place))


def _mentions(schema: JsonValue, names: tuple[str, ...]) -> bool:
    level: list[JsonValue] = [schema]
    while level:
        below: list[JsonValue] = []
        for node in level:
            if isinstance(node, dict):
                if any(name in node for name in names):
                    return True
                below.extend(node.values())
            elif isinstance(node, list):
                below.extend(node)
        level = below
    return False


def _extent(value: JsonValue, unchecked: tuple[Mismatch, ...], is_valid: bool) -> str:
    """The extent of the checks, in words, and the reason for the rest."""
    first = unchecked[0]
    if not first.path:
        return one_line(first.message)
    names = {one.path[0] for one in unchecked}
    total = len(value) if isinstance(value, (dict, list)) else 0
    what = "properties" if isinstance(value, dict) else "items"
    count = f"{total - len(names):,} of {total:,} {what} checked{' and valid' if is_valid else ''}"
    rest = f"; and {len(unchecked) - 1:,} more not checked" if len(unchecked) > 1 else ""
    return one_line(f"{count}; {pointer(first.path)} not checked: {first.message}{rest}")


def _mismatches(
    errors: Iterable[_Error], hiding: Callable[[], Hidden | None] = lambda: None
) -> Iterator[Mismatch]:
    """Turn the library's errors into ours; one for each property that is missing or not allowed.

    The library yields one error for each missing name without the name, so the first error of a
    rule at a place represents all of them.
    """
    seen: set[tuple[Path, Path]] = set()
    hidden: Hidden | None = None
    for number, error in enumerate(errors):
        hidden = hidden if number else hiding()
        path: Path = tuple(error.absolute_path)
        rule: Path = tuple(error.absolute_schema_path)
        keyword = str(error.validator or "false")
        properties = named(error)
        if not properties:
            of_format = str(error.validator_value) if keyword == "format" else ""
            by_ajv = not of_format or is_rejected_by_ajv(of_format, error.instance)
            yield Mismatch(path, explain(error, hidden), rule, keyword, of_format, by_ajv)
        elif (path, rule) not in seen:
            seen.add((path, rule))
            for name, message in properties:
                yield Mismatch((*path, name), message, rule, keyword)


def _not_validated(reason: str) -> SchemaVerdict:
    return SchemaVerdict(SchemaAnswer.NOT_VALIDATED, reason=one_line(reason))
