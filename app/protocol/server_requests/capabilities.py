"""What a server is told that it may ask for.

Spec 2025-11-25, basic/lifecycle, "Capability Negotiation"; since 2026-07-28 it comes with every
request, in `_meta`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    # The server is started before anything but the link is imported.
    from ...content.json.jsonio import JsonValue

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


@dataclass(frozen=True, slots=True)
class ClientCapabilities:
    """Everything but what is in `without`, which are some of NAMES."""

    without: frozenset[str] = frozenset()

    def declares(self, name: str) -> bool:
        """Whether the server is told of it, and so may ask for it."""
        if name not in NAMES:
            return False
        if name == ELICITATION:
            return name not in self.without and (self.declares(FORM) or self.declares(URL))
        return not any(name == one or name.startswith(f"{one}.") for one in self.without)

    def as_json(self, *, is_modern: bool) -> dict[str, JsonValue]:
        """As the protocol has it; since 2026-07-28 no change of the roots is told."""
        found: dict[str, JsonValue] = {}
        if self.declares(ELICITATION):
            modes = {FORM: "form", URL: "url"}
            found["elicitation"] = {mode: {} for name, mode in modes.items() if self.declares(name)}
        if self.declares(SAMPLING):
            found["sampling"] = {"tools": {}} if self.declares(SAMPLING_TOOLS) else {}
        if self.declares(ROOTS):
            found["roots"] = {} if is_modern else {"listChanged": True}
        if is_modern and self.declares(TASKS):
            found["extensions"] = {TASKS_EXTENSION: {}}
        return found


ALL_CAPABILITIES: Final = ClientCapabilities()
NO_CAPABILITIES: Final = ClientCapabilities(frozenset(NAMES))
