"""Dialects in which hosts speak to a model: Chat Completions, Responses, Messages, generateContent.

A dialect reads a request into a `ModelRequest` and writes the reply of the scripted model, streamed
if the host wants that. Everything in a request is hostile: what cannot be read is left out.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Final, NamedTuple, Protocol, TypeAlias

from ....content.frozen import frozen
from ....content.json.jsonio import JsonValue

EVENT_STREAM: Final = "text/event-stream"
JSON: Final = "application/json"
MODEL: Final = "scripted-model"
_USAGE: Final = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


class Offered(NamedTuple):
    """A tool that the host offers its model."""

    name: str
    namespace: str = ""
    """The name of the group that it is in; empty for none (Codex groups by server)."""
    parameters: JsonValue = None
    description: str = ""


class Given(NamedTuple):
    """The answer to a call, as the model was given it."""

    call_id: str
    value: JsonValue
    """The text, or the parts, exactly as they stood in the request."""


@frozen
class ModelRequest:
    """What a host asks of its model."""

    offered: tuple[Offered, ...]
    given: tuple[Given, ...]
    """Every answer to a call in the conversation, in order."""
    text: str
    """All messages of persons in it, joined by line breaks."""
    model: str
    is_streamed: bool
    wanted: JsonValue = None
    """The JSON Schema of the answer, if the host wants JSON."""
    wanted_tool: Offered | None = None
    """The tool that it wants to be called, or the only one that it offers."""
    raw: Mapping[str, JsonValue] = field(default_factory=dict, compare=False, repr=False)
    counts: bool = False
    """True if only tokens are to be counted."""


class ScriptedCall(NamedTuple):
    """A call that the scripted model makes."""

    call_id: str
    name: str
    namespace: str
    arguments: dict[str, JsonValue]


Step: TypeAlias = tuple[ScriptedCall, ...] | str
"""A step of the scripted model: calls, most often one, or a text."""


class ScriptedReply(NamedTuple):
    """An answer of HTTP: its media type and its body."""

    media_type: str
    body: bytes


class Dialect(Protocol):
    """Reads requests and writes replies of one API."""

    name: str

    def read(self, path: str, body: Mapping[str, JsonValue]) -> ModelRequest:
        """The request."""

    def write(self, request: ModelRequest, step: Step) -> ScriptedReply:
        """The reply: calls, or a text."""


def dialect_of(path: str) -> Dialect | None:
    """The dialect of a path with any prefix; None for a path of no dialect."""
    plain = path.partition("?")[0].rstrip("/")
    if plain.endswith("/chat/completions"):
        return ChatCompletions()
    if plain.endswith("/responses"):
        return Responses()
    if plain.endswith("/messages"):
        return Messages()
    if plain.endswith(("/count_tokens", ":countTokens")):
        return CountTokens()
    if re.search(r":(stream)?generateContent$", plain, re.IGNORECASE):
        return GenerateContent()
    return None


def _objects(value: JsonValue) -> Iterator[dict[str, JsonValue]]:
    if isinstance(value, list):
        yield from (one for one in value if isinstance(one, dict))


def _object(value: JsonValue) -> dict[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


def _offered(tool: Mapping[str, JsonValue], schema: str, group: str = "") -> Offered:
    """A tool of a request; `schema` is the member with the schema of its arguments."""
    description = _text(tool.get("description"))
    return Offered(_text(tool.get("name")), group, tool.get(schema), description)


def _texts(content: JsonValue) -> Iterator[str]:
    """The texts of a message: a text, or parts that have one."""
    if isinstance(content, str):
        yield content
    for part in _objects(content):
        if isinstance(part.get("text"), str):
            yield _text(part["text"])


def _events(*events: tuple[str, JsonValue], ends: str = "") -> ScriptedReply:
    lines = []
    for name, data in events:
        head = f"event: {name}\n" if name else ""
        lines.append(f"{head}data: {json.dumps(data)}\n\n")
    if ends:
        lines.append(f"data: {ends}\n\n")
    return ScriptedReply(EVENT_STREAM, "".join(lines).encode())


def _json(value: JsonValue) -> ScriptedReply:
    return ScriptedReply(JSON, json.dumps(value).encode())


def _request(
    body: Mapping[str, JsonValue],
    offered: Iterable[Offered],
    given: Iterable[Given],
    texts: Iterable[str],
    wanted: JsonValue = None,
) -> ModelRequest:
    """A request of an API that has its model and `stream` in the body."""
    tools = tuple(offered)
    return ModelRequest(
        tools,
        tuple(given),
        "\n".join(texts),
        _text(body.get("model")) or MODEL,
        body.get("stream") is True,
        wanted,
        _wanted_tool(tools, body.get("tool_choice")),
        body,
    )


def _wanted_tool(offered: Sequence[Offered], choice: JsonValue) -> Offered | None:
    """The tool that a choice names, or the only one that is offered."""
    names = set(_all_texts(choice))
    named = [one for one in offered if one.name in names]
    found = named if len(named) == 1 else offered
    return found[0] if len(found) == 1 else None


def _all_texts(value: JsonValue, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict) and depth < 8:
        for one in value.values() if isinstance(value, dict) else value:
            yield from _all_texts(one, depth + 1)


class ChatCompletions:
    """OpenAI's Chat Completions."""

    name = "chat-completions"

    def read(self, path: str, body: Mapping[str, JsonValue]) -> ModelRequest:
        offered, given = [], []
        texts: list[str] = []
        for tool in _objects(body.get("tools")):
            function = _object(tool.get("function"))
            offered.append(_offered(function, "parameters"))
        for message in _objects(body.get("messages")):
            if message.get("role") == "tool":
                given.append(Given(_text(message.get("tool_call_id")), message.get("content")))
            elif message.get("role") == "user":
                texts += _texts(message.get("content"))
        wanted = _object(_object(body.get("response_format")).get("json_schema")).get("schema")
        return _request(body, offered, given, texts, wanted)

    def write(self, request: ModelRequest, step: Step) -> ScriptedReply:
        if isinstance(step, str):
            message: dict[str, JsonValue] = {"role": "assistant", "content": step}
            reason = "stop"
        else:
            calls: list[JsonValue] = [
                {
                    "index": index,
                    "id": one.call_id,
                    "type": "function",
                    "function": {"name": one.name, "arguments": json.dumps(one.arguments)},
                }
                for index, one in enumerate(step)
            ]
            message = {"role": "assistant", "content": None, "tool_calls": calls}
            reason = "tool_calls"
        common: dict[str, JsonValue] = {
            "id": "scripted",
            "created": int(time.time()),
            "model": request.model,
        }
        usage: JsonValue = dict(_USAGE)
        if not request.is_streamed:
            choice: JsonValue = {"index": 0, "message": message, "finish_reason": reason}
            kind = "chat.completion"
            return _json({**common, "object": kind, "choices": [choice], "usage": usage})
        kind = "chat.completion.chunk"
        first: JsonValue = {"index": 0, "delta": message, "finish_reason": None}
        last: JsonValue = {"index": 0, "delta": {}, "finish_reason": reason}
        return _events(
            ("", {**common, "object": kind, "choices": [first]}),
            ("", {**common, "object": kind, "choices": [last], "usage": usage}),
            ends="[DONE]",
        )


