"""Hosts and libraries, with the shape of their models' data: `model.toml` of each."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final, NamedTuple

from ...content.frozen import frozen
from ...content.suggest import did_you_mean
from ...content.text import visible
from ..folders import (
    LAST,
    FactError,
    Stamp,
    another_type,
    host_fact,
    host_tables,
    known_fact,
    known_with,
    own_stamp,
    own_with,
)

NOT_KNOWN: Final = "not known"
ALL: Final = "all"
"""The name of all hosts, where hosts are named."""


class ContentForm(StrEnum):
    """What becomes of the content."""

    TEXT = "text"
    ITEMS = "items"
    STRINGS = "strings"
    CONTENT = "content"
    RESULT = "result"
    NOT_KNOWN = NOT_KNOWN


class Structured(StrEnum):
    """What becomes of structuredContent."""

    ALONE = "alone"
    WITHOUT_CONTENT = "without-content"
    AFTER_CONTENT = "after-content"
    APPENDED = "appended"
    BEFORE_CONTENT = "before-content"
    DROPPED = "dropped"
    WITH_CONTENT = "with-content"
    NOT_KNOWN = NOT_KNOWN


class Rendering(StrEnum):
    """What becomes of a block that is not a text."""

    TEXT = "text"
    JSON = "json"
    SNAKE_JSON = "snake-json"
    ITSELF = "itself"
    WORDS = "words"
    DROPPED = "dropped"
    ENDS = "ends"
    NOT_KNOWN = NOT_KNOWN


@frozen
class Rendered:
    """The rendering of one kind of block, with the host's words about it."""

    how: Rendering = Rendering.NOT_KNOWN
    words: str = ""
    """A template: its placeholders are in braces."""
    ahead: str = ""
    """The same, before everything else."""
    after: str = ""
    """The same, as a text of its own after all others."""
    is_beside: bool = False
    """True if the model gets the block itself too, outside the result."""
    is_maybe_beside: bool = False
    """True if it is not known whether it does."""

    @property
    def is_told(self) -> bool:
        """True if the model gets words about the block without its text."""
        return self.how is Rendering.WORDS and "{text}" not in self.words


@frozen
class Excerpt:
    """The known facts about the cutting of a large text."""

    whole_to: int
    """Characters up to which a text is kept whole; at least the length of a cut one."""
    words: str


LARGE: Final = 200_000
"""Characters of the largest text that was measured."""
ENDS: Final = "ends"
UNCHECKED: Final = "unchecked"


class ErrorForm(StrEnum):
    """What becomes of isError."""

    LOST = "lost"
    BEFORE = "before"
    MARKED = "marked"
    MEMBER = "member"
    FLAGGED = "flagged"
    OBJECT = "object"
    WORDS_LOST = "words-lost"
    WRAPPED = "wrapped"
    NOT_KNOWN = NOT_KNOWN


@frozen
class ModelHost:
    """One host or library in one version: the facts known about its model's data."""

    id: str
    title: str
    kind: str
    """`host` or `library`."""
    version: str
    date: str
    basis: str
    """`measured` or `read`."""
    source: str
    surface: str
    form: ContentForm
    structured: Structured
    renderings: Mapping[str, Rendered]
    """By the kind of a block; a missing kind is not known."""
    error: ErrorForm
    join: str
    """Between the parts of one text; `newlines` if their number is not known."""
    before: str
    around: tuple[str, str]
    error_words: str
    """The host's words before an error, or in place of it; for `wrapped` a template."""
    number_error: str
    """The error in place of a text that is only a number; empty if that is a text like others."""
    empty: str | None
    """The text for a result without blocks; None if it is not known."""
    breaks_schema: str | None
    """The words in place of a structuredContent that breaks its schema; `UNCHECKED`, `ENDS`, or
    None if it is not known.
    """
    structured_after: str
    """A template of structuredContent after the content."""
    dropped_members: tuple[str, ...]
    """Members of blocks that the JSON of blocks does not have."""
    rewrites_json: bool
    """True if a text that is a JSON object or array is parsed and written again."""
    drops_hidden: bool
    """True if characters of the Unicode category Cf are removed from texts, joiners not."""
    large: Excerpt | None
    """None if a large text is kept whole, or nothing is known of it."""
    notes: tuple[str, ...]

    @property
    def words(self) -> str:
        """Title and version, such as `Codex 0.169.0`."""
        return f"{self.title} {self.version}"

    @property
    def basis_words(self) -> str:
        """The basis of the facts with date, surface and source."""
        how = f" with {self.surface}" if self.surface else ""
        return f"{self.basis} {self.date}{how}, {self.source}"

    @property
    def shape_words(self) -> tuple[str, ...]:
        """The facts, a phrase each."""
        found = [_FORM_WORDS[self.form]]
        if self.form is ContentForm.TEXT:
            found.append(_JOIN_WORDS[self.join])
        found.append(_STRUCTURED_WORDS[self.structured])
        found.append(f"an error {_ERROR_WORDS[self.error]}")
        if self.drops_hidden:
            found.append("hidden characters are removed from texts")
        if self.breaks_schema == ENDS:
            found.append("structuredContent that breaks its schema ends the run")
        elif self.breaks_schema not in (None, UNCHECKED):
            found.append("structuredContent that breaks its schema becomes an error")
        if self.large is not None:
            found.append(f"of {LARGE:,} characters {self.large.words}")
        return tuple(found)

    def rendered(self, kind: str) -> Rendered:
        """The rendering of a kind of block."""
        return self.renderings.get(kind, _NOT_RENDERED)


