"""Asking the client, in the way of its revision: by requests of our own, or by rounds.

Up to 2025-11-25 a server sends requests while a call runs. From 2026-07-28 on it answers the call
with what it wants to know, and the client makes the same call again with the answers.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp.types import (
    CallToolResult,
    ClientCapabilities,
    CreateMessageRequest,
    CreateMessageResultWithTools,
    ElicitRequest,
    ElicitRequestURLParams,
    ElicitResult,
    InputRequiredResult,
    ListRootsRequest,
    ListRootsResult,
)
from pydantic import BaseModel, ValidationError

from ..declare import Json, failed
from .jobs import Job, current_job
from .revisions import is_modern

Asked = ElicitRequest | CreateMessageRequest | ListRootsRequest
Answers = Mapping[str, Json]
"""The client's replies so far as raw JSON, by the name of the request."""
Step = Callable[[Answers], "Mapping[str, Asked] | CallToolResult"]
"""The remaining requests, all at once, or the end of the call. It may be made any number of
times with the same answers."""
Outcome = CallToolResult | InputRequiredResult

ELICITATION: Final = "elicitation"
ELICITATION_BY_URL: Final = "elicitation of URLs"
SAMPLING: Final = "sampling"
SAMPLING_WITH_TOOLS: Final = "sampling with tools"
ROOTS: Final = "roots"


async def converse(ctx: Context, step: Step, known: Answers | None = None) -> Outcome:
    """Ask until the step has a result. For a client that cannot be asked, the result explains
    that. `known` is among the answers from the beginning, and comes back with them."""
    if is_modern(ctx) and current_job.get() is None:
        return _next_round(ctx, step, known or {})
    answers: dict[str, Json] = {**(known or {})}
    while not isinstance(wanted := step(answers), CallToolResult):
        if (lack := cannot_be_asked(ctx, *map(_capability, wanted.values()))) is not None:
            return lack
        try:
            said = await asyncio.gather(*(_ask(ctx, request) for request in wanted.values()))
        except MCPError as error:
            return failed(f"The client answered with error {error.code}: {error.message}")
        except ValidationError:
            return failed("The client answered in a shape that the protocol does not have.")
        answers.update(zip(wanted, said, strict=True))
    return wanted


def cannot_be_asked(ctx: Context, *capabilities: str) -> CallToolResult | None:
    """The answer for a client that lacks one of these capabilities; None if it has all."""
    declared = _declared(ctx.client_capabilities)
    missing = [one for one in dict.fromkeys(capabilities) if one not in declared]
    if not missing:
        return None
    return failed(
        f"This client cannot be asked: it has not declared {' and '.join(missing)}. "
        "Nothing was asked and nothing was done."
    )


def _next_round(ctx: Context, step: Step, known: Answers) -> Outcome:
    state = ctx.request_state
    answers: dict[str, Json] = json.loads(state) if state else {**known}
    for name, response in (ctx.input_responses or {}).items():
        answers[name] = _as_json(response)
    wanted = step(answers)
    if isinstance(wanted, CallToolResult):
        return wanted
    if (lack := cannot_be_asked(ctx, *map(_capability, wanted.values()))) is not None:
        return lack
    return InputRequiredResult(input_requests=dict(wanted), request_state=json.dumps(answers))


async def _ask(ctx: Context, request: Asked) -> Json:
    job: Job | None = current_job.get()
    if job is not None:
        return await job.ask(request, _answer_type(request))
    related = ServerMessageMetadata(related_request_id=ctx.request_id)
    session = ctx.request_context.session
    return _as_json(await session.send_request(request, _answer_type(request), metadata=related))


def _answer_type(request: Asked) -> type[BaseModel]:
    match request:
        case ElicitRequest():
            return ElicitResult
        case CreateMessageRequest():
            return CreateMessageResultWithTools
        case ListRootsRequest():
            return ListRootsResult


def _capability(request: Asked) -> str:
    match request:
        case ElicitRequest(params=ElicitRequestURLParams()):
            return ELICITATION_BY_URL
        case ElicitRequest():
            return ELICITATION
        case CreateMessageRequest():
            return SAMPLING_WITH_TOOLS if request.params.tools else SAMPLING
        case ListRootsRequest():
            return ROOTS


def _declared(capabilities: ClientCapabilities | None) -> Iterable[str]:
    if capabilities is None:
        return
    if (elicitation := capabilities.elicitation) is not None:
        # Spec 2025-11-25, client/elicitation: an empty object means the form mode alone.
        if elicitation.form is not None or elicitation.url is None:
            yield ELICITATION
        if elicitation.url is not None:
            yield ELICITATION_BY_URL
    if (sampling := capabilities.sampling) is not None:
        yield SAMPLING
        if sampling.tools is not None:
            yield SAMPLING_WITH_TOOLS
    if capabilities.roots is not None:
        yield ROOTS


def _as_json(model: BaseModel) -> Json:
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)
