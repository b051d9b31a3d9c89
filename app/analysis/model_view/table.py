"""The table of hosts and libraries with the shape of their models' data, read from `hosts.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Final

from ...content.frozen import frozen
from ...content.suggest import did_you_mean
from ...content.text import visible

_FILE: Final = Path(__file__).with_name("hosts.toml")
NOT_KNOWN: Final = "not known"
ALL: Final = "all"
"""The name of all hosts, where hosts are named."""


class Form(StrEnum):
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
    DROPPED = "dropped"
    WITH_CONTENT = "with-content"
    NOT_KNOWN = NOT_KNOWN


class Rendering(StrEnum):
    """What becomes of a block that is not a text."""

    TEXT = "text"
    JSON = "json"
    SNAKE_JSON = "snake-json"
    NOT_KNOWN = NOT_KNOWN


class ErrorForm(StrEnum):
    """What becomes of isError."""

    LOST = "lost"
    BEFORE = "before"
    MARKED = "marked"
    MEMBER = "member"
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
    form: Form
    structured: Structured
    renderings: Mapping[str, Rendering]
    """By the kind of a block; a missing kind is not known."""
    error: ErrorForm
    join: str
    """Between the parts of one text; `newlines` if their number is not known."""
    before: str
    around: tuple[str, str]
    error_before: str
    number_error: str
    """The error in place of a text that is only a number; empty if that is a text like others."""
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
        if self.form is Form.TEXT:
            found.append(_JOIN_WORDS[self.join])
        found.append(_STRUCTURED_WORDS[self.structured])
        found.append(f"an error {_ERROR_WORDS[self.error]}")
        return tuple(found)


_FORM_WORDS: Final = {
    Form.TEXT: "one text",
    Form.ITEMS: "a text for each part",
    Form.STRINGS: "a JSON array of the texts",
    Form.CONTENT: "content as JSON",
    Form.RESULT: "the whole result as JSON",
    Form.NOT_KNOWN: "the form of content is not known",
}
_JOIN_WORDS: Final = {
    "": "parts joined without a separator",
    "\n": "parts joined by a newline",
    "\n\n": "parts joined by an empty line",
    "newlines": "parts joined by newlines, their number is not known",
}
_STRUCTURED_WORDS: Final = {
    Structured.ALONE: "structuredContent replaces content",
    Structured.DROPPED: "structuredContent is dropped",
    Structured.WITH_CONTENT: "structuredContent beside content",
    Structured.NOT_KNOWN: "structuredContent: not known",
}
_ERROR_WORDS: Final = {
    ErrorForm.LOST: "looks like a success",
    ErrorForm.BEFORE: "is marked before the text",
    ErrorForm.MARKED: "is marked, but the mark is not known",
    ErrorForm.MEMBER: "keeps isError",
    ErrorForm.OBJECT: "becomes a JSON object",
    ErrorForm.WORDS_LOST: "loses the server's words",
    ErrorForm.WRAPPED: "is wrapped in the host's words",
    ErrorForm.NOT_KNOWN: "is shown in a form that is not known",
}
RENDERED: Final = ("resource", "image", "audio", "blob", "link")
"""The kinds of blocks that have a rendering of their own."""


@cache
def model_hosts() -> Mapping[str, ModelHost]:
    """The hosts and libraries by id, in the order of the table."""
    data = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return {one["id"]: _host(one) for one in data["host"]}


class UnknownHost(ValueError):
    """A name that no host of the table has; the message is safe to show."""


def picked(names: Sequence[str]) -> tuple[ModelHost, ...]:
    """The hosts with these ids, in this order; `all` or no name means every one.

    Raises UnknownHost.
    """
    hosts = model_hosts()
    if not names or ALL in names:
        return tuple(hosts.values())
    for name in names:
        if name not in hosts:
            raise UnknownHost(_unknown(name, hosts))
    return tuple(hosts[name] for name in dict.fromkeys(names))


def _unknown(name: str, hosts: Collection[str]) -> str:
    hint = did_you_mean(name, hosts) or f": use {ALL}, or some of {', '.join(hosts)}"
    return f"no measured host is named “{visible(name)}”{hint}"


_KEYS: Final = (
    *("id", "title", "kind", "version", "date", "basis", "source", "surface", "form", "join"),
    *("before", "around", "structured", "error", "error-before", "number-error", "notes"),
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
        form=Form(row.get("form", NOT_KNOWN)),
        structured=Structured(row.get("structured", NOT_KNOWN)),
        renderings={key: Rendering(row[key]) for key in RENDERED if key in row},
        error=ErrorForm(row.get("error", NOT_KNOWN)),
        join=row.get("join", "newlines"),
        before=row.get("before", ""),
        around=(first, last),
        error_before=row.get("error-before", ""),
        number_error=row.get("number-error", ""),
        notes=tuple(row.get("notes", ())),
    )