_NOT_RENDERED: Final = Rendered()
_FORM_WORDS: Final = {
    ContentForm.TEXT: "one text",
    ContentForm.ITEMS: "a text for each part",
    ContentForm.STRINGS: "a JSON array of the texts",
    ContentForm.CONTENT: "content as JSON",
    ContentForm.RESULT: "the whole result as JSON",
    ContentForm.NOT_KNOWN: "how it passes content on was not measured",
}
_JOIN_WORDS: Final = {
    "": "parts joined without a separator",
    "\n": "parts joined by a newline",
    "\n\n": "parts joined by an empty line",
    "newlines": "parts joined by newlines, their number is not known",
}
_STRUCTURED_WORDS: Final = {
    Structured.ALONE: "structuredContent replaces content",
    Structured.WITHOUT_CONTENT: "structuredContent is dropped if there is content",
    Structured.AFTER_CONTENT: "structuredContent after the content",
    Structured.APPENDED: "structuredContent after the content, repeated or not",
    Structured.BEFORE_CONTENT: "structuredContent before the content",
    Structured.DROPPED: "structuredContent is dropped",
    Structured.WITH_CONTENT: "structuredContent beside content",
    Structured.NOT_KNOWN: "structuredContent: not known",
}
_ERROR_WORDS: Final = {
    ErrorForm.LOST: "looks like a success",
    ErrorForm.BEFORE: "is marked before the text",
    ErrorForm.MARKED: "is marked, but the mark is not known",
    ErrorForm.MEMBER: "keeps isError",
    ErrorForm.FLAGGED: "is flagged beside its content, without its structuredContent",
    ErrorForm.OBJECT: "becomes a JSON object",
    ErrorForm.WORDS_LOST: "loses the server's words",
    ErrorForm.WRAPPED: "is wrapped in the host's words",
    ErrorForm.NOT_KNOWN: "is passed on in a way that was not measured",
}
RENDERED: Final = ("resource", "image", "audio", "blob", "link")
"""The kinds of blocks that have a rendering of their own."""


_FILE: Final = "model.toml"


def model_hosts() -> Mapping[str, ModelHost]:
    """The hosts and libraries by id, in the order of the table; a broken file of the person's is
    left out, and nothing replaces it.
    """
    return _read(own_stamp()).hosts


def problems_of_models() -> tuple[str, ...]:
    """The problems of `model.toml` in folders of the person's."""
    return _read(own_stamp()).problems


class _ReadHost(NamedTuple):
    hosts: Mapping[str, ModelHost]
    problems: tuple[str, ...]


@lru_cache(maxsize=2)
def _read(stamp: Stamp) -> _ReadHost:
    own = own_with(_FILE)
    rows = [
        one
        for name in known_with(_FILE)
        if name not in own
        for one in tomllib.loads(known_fact(name, _FILE))["host"]
    ]
    problems = []
    for name in own:
        try:
            rows += _own_rows(name, {one["id"] for one in rows})
        except FactError as problem:
            problems.append(str(problem))
    rows.sort(key=lambda one: (one.get("rank", LAST), one["id"]))
    return _ReadHost({one["id"]: _host(one) for one in rows}, tuple(problems))


_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "rank": int,
    "around": list,
    "dropped-members": list,
    "notes": list,
    "rewrites-json": bool,
    "large": dict,
}
"""Of values in a file of the person's; all others are texts, of blocks also tables."""


