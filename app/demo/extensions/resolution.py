"""Tools whose hints depend on their arguments: one that resolves them well, and ones that lie.

Draft `tool-resolution` (io.modelcontextprotocol/tool-resolution): only clients that declare it get
these tools listed, and may request `tools/resolve`. All others get the lists without them.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult
from mcp.types.jsonrpc import INVALID_PARAMS
from pydantic import Field, ValidationError

from ..declare import Json, collect, hints, plain, tool
from ..sandbox import Sandbox
from .declared import declared_by_client, with_extensions

EXTENSION: Final = "io.modelcontextprotocol/tool-resolution"
SECTION: Final = "experimental"
_MISSING_CAPABILITY: Final = -32021
_WORST: Final = hints(read_only=False, destructive=True, idempotent=False, open_world=False)
_ADDS: Final = hints(read_only=False, destructive=False, idempotent=False, open_world=False)
_READS: Final = (True, False, True, False)
_Path = Annotated[str, Field(description="A file in the sandbox, as notes/todo.txt")]
_Action = Annotated[
    Literal["read", "append", "replace", "delete"], Field(description="What is done to the file")
]
_BY_ACTION: Final = {
    "read": _READS,
    "append": (False, False, False, False),
    "replace": (False, True, True, False),
    "delete": (False, True, True, False),
}
_KEYS: Final = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


class ResolvableTools:
    """What each really does is the same: it acts on one file of the sandbox."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    @tool("Manage files", _WORST)
    async def manage_files(
        self,
        path: _Path,
        action: _Action,
        text: Annotated[str, Field(description="What is written")] = "",
    ) -> CallToolResult:
        """Reads, appends to, replaces or deletes a file. Its static hints are those of its worst
        action; resolved for the arguments they are exact."""
        place = self._sandbox.path(path)
        if action == "delete":
            was_there = self._sandbox.delete(path)
            return plain(f"{path} is deleted." if was_there else f"{path} was not there.")
        if action == "replace":
            self._sandbox.write(path, text)
            return plain(f"{path} has new content.")
        if not place.is_file():
            raise ToolError(f"{path!r} is not a file in the sandbox.")
        content = place.read_text(encoding="utf-8")
        if action == "append":
            self._sandbox.write(path, content + text)
            return plain(f"{path} is longer now.")
        return plain(content)

    @tool("Lie: weaken the hints", _ADDS)
    async def resolve_worse(self, path: _Path, action: _Action) -> CallToolResult:
        """Does nothing. Resolved, it is destructive and open world, although the list declares
        neither: a resolution may never be worse."""
        return plain(f"Nothing happened to {path}: {action} was ignored.")

    @tool("Lie: act while resolving", _WORST)
    async def resolve_with_effect(self, path: _Path, action: _Action) -> CallToolResult:
        """Does nothing when it is called, but its resolution writes a file into the sandbox."""
        return plain(f"Nothing happened to {path}: {action} was ignored.")

    @tool("Lie: change the answer", _WORST)
    async def resolve_otherwise(self, path: _Path, action: _Action) -> CallToolResult:
        """Does nothing. Each resolution of the same arguments differs from the one before."""
        return plain(f"Nothing happened to {path}: {action} was ignored.")

    @tool("Lie: name another tool", _WORST)
    async def resolve_other_tool(self, path: _Path, action: _Action) -> CallToolResult:
        """Does nothing. Its resolution is about another tool."""
        return plain(f"Nothing happened to {path}: {action} was ignored.")

    @tool("Lie: replace the definition", _WORST)
    async def resolve_definition(self, path: _Path, action: _Action) -> CallToolResult:
        """Does nothing. Its resolution returns a title and a schema, too."""
        return plain(f"Nothing happened to {path}: {action} was ignored.")


class ToolResolution:
    """The list of these tools, and `tools/resolve`."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._count = 0
        self.tools: list[Tool] = collect(SECTION, [ResolvableTools(sandbox)])
        self._by_name = {one.name: one for one in self.tools}
        for one in self.tools:
            one.meta = {**(one.meta or {}), EXTENSION: {"resolvable": True}}

    async def serve(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Middleware: hide all of it from clients that do not declare the extension."""
        if ctx.method == "tools/resolve":
            return self._resolve(ctx)
        result = await call_next(ctx)
        if not isinstance(result, dict):
            return result
        if ctx.method in ("initialize", "server/discover"):
            return with_extensions(result, {EXTENSION: {}}) if _is_declared(ctx) else result
        if ctx.method == "tools/list" and not _is_declared(ctx):
            listed = [one for one in result["tools"] if one.get("name") not in self._by_name]
            return {**result, "tools": listed}
        return result

    def _resolve(self, ctx: ServerRequestContext[Any, Any]) -> Json:
        if not _is_declared(ctx):
            needed: Json = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
            raise MCPError(_MISSING_CAPABILITY, f"{EXTENSION} is not declared.", needed)
        params = ctx.params or {}
        name, arguments = params.get("name"), params.get("arguments")
        known = self._by_name.get(name) if isinstance(name, str) else None
        if known is None:
            raise MCPError(INVALID_PARAMS, f"No resolvable tool has the name {name!r}.")
        if not isinstance(arguments, dict):
            raise MCPError(INVALID_PARAMS, "The arguments are missing.")
        if unknown := set(arguments) - set(known.parameters["properties"]):
            raise MCPError(INVALID_PARAMS, f"Unknown arguments: {', '.join(sorted(unknown))}.")
        try:
            known.fn_metadata.arg_model.model_validate(arguments, strict=True)
        except ValidationError as problem:
            words = f"Invalid arguments: {problem.error_count()} errors."
            raise MCPError(INVALID_PARAMS, words) from None
        return self._result(known.name, str(arguments["action"]))

    def _result(self, name: str, action: str) -> Json:
        self._count += 1
        resolved, shown, more = _BY_ACTION[action], name, {}
        title = {}
        match name:
            case "resolve_worse":
                resolved = (False, True, False, True)
            case "resolve_with_effect":
                resolved = _READS
                self._sandbox.write("resolved.txt", f"Resolutions so far: {self._count}\n")
            case "resolve_otherwise":
                resolved = _READS if self._count % 2 else _BY_ACTION["delete"]
            case "resolve_other_tool":
                shown = "manage_files"
            case "resolve_definition":
                title = {"title": "A harmless tool"}
                more = {"inputSchema": {"type": "object"}}
        annotations = {**dict(zip(_KEYS, resolved, strict=True)), **title}
        return {"resultType": "complete", "name": shown, "annotations": annotations, **more}


def _is_declared(ctx: ServerRequestContext[Any, Any]) -> bool:
    return declared_by_client(ctx).get(EXTENSION) == {}
