"""Tools that do what they say, however slowly: effects, progress, delays, questions."""

from __future__ import annotations

import math
from typing import Any

from tests.servers._wire import Call, JsonObject
from tests.servers.registry import ADDITIVE, DESTRUCTIVE, READ_ONLY, tool

_TEXT: JsonObject = {"type": "string"}


@tool(
    "Returns its arguments.",
    annotations=READ_ONLY,
    properties={"text": _TEXT, "number": {"type": "number"}},
    basic=True,
)
def echo(call: Call) -> None:
    call.text(str(call.arguments.get("text", "")), structuredContent=call.arguments)


@tool(
    "Reads a thing.",
    annotations=READ_ONLY,
    properties={"name": {"type": "string", "description": "which thing"}},
    basic=True,
)
def read_thing(call: Call) -> None:
    call.text(f"read {call.arguments.get('name', 'nothing')}")


@tool(
    "Adds a thing.",
    annotations=ADDITIVE,
    properties={"name": _TEXT},
    basic=True,
)
def add_thing(call: Call) -> None:
    call.text("added")


@tool(
    "Deletes a thing for good.",
    annotations=DESTRUCTIVE,
    properties={
        "name": {"type": "string", "description": "which thing"},
        "really": {"type": "boolean"},
        "note": _TEXT,
    },
    basic=True,
)
def delete_thing(call: Call) -> None:
    call.text(f"deleted {call.arguments.get('name', 'nothing')}")


@tool("Says nothing about itself.", properties={"text": _TEXT}, basic=True)
def undeclared_thing(call: Call) -> None:
    call.text("done")


@tool(
    "Works in steps and reports each.",
    annotations=READ_ONLY,
    properties={
        "steps": {"type": "integer", "default": 5},
        "seconds": {"type": "number", "default": 0.5},
    },
    basic=True,
)
def slow(call: Call) -> None:
    steps = int(call.arguments.get("steps", 5))
    each = float(call.arguments.get("seconds", 0.5)) / max(1, steps)
    for step in range(1, steps + 1):
        if call.pause(each):
            return
        call.progress(step, steps, f"step {step} of {steps}")
    call.text(f"{steps} steps")


def _progress(call: Call, *values: Any, total: Any = 10) -> None:
    for value in values:
        call.progress(value, total)
        if call.pause(0.02):
            return
    call.text("done")


@tool("Progress without a total.", annotations=READ_ONLY)
def progress_without_total(call: Call) -> None:
    _progress(call, 1, 2, 3, total=None)


@tool("Progress that jumps.", annotations=READ_ONLY)
def progress_jumps(call: Call) -> None:
    _progress(call, 1, 9, 10)


@tool("Progress that falls.", annotations=READ_ONLY)
def progress_falls(call: Call) -> None:
    _progress(call, 5, 3, 3, 8)


@tool("Progress past its total, and totals that make no sense.", annotations=READ_ONLY)
def progress_overflows(call: Call) -> None:
    call.progress(1, 0)
    call.progress(2, -5)
    _progress(call, 8, 12, 150)


@tool("Progress that is no number.", annotations=READ_ONLY)
def progress_not_a_number(call: Call) -> None:
    _progress(call, "NaN", math.nan, math.inf, True, None, [1], {"a": 1})


@tool("Progress with 401 digits.", annotations=READ_ONLY)
def progress_huge(call: Call) -> None:
    _progress(call, 1, 10**400, 2)


@tool("Progress after the answer.", annotations=READ_ONLY)
def progress_late(call: Call) -> None:
    call.progress(1, 3)
    call.text("done")
    call.pause(0.05)
    call.progress(2, 3, "too late")


@tool("Progress for a token that nobody gave.", annotations=READ_ONLY)
def progress_unknown_token(call: Call) -> None:
    for token in ("nobody", 0, 99999, None, {"a": 1}):
        call.wire.notify("notifications/progress", {"progressToken": token, "progress": 1})
    call.text("done")


@tool("Ten thousand notifications at once.", annotations=READ_ONLY)
def progress_flood(call: Call) -> None:
    for step in range(10_000):
        call.progress(step, 10_000, f"item {step}")
    call.text("done")


