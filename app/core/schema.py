"""Verdicts on a JSON value under a JSON Schema that a server wrote.

Schema and value are hostile input: a verdict can cost any amount of time and memory, so callers
run `judge` in a worker process that can be killed. Nothing here fetches: a `$ref` that leaves the
schema is reported, never followed (spec 2026-07-28, server/tools: clients "MUST NOT automatically
dereference `$ref` values that resolve to a network URI").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from signoff.app.core.schema_faults import NO_SCHEMA, dialect_of, invalid_because, too_much
from signoff.app.core.schema_words import brief, explain, named, one_line, quote

if TYPE_CHECKING:
    from jsonschema.exceptions import _Error

    from signoff.app.core.jsonio import JsonValue
    from signoff.app.core.schema_secrets import Hidden

MAX_NODES = 10_000
MAX_ERRORS = 100

Path = tuple[str | int, ...]


class Answer(StrEnum):
    """What can be said of a value: `MISSING` means there was a schema and no value."""

    VALID = "valid"
    INVALID = "invalid"
    MISSING = "missing"
    NOT_VALIDATED = "not-validated"
    NO_SCHEMA = "no-schema"


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class SchemaVerdict:
    """`reason` says why there was no validation, `more` counts the errors past the first 100."""

    answer: Answer
    errors: tuple[Mismatch, ...] = ()
    reason: str = ""
    more: int = 0


def judge(schema: JsonValue, value: JsonValue) -> SchemaVerdict:
    """Say whether `value` obeys `schema`; never raises, never fetches, does not assert `format`.

    The dialect is the declared `$schema`, else 2020-12 (spec 2025-11-25, basic).
    """
    return _guarded(schema, value, lambda: None)


def judge_arguments(schema: JsonValue, arguments: JsonValue) -> SchemaVerdict:
    """`judge` of what a person gave: no message repeats a secret."""
    # Imported here, since it is needed only where something is wrong.
    from signoff.app.core.schema_secrets import Hidden

    return _guarded(schema, arguments, lambda: Hidden(schema, arguments))


def _guarded(
    schema: JsonValue, value: JsonValue, hiding: Callable[[], Hidden | None]
) -> SchemaVerdict:
    try:
        return _judge(schema, value, hiding)
    except RecursionError:
        return _not_validated("schema and value refer to themselves too deeply")
    except MemoryError:
        return _not_validated("checking needed more memory than it may use")
    except re.error as error:
        return _not_validated(f"a pattern of the schema cannot be read: {error}")
    except Exception as error:
        ref = getattr(error, "ref", None)
        if isinstance(ref, str):
            return _not_validated(
                f"the schema refers to {quote(ref)}, which is not in it; nothing is fetched"
            )
        return _not_validated(f"checking failed: {type(error).__name__}: {one_line(error)}")


def _judge(
    schema: JsonValue, value: JsonValue, hiding: Callable[[], Hidden | None]
) -> SchemaVerdict:
    from referencing import Registry

    if reason := too_much(schema, MAX_NODES):
        return _not_validated(reason)
    if not isinstance(schema, (dict, bool)):
        return _not_validated(NO_SCHEMA.format(brief(schema)))
    dialect = dialect_of(schema)
    if isinstance(dialect, str):
        return _not_validated(dialect)
    if invalid := invalid_because(dialect, schema):
        return _not_validated(f"the schema itself is invalid: {invalid}")

    found: list[Mismatch] = []
    more = 0
    registry: Registry[Any] = Registry()
    errors = dialect(schema, registry=registry).iter_errors(value)
    for mismatch in _mismatches(errors, hiding):
        if len(found) < MAX_ERRORS:
            found.append(mismatch)
        else:
            more += 1
    if not found:
        return SchemaVerdict(Answer.VALID)
    found.sort(key=lambda one: [(isinstance(step, str), step) for step in one.path])
    return SchemaVerdict(Answer.INVALID, tuple(found), more=more)


def _mismatches(
    errors: Iterable[_Error], hiding: Callable[[], Hidden | None] = lambda: None
) -> Iterator[Mismatch]:
    """Turn the library's errors into ours; one for each property that is missing or not allowed.

    The library yields one error for each missing name without saying which, so the first error of a
    rule at a place stands for all of them.
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
            yield Mismatch(path, explain(error, hidden), rule, keyword)
        elif (path, rule) not in seen:
            seen.add((path, rule))
            for name, message in properties:
                yield Mismatch((*path, name), message, rule, keyword)


def _not_validated(reason: str) -> SchemaVerdict:
    return SchemaVerdict(Answer.NOT_VALIDATED, reason=one_line(reason))
