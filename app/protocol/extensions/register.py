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
    settings: frozenset[str] = frozenset()
    """What a server may set in its declaration; each is a boolean."""
    is_negotiated: bool = True
    """Whether a server has to declare it, too. A client that only reads it may declare it anyway:
    so a server can offer it to those that understand it."""

    @property
    def identifier(self) -> str:
        return _PREFIX + self.name

    @property
    def address(self) -> str:
        """The URL of its text in this revision."""
        repository, _, path = self.source.partition(", ")
        return f"https://{repository}/blob/{self.revision}/{path}"


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
            # A copy of SEP-2848: the newest text is in no branch of the repository of MCP.
            "94ab024c4432affed69da794eafb5d058272604f",
            "github.com/enclawed/omcp, seps/2848-asynchronous-approval-for-tool-calls.md",
            "approvals on the server's side, which a call waits for as a task",
        ),
        Extension(
            "structured-authorization-denials",
            ExtensionStage.EXPERIMENTAL,
            "6bff817cb884f7065fd5b3d37c4973d1f8b3fa87",
            "github.com/modelcontextprotocol/modelcontextprotocol, "
            "seps/2643-structured-authorization-denials.md",
            "denials with a classification, a handle and hints at a remedy",
        ),
        Extension(
            "skills",
            ExtensionStage.BETA,
            "0682b7b6e9e661fbf8538e27cbd3e7282927b45a",
            "github.com/modelcontextprotocol/ext-skills, specification/stable/skills.mdx",
            "instructions for a model, in files with digests",
            settings=frozenset(("directoryRead",)),
        ),
        Extension(
            "server-cards",
            ExtensionStage.BETA,
            "8924e08682b4a936e6464b57845ec2ff17dc8776",
            "github.com/modelcontextprotocol/experimental-ext-server-card, docs/discovery.md",
            "a document on a server, read before it is connected to",
            is_declared=False,
        ),
        Extension(
            "display-templates",
            ExtensionStage.EXPERIMENTAL,
            "52231bc1e840a88d43ccf97cbeb1c7043ebff604",
            f"{_ANNOTATIONS}, specification/draft/display-templates.mdx",
            "one line of text for a call, and for each block of its result",
            is_negotiated=False,
        ),
        Extension(
            "trust-annotations",
            ExtensionStage.EXPERIMENTAL,
            "34640fb89cd246dd8bb1d8faed30e141bb8b31dd",
            f"{_ANNOTATIONS}, specification/draft/conformance/trust-annotations/README.md",
            "labels of results: sensitive, untrusted, and references to evidence",
            is_negotiated=False,
        ),
        Extension(
            "action-metadata",
            ExtensionStage.EXPERIMENTAL,
            "d1685e02c76f7201be5dfa7037e2e889f2072b63",
            f"{_ANNOTATIONS}, sdk/python/src/trust_types.py",
            "where the input of a tool goes, what its output is, and its outcome",
            is_negotiated=False,
        ),
    )
}
"""By the name for `--experimental`, in the order of their listing."""


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


def _declaration(name: str, capabilities: Mapping[str, JsonValue]) -> JsonValue:
    """What a server declares of the extension `name`; None if nothing."""
    declared = capabilities.get("extensions")
    return declared.get(EXTENSIONS[name].identifier) if isinstance(declared, dict) else None


def is_declared_by(name: str, capabilities: Mapping[str, JsonValue]) -> bool:
    """Whether a server that declares `capabilities` declares the extension `name` at all."""
    return _declaration(name, capabilities) is not None


def not_in_use(name: str, capabilities: Mapping[str, JsonValue]) -> NotInUse | None:
    """Why the extension `name` is not in use with a server that declares `capabilities`.

    None if it is. An object that is not empty is another revision, which must not be enabled
    (SEP-3392; tool-resolution, "Negotiation"). One that is only read is always in use.
    """
    if not EXTENSIONS[name].is_negotiated:
        return None
    settings = _declaration(name, capabilities)
    if settings is None:
        return NotInUse.MISSING
    known = EXTENSIONS[name].settings
    is_known = isinstance(settings, dict) and all(
        one in known and isinstance(value, bool) for one, value in settings.items()
    )
    return None if is_known else NotInUse.SETTINGS


def setting(name: str, word: str, capabilities: Mapping[str, JsonValue]) -> bool:
    """Whether a server that declares `capabilities` sets `word` in its declaration of `name`."""
    settings = _declaration(name, capabilities)
    return isinstance(settings, dict) and settings.get(word) is True
