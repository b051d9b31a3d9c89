"""Detects deprecated tools and their named successors.

The specification has no field for it. Servers write `[DEPRECATED]` into a title or description, or
`deprecated` into `_meta`, alone or under a prefix of their own (`example.com/deprecated`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.text import cut, shortened, visible
from ..findings.findings import Finding, warning

NOT_DEPRECATED: Final = "This tool is not marked as deprecated."
MARK: Final = "depr"
"""The mark beside a deprecated tool in a list."""
MAX_LOOKED_AT: Final = 20_000
"""Characters of a text in which a mark and a successor are looked for."""
_SHOWN: Final = 160
_NAME_SHOWN: Final = 60
_META_KEYS: Final = 1_000

_MARKED: Final = re.compile(
    r"[\[(]\s?deprecated\b[^\[\]()]{0,80}[\])]|^\W{0,8}deprecated\s?[:.!,;–—-]"
    r"|^\W{0,8}(?-i:DEPRECATED)\b",
    re.IGNORECASE,
)
_LEADS: Final = re.compile(
    r"\b(?:please use|use|using|replaced (?:by|with)|superseded by|in favou?r of|prefer|see"
    r"|migrate to|moved to|switch to|call|renamed to|successor:?)\s+"
    r"(?:the )?(?:new )?(?:tool )?(?P<quote>[`'\"“‘]?)(?P<name>[A-Za-z0-9_][\w./\-]{0,127})",
    re.IGNORECASE,
)
_CODE: Final = re.compile(r"`(?P<name>[^`\s]{1,128})`")
_NAME_LIKE: Final = re.compile(r"[A-Za-z0-9]+[_.\-/][\w.\-/]*[A-Za-z0-9]|[a-z]+[A-Z]\w*")


@frozen
class Deprecation:
    """A tool's notice of deprecation. `texts` are raw: they may name a successor."""

    place: str
    """The place of the notice in the definition, as a JSON path."""
    texts: tuple[str, ...]
    says_why: bool = True
    """True if the first text is the notice; False if only a flag is set."""

    @property
    def words(self) -> str:
        """The notice, cut and safe to show; empty if it is only a flag."""
        said = self.texts[0] if self.says_why and self.texts else ""
        return shortened(" ".join(said.split()), _SHOWN)

    @property
    def finding(self) -> Finding:
        words = f": “{self.words}”" if self.words else ""
        return warning("deprecated", f"marked as deprecated{words}", self.place)

    def named(self) -> Iterator[tuple[str, bool]]:
        """Names that may be the successor's, raw, the likeliest first; and whether they look like
        the name of a tool even where no tool has it."""
        for text in self.texts:
            for found in _LEADS.finditer(text):
                name = _bare(found["name"])
                is_quoted = bool(found["quote"])
                yield name, is_quoted or _NAME_LIKE.fullmatch(name) is not None
        for text in self.texts:
            for found in _CODE.finditer(text):
                yield _bare(found["name"]), True


@frozen
class Successor:
    """The tool that replaces a deprecated one; raw names."""

    name: str = ""
    """A tool of the same server; empty where none is named, or an unknown one."""
    unknown: str = ""
    """The named successor, if it is not a tool of the server."""

    @property
    def words(self) -> str:
        """Describe the successor, after "it"; safe to show."""
        if self.name:
            return f"use {_shown(self.name)} instead"
        if self.unknown:
            return f"its successor {_shown(self.unknown)} is not listed by this server"
        return "no successor is named"


def read_deprecation(
    entry: Mapping[str, JsonValue], titles: Mapping[str, str], description: str
) -> Deprecation | None:
    """Read the notice of a definition. `titles` are raw texts by their paths."""
    meta = entry.get("_meta")
    texts = [description[:MAX_LOOKED_AT], *(one[:MAX_LOOKED_AT] for one in titles.values())]
    if isinstance(meta, dict):
        for key in list(meta)[:_META_KEYS]:
            if key != "deprecated" and not key.endswith("/deprecated"):
                continue
            value = meta[key]
            if value is True:
                place = f"$._meta.{visible(cut(key, 80).text)}"
                return Deprecation(place, tuple(texts), says_why=False)
            if isinstance(value, str) and value.strip().casefold() not in ("", "false", "no"):
                said = value[:MAX_LOOKED_AT]
                return Deprecation(f"$._meta.{visible(cut(key, 80).text)}", (said, *texts))
    for path, text in (("$.description", description), *titles.items()):
        if _MARKED.search(text[:MAX_LOOKED_AT]):
            others = [one for one in texts if one != text[:MAX_LOOKED_AT]]
            return Deprecation(path, (text[:MAX_LOOKED_AT], *others))
    return None


def successor_of(name: str, said: Deprecation, names: Iterable[str]) -> Successor:
    """The tool that a deprecated one names in its place; `names` are those of the whole list."""
    known = set(names) - {name}
    unknown = ""
    for one, looks_like_a_name in said.named():
        if one in known:
            return Successor(one)
        if not unknown and looks_like_a_name and one != name:
            unknown = one
    return Successor(unknown=unknown)


def deprecation_json(
    name: str, said: Deprecation | None, names: Iterable[str]
) -> dict[str, JsonValue] | None:
    """The shape that `tools --json` prints; None for a tool that is not deprecated."""
    if said is None:
        return None
    successor = successor_of(name, said, names)
    return {
        "place": said.place,
        "words": said.words or None,
        "successor": successor.name or None,
        "unknown": successor.unknown or None,
    }


def _bare(name: str) -> str:
    return name.rstrip("./-")


def _shown(name: str) -> str:
    return shortened(name, _NAME_SHOWN)