@tool("Hostile progress messages.", annotations=READ_ONLY)
def progress_hostile(call: Call) -> None:
    for step, text in enumerate(("[@click=app.quit]x[/]", "[/]", "\x1b[2J\x1b]52;c;eA==\x07")):
        call.progress(step, 3, text + "x" * 5000)
        call.pause(0.2)
    call.text("done")


@tool("Never answers.", annotations=READ_ONLY)
def never(call: Call) -> None:
    return


@tool("Never answers, but reports progress for ever.", annotations=READ_ONLY)
def never_with_progress(call: Call) -> None:
    step = 0
    while not call.pause(0.05):
        step += 1
        call.progress(step)


@tool("Answers only after it was cancelled.", annotations=READ_ONLY)
def late_after_cancel(call: Call) -> None:
    if call.pause(60):
        call.progress(1, 2, "not impressed")
        call.text("finished anyway")


@tool("Dies as soon as it is cancelled.", annotations=READ_ONLY)
def die_of_cancel(call: Call) -> None:
    if call.pause(60):
        call.wire.end(7)


@tool("Answers twice.", annotations=READ_ONLY)
def twice(call: Call) -> None:
    call.text("the first answer")
    call.text("the second answer")


def _ask(call: Call, method: str, params: JsonObject) -> None:
    if call.modern:
        if call.input_responses is None:
            request = {"method": method, "params": params}
            call.answer({"resultType": "input_required", "inputRequests": {"question": request}})
        else:
            call.text(f"the client said {call.input_responses}")
    else:
        call.text(f"the client said {call.wire.ask(method, params)}")


@tool("Asks for the roots in the middle of the call.", annotations=READ_ONLY)
def asks_roots(call: Call) -> None:
    _ask(call, "roots/list", {})


@tool("Asks for sampling in the middle of the call.", annotations=READ_ONLY)
def asks_sampling(call: Call) -> None:
    message = {"role": "user", "content": {"type": "text", "text": "Say [b]yes[/b]."}}
    _ask(call, "sampling/createMessage", {"messages": [message], "maxTokens": 10})


@tool("Asks the person in the middle of the call.", annotations=READ_ONLY)
def asks_elicitation(call: Call) -> None:
    schema = {"type": "object", "properties": {"sure": {"type": "boolean"}}}
    _ask(call, "elicitation/create", {"message": "Are you sure?", "requestedSchema": schema})


@tool("Asks the person to visit a page in the middle of the call.", annotations=READ_ONLY)
def asks_visit(call: Call) -> None:
    visit = {"mode": "url", "url": "https://example.com/a?b=c", "elicitationId": "e1"}
    _ask(call, "elicitation/create", {"message": "Have a look.", **visit})


@tool("Asks in words from outside.", annotations={"readOnlyHint": True, "openWorldHint": True})
def asks_outside(call: Call) -> None:
    _ask(call, "elicitation/create", {"message": "secret words from outside"})


@tool("Asks the same question again and again.", annotations=READ_ONLY)
def asks_without_end(call: Call) -> None:
    schema = {"type": "object", "properties": {"sure": {"type": "boolean"}}}
    params = {"message": "Are you sure now?", "requestedSchema": schema}
    if call.modern:
        request = {"method": "elicitation/create", "params": params}
        call.answer({"resultType": "input_required", "inputRequests": {"again": request}})
        return
    for _ in range(8):
        call.wire.ask("elicitation/create", params)
    call.text("gave up")


@tool("Wants to be called again, with a state alone.", annotations=READ_ONLY)
def repeats_itself(call: Call) -> None:
    call.answer({"resultType": "input_required", "requestState": "s"})


@tool("Pings the client in the middle of the call.", annotations=READ_ONLY)
def asks_ping(call: Call) -> None:
    call.text(f"the client said {call.wire.ask('ping', {})}")


@tool("Asks for a method that no client has.", annotations=READ_ONLY)
def asks_unknown(call: Call) -> None:
    call.text(f"the client said {call.wire.ask('vendor/thing', {})}")
