"""A probe: one tool, a call of it, and the result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

SERVER_NAME: Final = "probes"
"""The name under which hosts are given the probe server."""
NOTE_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"note": {"type": "string", "description": "A word to write down"}},
    "required": ["note"],
}


@dataclass(frozen=True)
class Probe:
    """One tool, a call of it, and the result."""

    id: str
    """Unique and stable: `hints/readOnly=true`."""
    family: str
    """A key of `probes.FAMILIES`."""
    tool: dict[str, Any]
    """The definition as `tools/list` has it."""
    arguments: dict[str, Any]
    result: dict[str, Any]
    """The result of `tools/call`."""
    act: str = ""
    """What the server does before it answers, such as `elicit-form`; empty for nothing."""
    beside: dict[str, Any] | None = None
    """Arguments of a second call, which the model makes in the same turn."""
    words: str = ""
    """What the probe is, for a table."""
    canaries: dict[str, str] = field(default_factory=dict)
    """Texts that a question may show: name of the part, to the text."""

    @property
    def name(self) -> str:
        """The name of the tool."""
        return str(self.tool["name"])

    @property
    def hints(self) -> dict[str, Any]:
        """The hints as declared, without the title."""
        annotations = self.tool.get("annotations")
        if not isinstance(annotations, dict):
            return {}
        return {key: value for key, value in annotations.items() if key != "title"}


def tool_of(name: str, hints: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
    """The definition of a tool with these hints, None for no `annotations`, and more members."""
    tool: dict[str, Any] = {
        "name": name,
        "description": f"Writes a word down and returns it ({name}).",
        "inputSchema": NOTE_SCHEMA,
    }
    if hints is not None:
        tool["annotations"] = hints
    return {**tool, **more}


def text_result(words: str) -> dict[str, Any]:
    """A result of one text."""
    return {"content": [{"type": "text", "text": words}], "isError": False}
