"""The server with all of the conversation: what the SDK serves by itself, and what it does not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.subscriptions import InMemorySubscriptionBus
from mcp.shared.exceptions import MCPError
from mcp.types import (
    CancelTaskRequestParams,
    GetPromptResult,
    GetTaskPayloadRequestParams,
    GetTaskRequestParams,
    Icon,
    InputRequiredResult,
    PaginatedRequestParams,
    Resource,
    SetLevelRequestParams,
    SubscribeRequestParams,
    Tool,
    ToolExecution,
    UnsubscribeRequestParams,
)
from mcp.types.jsonrpc import INVALID_PARAMS
from pydantic import AnyUrl, BaseModel

from ..declare import Json
from ..extensions.approvals import ServerApprovals
from ..sandbox import Sandbox
from . import prompts, resources, tasks
from . import tasks as modern
from .clock import DemoClock, RunningWork
from .confirming import ConfirmingTools
from .folders import ClientTools
from .forms import FormAskingTools, RoundTools
from .logs import LogTools
from .pages import PageTools
from .prompts import PromptTools, complete, page_of
from .resources import Catalogue, NoticeTools
from .revisions import WITH_TASKS, is_modern
from .sampling import SamplingTools
from .tasks import TASK_SUPPORT, AboutTask, ModernTasks, TaskTools, TaskUpdate

_STEPS_OF_A_BEAT: Final = 2.5
_RESOURCES_ON_A_PAGE: Final = 4
_ICON: Final = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAQAQAAAAA3iMLMAAAAL0lEQVR42mNgYGCo/8fg"
    "wMTgwMXgIMXgYMQQkMQQcYjBt4nBnYnBiQksxQRSAwYAzb8H/0g/vEsAAAAASUVORK5CYII="
)
"""A tick in a box."""

_Ctx = ServerRequestContext[Any, Any]
_Handler = Callable[[_Ctx, Any], Awaitable[HandlerResult]]


class Conversation:
    """Everything beside the plain tools, with its state."""

    def __init__(self, step_seconds: float, sandbox: Sandbox) -> None:
        """`step_seconds` is the time of one step; most things here beat once a second."""
        beat = _STEPS_OF_A_BEAT * step_seconds
        background = RunningWork()
        self.bus = InMemorySubscriptionBus()
        self.catalogue = Catalogue()
        self.approvals = ServerApprovals(sandbox, background, beat)
        self._clock = DemoClock(self.catalogue, self.bus, background, beat)
        self._client = ClientTools()
        self._modern_tasks = ModernTasks(TASK_SUPPORT, background, beat)
        self._tasks = tasks.TaskMethods(TASK_SUPPORT, background, beat)
        logs = LogTools()
        self.groups = (
            FormAskingTools(),
            PageTools(background, beat),
            RoundTools(),
            ConfirmingTools(sandbox),
            SamplingTools(),
            self._client,
            logs,
            NoticeTools(self.catalogue),
            PromptTools(),
            TaskTools(beat),
        )
        # What the SDK has no place for. All of it is of the revisions before 2026-07-28.
        self._methods: dict[str, tuple[type[BaseModel], _Handler]] = {
            "resources/subscribe": (SubscribeRequestParams, self._clock.subscribe),
            "resources/unsubscribe": (UnsubscribeRequestParams, self._clock.unsubscribe),
            "logging/setLevel": (SetLevelRequestParams, logs.set_level),
        }
        self._task_methods: dict[str, tuple[type[BaseModel], _Handler]] = {
            "tasks/get": (GetTaskRequestParams, self._tasks.get),
            "tasks/result": (GetTaskPayloadRequestParams, self._tasks.result),
            "tasks/list": (PaginatedRequestParams, self._tasks.listed),
            "tasks/cancel": (CancelTaskRequestParams, self._tasks.cancel),
        }

        self._modern_methods: dict[str, tuple[type[BaseModel], _Handler]] = {
            "tasks/get": (AboutTask, self._modern_tasks.get),
            "tasks/update": (TaskUpdate, self._modern_tasks.update),
            "tasks/cancel": (AboutTask, self._modern_tasks.cancel),
        }

    async def serve(self, ctx: _Ctx, call_next: CallNext) -> HandlerResult:
        """Middleware: answer what the SDK does not, and complete what it does."""
        if (known := self._known(ctx)) is not None:
            params_type, handler = known
            return await handler(ctx, params_type.model_validate(ctx.params or {}, by_name=False))
        match ctx.method:
            case "tools/call" if ctx.protocol_version == WITH_TASKS:
                return await self._tasks.call(ctx, call_next)
            case "tools/call" if is_modern(ctx):
                return await self._modern_tasks.call(ctx, call_next)
            case "subscriptions/listen":
                return await self._clock.listen(ctx, call_next)
            case "notifications/roots/list_changed":
                self._client.changes += 1
        result = await call_next(ctx)
        if isinstance(result, dict):
            match ctx.method:
                case "initialize" | "server/discover":
                    return _with_capabilities(result)
                case "resources/list":
                    return _paged(ctx, result)
        return result

    def _known(self, ctx: _Ctx) -> tuple[type[BaseModel], _Handler] | None:
        if is_modern(ctx):
            return self._modern_methods.get(ctx.method)
        if ctx.protocol_version == WITH_TASKS and ctx.method in self._task_methods:
            return self._task_methods[ctx.method]
        return self._methods.get(ctx.method)


class DemoServer(MCPServer[Any]):
    """The SDK's server, whose lists are those of the conversation as well."""

    def __init__(self, conversation: Conversation, **options: Any) -> None:
        """`options` are those of the SDK's server."""
        approvals = conversation.approvals.serve
        middleware = (approvals, conversation.serve, *options.pop("middleware", ()))
        super().__init__(
            **options,
            icons=[Icon(src=_ICON, mime_type="image/png", sizes=["16x16"])],
            subscriptions=conversation.bus,
            middleware=middleware,
        )
        self._catalogue = conversation.catalogue
        resources.add_templates(self)
        for prompt in prompts.prompts():
            self.add_prompt(prompt)
        # The decorator of the SDK has no types.
        self.completion()(complete)  # type: ignore[no-untyped-call]

    async def list_tools(self) -> list[Tool]:
        """The SDK's list, and which of them may run as tasks."""
        tools = await super().list_tools()
        for tool in tools:
            if (support := TASK_SUPPORT.get(tool.name)) is not None:
                tool.execution = ToolExecution.model_validate({"taskSupport": support})
        return tools

    async def list_resources(self) -> list[Resource]:
        """The resources of the conversation, and those that links lead to."""
        return [*self._catalogue.listed(), *await super().list_resources()]

    async def read_resource(
        self, uri: AnyUrl | str, context: Context | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """Read a resource of either kind."""
        own = await self._catalogue.read(str(uri))
        return [own] if own is not None else await super().read_resource(uri, context)

    async def get_prompt(
        self, name: str, arguments: Json | None = None, context: Context | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """Fill in a prompt.

        Spec 2025-11-25, server/prompts: an unknown name and a missing argument are invalid
        parameters, for which the SDK has an error without a code.
        """
        known = {prompt.name: prompt for prompt in await self.list_prompts()}
        if name not in known:
            raise MCPError(INVALID_PARAMS, f"No prompt has the name {name!r}.")
        arguments_of = known[name].arguments or []
        missing = [
            one.name for one in arguments_of if one.required and not (arguments or {}).get(one.name)
        ]
        if missing:
            raise MCPError(INVALID_PARAMS, f"Missing arguments: {', '.join(missing)}.")
        if strange := set(arguments or {}) - {one.name for one in arguments_of}:
            raise MCPError(INVALID_PARAMS, f"Unknown arguments: {', '.join(sorted(strange))}.")
        return await super().get_prompt(name, arguments, context)


def _with_capabilities(result: Json) -> Json:
    """What the SDK leaves unsaid, since nothing it knows of serves it."""
    capabilities: Json = {**result.get("capabilities", {}), "logging": {}}
    if (version := result.get("protocolVersion")) is not None:
        for kind in ("tools", "prompts", "resources"):
            capabilities[kind] = {**capabilities.get(kind, {}), "listChanged": True}
        capabilities["resources"]["subscribe"] = True
        if version == WITH_TASKS:
            capabilities["tasks"] = tasks.CAPABILITY
    else:
        capabilities["extensions"] = {
            **capabilities.get("extensions", {}),
            **modern.EXTENSION_CAPABILITY,
        }
    return {**result, "capabilities": capabilities}


def _paged(ctx: _Ctx, result: Json) -> Json:
    cursor = (ctx.params or {}).get("cursor")
    page, following = page_of(
        result["resources"], cursor, of="resources", size=_RESOURCES_ON_A_PAGE
    )
    return {**result, "resources": page, **({"nextCursor": following} if following else {})}