class Responses:
    """OpenAI's Responses."""

    name = "responses"

    def read(self, path: str, body: Mapping[str, JsonValue]) -> ModelRequest:
        offered: list[Offered] = []
        given: list[Given] = []
        texts: list[str] = []
        for tool in _objects(body.get("tools")):
            if tool.get("type") == "namespace":
                group = _text(tool.get("name"))
                offered += (
                    _offered(one, "parameters", group) for one in _objects(tool.get("tools"))
                )
            elif isinstance(tool.get("name"), str):
                offered.append(_offered(tool, "parameters"))
        items = body.get("input")
        if isinstance(items, str):
            texts.append(items)
        for item in _objects(items):
            if item.get("type") in ("function_call_output", "custom_tool_call_output"):
                given.append(Given(_text(item.get("call_id")), item.get("output")))
            elif item.get("role") == "user":
                texts += _texts(item.get("content"))
        wanted = _object(_object(body.get("text")).get("format")).get("schema")
        return _request(body, offered, given, texts, wanted)

    def write(self, request: ModelRequest, step: Step) -> ScriptedReply:
        first = time.monotonic_ns()
        items: list[dict[str, JsonValue]]
        if isinstance(step, str):
            part: JsonValue = {"type": "output_text", "text": step, "annotations": []}
            message: dict[str, JsonValue] = {
                "type": "message",
                "id": f"item_{first}",
                "role": "assistant",
                "status": "completed",
                "content": [part],
            }
            items = [message]
        else:
            items = [_function_call(f"item_{first + at}", one) for at, one in enumerate(step)]
        usage: JsonValue = {
            "input_tokens": 10,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 5,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 15,
        }
        response: dict[str, JsonValue] = {
            "id": "resp_scripted",
            "object": "response",
            "created_at": int(time.time()),
            "model": request.model,
            "status": "completed",
            "parallel_tool_calls": False,
            "tool_choice": "auto",
            "tools": [],
            "output": [*items],
            "usage": usage,
        }
        if not request.is_streamed:
            return _json(response)
        began: JsonValue = {**response, "status": "in_progress", "output": [], "usage": None}

        events: list[tuple[str, dict[str, JsonValue]]] = [("response.created", {"response": began})]
        for at, item in enumerate(items):
            events.append(("response.output_item.added", {"output_index": at, "item": {**item}}))
            if isinstance(step, str):
                delta: dict[str, JsonValue] = {"item_id": item["id"], "delta": step}
                place: dict[str, JsonValue] = {"output_index": at, "content_index": 0}
                events.append(("response.output_text.delta", {**delta, **place}))
            events.append(("response.output_item.done", {"output_index": at, "item": item}))
        events.append(("response.completed", {"response": response}))
        return _events(
            *(
                (kind, {"type": kind, "sequence_number": number, **more})
                for number, (kind, more) in enumerate(events)
            )
        )