def _own_rows(name: str, taken: Collection[str]) -> list[dict[str, Any]]:
    """The rows of a file of the person's, checked. Raises FactError."""
    where = f"{name}/{_FILE}"
    try:
        raw = tomllib.loads(host_fact(name, _FILE))
        rows = host_tables(raw, where)
        for row in rows:
            _check_own(name, row, where, taken)
            _host(row)
    except tomllib.TOMLDecodeError as problem:
        raise FactError(f"{where}: {problem}") from None
    except KeyError as problem:
        raise FactError(f"{where}: {problem.args[0]}: missing") from None
    except (TypeError, ValueError, AttributeError) as problem:
        raise FactError(f"{where}: {problem}") from None
    return rows


def _check_own(name: str, row: Any, where: str, taken: Collection[str]) -> None:
    if not isinstance(row, dict):
        raise FactError(f"{where}: host is not a table")
    for key, value in row.items():
        wanted = _TYPES.get(key, (str, dict) if key in RENDERED else str)
        is_fit = isinstance(value, wanted)
        if is_fit and key == "large":
            is_fit = isinstance(value["whole-to"], int) and isinstance(value["words"], str)
        elif is_fit and not isinstance(value, str | int):
            parts = value.values() if isinstance(value, dict) else value
            is_fit = all(isinstance(one, str) for one in parts)
        if not is_fit:
            raise FactError(another_type(where, key))
    if row["id"] in taken or not (row["id"] == name or row["id"].startswith(f"{name}-")):
        raise FactError(f"{where}: an id is {name}, or begins with {name}-")


class UnknownModelHost(ValueError):
    """A name that no host of the table has; the message is safe to show."""


def picked(names: Sequence[str]) -> tuple[ModelHost, ...]:
    """The hosts with these ids, in this order; `all` or no name means every one.

    Raises UnknownModelHost.
    """
    hosts = model_hosts()
    if not names or ALL in names:
        return tuple(hosts.values())
    for name in names:
        if name not in hosts:
            raise UnknownModelHost(_unknown(name, hosts))
    return tuple(hosts[name] for name in dict.fromkeys(names))


def _unknown(name: str, hosts: Collection[str]) -> str:
    hint = did_you_mean(name, hosts) or f": use {ALL}, or some of {', '.join(hosts)}"
    return f"no measured host is named “{visible(name)}”{hint}"


_KEYS: Final = (
    "rank",
    *("id", "title", "kind", "version", "date", "basis", "source", "surface", "form", "join"),
    *("before", "around", "structured", "structured-after", "error", "error-words"),
    *("number-error", "empty", "breaks-schema", "dropped-members", "rewrites-json", "large"),
    "drops-hidden",
    *("notes",),
    *RENDERED,
)


def _host(row: Mapping[str, Any]) -> ModelHost:
    if strange := row.keys() - set(_KEYS):
        raise ValueError(f"unknown keys of {row['id']}: {sorted(strange)}")
    first, last = row.get("around", ("", ""))
    return ModelHost(
        id=row["id"],
        title=row["title"],
        kind=row["kind"],
        version=row["version"],
        date=row["date"],
        basis=row["basis"],
        source=row["source"],
        surface=row.get("surface", ""),
        form=ContentForm(row.get("form", NOT_KNOWN)),
        structured=Structured(row.get("structured", NOT_KNOWN)),
        renderings={key: _rendered(row[key]) for key in RENDERED if key in row},
        error=ErrorForm(row.get("error", NOT_KNOWN)),
        join=row.get("join", "newlines"),
        before=row.get("before", ""),
        around=(first, last),
        error_words=row.get("error-words", ""),
        number_error=row.get("number-error", ""),
        empty=row.get("empty"),
        breaks_schema=row.get("breaks-schema"),
        structured_after=row.get("structured-after", ""),
        dropped_members=tuple(row.get("dropped-members", ())),
        rewrites_json=row.get("rewrites-json", False),
        drops_hidden=row.get("drops-hidden", False),
        large=Excerpt(row["large"]["whole-to"], row["large"]["words"]) if "large" in row else None,
        notes=tuple(row.get("notes", ())),
    )


def _rendered(raw: str | Mapping[str, Any]) -> Rendered:
    """Read a rendering: one of `Rendering`, the host's words, or a table of these."""
    row: Mapping[str, Any] = {"form": raw} if isinstance(raw, str) else raw
    form = row["form"]
    is_words = form not in set(Rendering)
    beside = row.get("beside", "no")
    return Rendered(
        how=Rendering.WORDS if is_words else Rendering(form),
        words=form if is_words else "",
        ahead=row.get("ahead", ""),
        after=row.get("after", ""),
        is_beside=beside == "yes",
        is_maybe_beside=beside == NOT_KNOWN,
    )
