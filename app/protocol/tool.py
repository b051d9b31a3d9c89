"""A tool as its server defines it: one entry of `tools/list`, and the values read from it."""

from __future__ import annotations

import re
from dataclasses import field
from typing import Final

from ..content.frozen import frozen
from ..content.json.jsonio import JsonValue, digest
from ..content.text import shortened
from .definitions.deprecation import MARK, Deprecation
from .findings.findings import Finding
from .hints import Effect, Hints
from .visibility import LIKE_ANY_OTHER, Visibility

NAME_LIMIT = 128


@frozen
class ToolDefinition:
    """One entry of `tools/list`, kept as the raw JSON it arrived as.

    `index` is its place in the list and identifies it: names may repeat. `name` is exact, code
    point for code point, as a call sends it; everything that is drawn goes through the properties
    that end in `_shown`.
    """

    index: int
    raw: JsonValue
    name: str
    title: str
    description: str
    hints: Hints
    input_schema: JsonValue
    output_schema: JsonValue
    has_output_schema: bool
    findings: tuple[Finding, ...] = ()
    callable: bool = True
    """False where no `tools/call` can be made of it: no name, no object, or not to be read."""
    search_text: str = field(default="", repr=False)
    reach: Visibility = LIKE_ANY_OTHER
    """Whether a plain call reaches it, and for whom it is meant."""
    deprecation: Deprecation | None = None
    """The notice of deprecation in the definition; None for a tool that is not deprecated."""
    _digest: list[str] = field(default_factory=list, init=False, repr=False, compare=False)
    """The digest, once it was asked for: canonical JSON of a long list takes a while."""

    @property
    def effect(self) -> Effect:
        return self.hints.effect

    @property
    def digest(self) -> str:
        """SHA-256 of the whole raw entry as canonical JSON: the binding of an approval."""
        if not self._digest:
            self._digest.append(digest(self.raw))
        return self._digest[0]

    @property
    def display_name(self) -> str:
        """The exact name, safe to show, at most 128 characters of it."""
        return shortened_name(self.name) if self.name else "(no name)"

    @property
    def title_shown(self) -> str:
        """The title, or the name if there is none; safe to show, at most 128 characters."""
        return shortened_name(self.title) if self.title else self.display_name

    @property
    def has_own_title(self) -> bool:
        """True if the title has other words than the name, fillers aside."""
        return bool(self.title) and _letters(self.title_shown) != _letters(self.display_name)

    @property
    def mark(self) -> str:
        """Mark beside the tool in a list, up to four cells; empty for a plain tool."""
        return MARK if self.deprecation is not None else self.reach.mark

    @property
    def has_duplicate_name(self) -> bool:
        return any(finding.code == "duplicate-name" for finding in self.findings)


def shortened_name(text: str) -> str:
    """A name or title, safe to show, at most 128 characters of it."""
    return shortened(text, NAME_LIMIT)


FILLERS: Final = frozenset({"a", "an", "the", "tool"})
"""Words of a title that describe no tool."""


def _letters(text: str) -> str:
    """The letters and digits of a name or title, without fillers; all of it if there are none."""
    words = re.findall(r"[^\W_]+", text.casefold())
    return "".join(word for word in words if word not in FILLERS) or text
