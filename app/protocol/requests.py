"""Requests to a server that need approval: a tool call, a resource read, or a prompt.

A request has the method and the definition by which it is judged. Its arguments are in the snapshot
alone, from which the dialog is drawn and the sent params are read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from ..content.frozen import frozen
from .rpc import CALL_METHOD, PROMPT_METHOD, READ_METHOD
from .tool import ToolDefinition, shortened_name
from .tool_reading import read_tool

if TYPE_CHECKING:
    from ..content.json.jsonio import JsonValue
    from .findings.findings import Finding
    from .hints import Effect, Hints


@frozen
class ToolCall:
    """`tools/call` of a tool (spec 2025-11-25, server/tools, "Calling Tools")."""

    tool: ToolDefinition
    method: ClassVar[str] = CALL_METHOD

    @property
    def definition(self) -> ToolDefinition:
        """Definition that policies, grants and digests use."""
        return self.tool

    @property
    def name(self) -> str:
        """Exact name, as sent and logged."""
        return self.tool.name

    @property
    def display_name(self) -> str:
        return self.tool.display_name

    @property
    def effect(self) -> Effect:
        return self.tool.effect

    @property
    def hints(self) -> Hints:
        return self.tool.hints

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.tool.findings

    def asks_for(self, params: JsonValue) -> JsonValue:
        """The arguments in the params of a request on the wire; None if it is another one."""
        given = params if isinstance(params, dict) else {}
        return given.get("arguments") if given.get("name") == self.tool.name else None


@frozen
class ResourceRead:
    """`resources/read` of a URI (spec 2025-11-25, server/resources, "Reading Resources").

    No server declares other effects of a read, so no hints are set.
    """

    uri: str
    method: ClassVar[str] = READ_METHOD
    tool: ClassVar[None] = None
    findings: ClassVar[tuple[Finding, ...]] = ()

    @property
    def definition(self) -> ToolDefinition:
        """Definition that policies, grants and digests use: Signoff's own, the same for all
        reads.
        """
        return SILENT

    @property
    def name(self) -> str:
        return READ_METHOD

    @property
    def display_name(self) -> str:
        """`read demo://notes/1`, safe to show, at most 128 characters of it."""
        return shortened_name(f"read {self.uri}".strip())

    @property
    def effect(self) -> Effect:
        return SILENT.effect

    @property
    def hints(self) -> Hints:
        return SILENT.hints

    def asks_for(self, params: JsonValue) -> JsonValue:
        """Return the params of a read as the arguments in a snapshot."""
        given = params if isinstance(params, dict) else {}
        return {"uri": given.get("uri")}


@frozen
class PromptGet:
    """`prompts/get` of a prompt (spec 2025-11-25, server/prompts, "Getting a Prompt").

    Its server runs code for it, and no hints are set on its effects.
    """

    prompt: str
    """The exact name."""
    method: ClassVar[str] = PROMPT_METHOD
    tool: ClassVar[None] = None
    findings: ClassVar[tuple[Finding, ...]] = ()

    @property
    def definition(self) -> ToolDefinition:
        """Definition that policies, grants and digests use: Signoff's own, the same for all
        prompts.
        """
        return SILENT_PROMPT

    @property
    def name(self) -> str:
        return PROMPT_METHOD

    @property
    def display_name(self) -> str:
        """`prompt` and the name of the prompt, safe to show, at most 128 characters of it."""
        return shortened_name(f"prompt {self.prompt}".strip())

    @property
    def effect(self) -> Effect:
        return SILENT_PROMPT.effect

    @property
    def hints(self) -> Hints:
        return SILENT_PROMPT.hints

    def asks_for(self, params: JsonValue) -> JsonValue:
        """Return the params of a prompt as the arguments in a snapshot."""
        given = params if isinstance(params, dict) else {}
        return {"name": given.get("name"), "arguments": given.get("arguments")}


Unclaimed = ResourceRead | PromptGet
"""Requests without a definition in the server's lists, and so without hints."""
Request = ToolCall | Unclaimed

_URI_ALONE: Final[JsonValue] = {
    "type": "object",
    "properties": {"uri": {"type": "string"}},
    "required": ["uri"],
    "additionalProperties": False,
}
_NAME_AND_STRINGS: Final[JsonValue] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "arguments": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "required": ["name", "arguments"],
    "additionalProperties": False,
}


def _silent(method: str, schema: JsonValue) -> ToolDefinition:
    made = read_tool(0, {"name": method, "inputSchema": schema})
    return replace(made, raw={"method": method}, findings=())


SILENT: Final = _silent(READ_METHOD, _URI_ALONE)
"""A definition that claims nothing, since policies are written for tools and go by their hints.

A server may list a tool of that very name. Its raw entry has a name, and this one has none, so
their digests differ, and with them everything that is approved, remembered and sent.
"""
SILENT_PROMPT: Final = _silent(PROMPT_METHOD, _NAME_AND_STRINGS)
"""Likewise, for prompts."""
SILENT_BY_METHOD: Final = {READ_METHOD: SILENT, PROMPT_METHOD: SILENT_PROMPT}


class CallName(NamedTuple):
    """Identifies a call: no two have the same name, on however many servers."""

    server: str
    """The configured name."""
    number: int