def _function_call(identity: str, call: ScriptedCall) -> dict[str, JsonValue]:
    item: dict[str, JsonValue] = {
        "type": "function_call",
        "id": identity,
        "call_id": call.call_id,
        "name": call.name,
        "arguments": json.dumps(call.arguments),
        "status": "completed",
    }
    return {**item, "namespace": call.namespace} if call.namespace else item


class Messages:
    """Anthropic's Messages."""

    name = "messages"

    def read(self, path: str, body: Mapping[str, JsonValue]) -> ModelRequest:
        given: list[Given] = []
        texts: list[str] = []
        offered = tuple(_offered(tool, "input_schema") for tool in _objects(body.get("tools")))
        for message in _objects(body.get("messages")):
            if message.get("role") != "user":
                continue
            texts += _texts(message.get("content"))
            for part in _objects(message.get("content")):
                if part.get("type") == "tool_result":
                    value: JsonValue = part.get("content")
                    if part.get("is_error") is True:
                        value = {"content": value, "is_error": True}
                    given.append(Given(_text(part.get("tool_use_id")), value))
        return _request(body, offered, given, texts)

    def write(self, request: ModelRequest, step: Step) -> ScriptedReply:
        blocks: list[dict[str, JsonValue]]
        if isinstance(step, str):
            blocks, reason = [{"type": "text", "text": step}], "end_turn"
        else:
            blocks = [
                {"type": "tool_use", "id": one.call_id, "name": one.name, "input": one.arguments}
                for one in step
            ]
            reason = "tool_use"
        usage: JsonValue = {"input_tokens": 10, "output_tokens": 5}
        message: dict[str, JsonValue] = {
            "id": "msg_scripted",
            "type": "message",
            "role": "assistant",
            "model": request.model,
            "content": [*blocks],
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": usage,
        }
        if not request.is_streamed:
            return _json(message)
        began: JsonValue = {**message, "content": [], "stop_reason": None}
        ended: JsonValue = {"stop_reason": reason, "stop_sequence": None}
        events: list[dict[str, JsonValue]] = [{"type": "message_start", "message": began}]
        for at, block in enumerate(blocks):
            start, delta = _streamed(block)
            events += [
                {"type": "content_block_start", "index": at, "content_block": start},
                {"type": "content_block_delta", "index": at, "delta": delta},
                {"type": "content_block_stop", "index": at},
            ]
        events += [
            {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 5}},
            {"type": "message_stop"},
        ]
        return _events(*((_text(one["type"]), one) for one in events))


