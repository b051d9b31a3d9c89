"""Client capabilities that Signoff declares, and the roots.

Spec 2025-11-25, basic/lifecycle, "Capability Negotiation"; since 2026-07-28 they come with every
request, in `_meta`. Roots are folders that the user names (spec 2025-11-25, client/roots).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from ...content.files.content import FileFault, place_of
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ..extensions.register import declared_extensions

ELICITATION: Final = "elicitation"
FORM: Final = "elicitation.form"
URL: Final = "elicitation.url"
SAMPLING: Final = "sampling"
SAMPLING_TOOLS: Final = "sampling.tools"
ROOTS: Final = "roots"
TASKS: Final = "tasks"
"""That calls may be answered with tasks: the extension of 2026-07-28."""
TASKS_EXTENSION: Final = "io.modelcontextprotocol/tasks"
ELICIT: Final = "elicitation/create"
OF_METHOD: Final = {
    ELICIT: ELICITATION,
    "sampling/createMessage": SAMPLING,
    "roots/list": ROOTS,
}
"""By which capability a server may ask for what."""
NAMES: Final = (ELICITATION, FORM, URL, SAMPLING, SAMPLING_TOOLS, ROOTS, TASKS)
"""What can be switched off. Part of one that is off is off, too."""


@frozen
class ClientCapabilities:
    """All capabilities except those in `without`, which are some of NAMES."""

    without: frozenset[str] = frozenset()
    experimental: frozenset[str] = frozenset()
    """Names of drafts of extensions that are declared, too."""

    def declares(self, name: str) -> bool:
        """True if the capability is declared to the server, which may use it then."""
        if name not in NAMES:
            return False
        if name == ELICITATION:
            return name not in self.without and (self.declares(FORM) or self.declares(URL))
        return not any(name == one or name.startswith(f"{one}.") for one in self.without)

    def as_json(self, *, is_modern: bool) -> dict[str, JsonValue]:
        """The JSON of the protocol; since 2026-07-28 changes of the roots are not announced."""
        found: dict[str, JsonValue] = {}
        if self.declares(ELICITATION):
            modes = {FORM: "form", URL: "url"}
            found["elicitation"] = {mode: {} for name, mode in modes.items() if self.declares(name)}
        if self.declares(SAMPLING):
            found["sampling"] = {"tools": {}} if self.declares(SAMPLING_TOOLS) else {}
        if self.declares(ROOTS):
            found["roots"] = {} if is_modern else {"listChanged": True}
        tasks: dict[str, JsonValue] = {TASKS_EXTENSION: {}}
        extensions = tasks if is_modern and self.declares(TASKS) else {}
        if extensions := extensions | declared_extensions(self.experimental):
            found["extensions"] = extensions
        return found


def lacking(
    wanted: Mapping[str, JsonValue], declared: Mapping[str, JsonValue], above: str = ""
) -> list[str]:
    """List the wanted capabilities that are not declared, such as `sampling.tools`."""
    found: list[str] = []
    for name, parts in wanted.items():
        has = declared.get(name)
        if has is None:
            found.append(f"{above}{name}")
        elif isinstance(parts, dict) and isinstance(has, dict):
            found += lacking(parts, has, f"{above}{name}.")
    return found


ALL_CAPABILITIES: Final = ClientCapabilities()
NO_CAPABILITIES: Final = ClientCapabilities(frozenset(NAMES))


def relayed_capabilities(experimental: frozenset[str]) -> ClientCapabilities:
    """Those between a host and a server: the host declares its own, and drafts are read along."""
    return replace(NO_CAPABILITIES, experimental=experimental)


LIST_ROOTS: Final = "roots/list"
ROOTS_CHANGED: Final = "notifications/roots/list_changed"
_FILE: Final = "file:"


@frozen
class Root:
    """A place, as a `file:` URI, and its name."""

    uri: str
    name: str = ""

    def as_json(self) -> dict[str, JsonValue]:
        return {"uri": self.uri, "name": self.name} if self.name else {"uri": self.uri}


def read_root(given: str) -> Root:
    """Read `FOLDER`, `NAME=FOLDER`, or either with a `file:` URI. Raises ValueError, in words.

    A folder need not exist: a tester may want to see how the server handles that.
    """
    name, equals, place = given.partition("=")
    if not equals or "/" in name:
        name, place = "", given
    if not place.strip():
        raise ValueError("give a folder, or NAME=FOLDER")
    if place.startswith(_FILE):
        return Root(place, name)
    try:
        path = place_of(place).absolute()
    except FileFault as fault:
        raise ValueError(f"the folder {fault}") from None
    return Root(path.as_uri(), name or path.name)


def roots_result(roots: Sequence[Root]) -> dict[str, JsonValue]:
    """The result of `roots/list`."""
    return {"roots": [one.as_json() for one in roots]}
