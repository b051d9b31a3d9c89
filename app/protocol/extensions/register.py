"""Drafts of extensions that `--experimental` turns on, with the revision that each was built on.

An extension is negotiated by its identifier in the `extensions` of the capabilities (spec
2026-07-28, SEP-2133, "Negotiation"). Nothing of it is on the wire unless it is turned on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Final, NamedTuple

from ...content.json.jsonio import JsonValue

_PREFIX: Final = "io.modelcontextprotocol/"
_ANNOTATIONS: Final = "github.com/modelcontextprotocol/experimental-ext-tool-annotations"


class ExtensionStage(Enum):
    """How far a draft has come (SEP-3392)."""

    EXPERIMENTAL = "experimental"
    BETA = "beta"


class Extension(NamedTuple):
    """One draft. `revision` is the commit, or the date, of the text that Signoff was built on."""

    name: str
    """The word of `--experimental`."""
    stage: ExtensionStage
    revision: str
    source: str
    """Where its text is."""
    about: str
    """A noun phrase: what it adds."""
    is_declared: bool = True
    """Whether a client declares it; one that is only read, or only fetched, needs no capability."""

    @property
    def identifier(self) -> str:
        return _PREFIX + self.name


EXTENSIONS: Final[Mapping[str, Extension]] = {
    one.name: one
    for one in (
        Extension(
            "tool-resolution",
            ExtensionStage.EXPERIMENTAL,
            "5d1276ff234303090aa07821254f75849af60bfc",
            f"{_ANNOTATIONS}, specification/draft/tool-resolution.mdx",
            "hints for the exact arguments of a call, before it",
        ),
        Extension(
            "tool-approval",
            ExtensionStage.EXPERIMENTAL,
            "94ab024c4432affed69da794eafb5d058272604f",
            "github.com/enclawed/omcp, seps/2848-asynchronous-approval-for-tool-calls.md: copy of "
            "pull request 2848 of MCP, newer than its commit of 2026-06-08",
            "approvals on the server's side, which a call waits for as a task",
        ),
        Extension(
            "structured-authorization-denials",
            ExtensionStage.EXPERIMENTAL,
            "6bff817cb884f7065fd5b3d37c4973d1f8b3fa87",
            "github.com/modelcontextprotocol/modelcontextprotocol, pull request 2643, "
            "seps/2643-structured-authorization-denials.md of 2026-08-21",
            "denials with a classification, a handle and hints at a remedy",
        ),
    )
}
"""By the word of `--experimental`, in the order of their listing."""


def read_names(words: str) -> frozenset[str]:
    """Read names with commas between, each one of EXTENSIONS."""
    return frozenset(one.strip() for one in words.split(",") if one.strip())


def declared_extensions(names: Iterable[str]) -> dict[str, JsonValue]:
    """The member `extensions` of a client's capabilities; empty if none of `names` is declared."""
    return {
        one.identifier: {} for one in EXTENSIONS.values() if one.name in names and one.is_declared
    }


class NotInUse(Enum):
    """Why an extension that is turned on is not in use with a server."""

    MISSING = "the server does not declare it"
    SETTINGS = "the server declares settings that this revision of the draft does not have"


def not_in_use(name: str, capabilities: Mapping[str, JsonValue]) -> NotInUse | None:
    """Why the extension `name` is not in use with a server that declares `capabilities`.

    None if it is. An object that is not empty is another revision, which must not be enabled
    (SEP-3392; tool-resolution, "Negotiation").
    """
    declared = capabilities.get("extensions")
    settings = declared.get(EXTENSIONS[name].identifier) if isinstance(declared, dict) else None
    if settings is None:
        return NotInUse.MISSING
    return None if settings == {} else NotInUse.SETTINGS