def _streamed(block: dict[str, JsonValue]) -> tuple[JsonValue, JsonValue]:
    """The empty block that begins, and the one delta that fills it."""
    if block["type"] == "text":
        return {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    filled = json.dumps(block["input"])
    return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": filled}


class GenerateContent:
    """Google's generateContent; its calls have no ids, so answers are counted."""

    name = "generate-content"

    def read(self, path: str, body: Mapping[str, JsonValue]) -> ModelRequest:
        offered, given = [], []
        texts: list[str] = []
        for tool in _objects(body.get("tools")):
            declared = tool.get("functionDeclarations") or tool.get("function_declarations")
            for one in _objects(declared):
                key = "parametersJsonSchema" if "parametersJsonSchema" in one else "parameters"
                offered.append(_offered(one, key))
        calls = 0
        for message in _objects(body.get("contents")):
            for part in _objects(message.get("parts")):
                answer = part.get("functionResponse") or part.get("function_response")
                if isinstance(answer, dict):
                    calls += 1
                    identity = _text(answer.get("id"))
                    if not identity.startswith("call_"):
                        identity = f"call_{calls}"
                    given.append(Given(identity, answer.get("response")))
                elif message.get("role") != "model" and isinstance(part.get("text"), str):
                    texts.append(_text(part["text"]))
        model = path.rpartition("/")[2].partition(":")[0]
        config = _object(body.get("generationConfig"))
        wanted = config.get("responseJsonSchema") or config.get("responseSchema")
        return ModelRequest(
            tuple(offered),
            tuple(given),
            "\n".join(texts),
            model or MODEL,
            ":stream" in path,
            wanted,
            _wanted_tool(offered, body.get("toolConfig") or body.get("tool_config")),
            body,
        )

    def write(self, request: ModelRequest, step: Step) -> ScriptedReply:
        parts: list[JsonValue]
        if isinstance(step, str):
            parts = [{"text": step}]
        else:
            parts = [
                {"functionCall": {"id": one.call_id, "name": one.name, "args": one.arguments}}
                for one in step
            ]
        candidate: JsonValue = {
            "content": {"role": "model", "parts": parts},
            "finishReason": "STOP",
            "index": 0,
        }
        usage: JsonValue = {
            "promptTokenCount": 10,
            "candidatesTokenCount": 5,
            "totalTokenCount": 15,
        }
        body: JsonValue = {
            "candidates": [candidate],
            "usageMetadata": usage,
            "modelVersion": request.model,
        }
        return _events(("", body)) if request.is_streamed else _json(body)


class CountTokens:
    """The counting of tokens, of Google's and of Anthropic's API: an answer of ten."""

    name = "count-tokens"

    def read(self, path: str, body: Mapping[str, JsonValue]) -> ModelRequest:
        return ModelRequest((), (), "", MODEL, is_streamed=False, counts=True)

    def write(self, request: ModelRequest, step: Step) -> ScriptedReply:
        return _json({"totalTokens": 10, "input_tokens": 10})
