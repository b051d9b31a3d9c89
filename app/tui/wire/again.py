"""Sending what went over the wire once more: as a call of the bench, asked about and logged."""

from __future__ import annotations

from typing import NamedTuple

from ...content.json.jsonio import JsonError, JsonValue
from ...protocol.rpc import CALL_METHOD, PROMPT_METHOD, READ_METHOD
from ...protocol.wire.frames import CLIENT, Frame
from ...protocol.wire.reading import body_of, read


class Again(NamedTuple):
    """A call of a tool, the read of a resource, or a prompt that is to be asked for."""

    tool: str = ""
    arguments: dict[str, JsonValue] | None = None
    uri: str = ""
    """Of a read; empty otherwise."""
    prompt: str = ""
    """Its name; empty otherwise. Its arguments are those above."""
    is_edited: bool = False
    """Whether the arguments are to be changed in the form first."""


class NotAgain(Exception):
    """A frame cannot be sent once more from here; the message says why."""


def again_of(frame: Frame | None, *, is_edited: bool = False) -> Again:
    """What sending a frame once more comes to, with its secrets as they were. Raises NotAgain."""
    found = read(frame) if frame is not None else None
    if frame is None or found is None or frame.sender != CLIENT:
        raise NotAgain("only what was sent to the server can be sent again")
    if found.method not in (CALL_METHOD, READ_METHOD, PROMPT_METHOD):
        raise NotAgain("only calls, reads and prompts are sent again so; n sends any message")
    try:
        body = body_of(frame)
    except JsonError as problem:
        raise NotAgain(f"the message is not there whole: {problem.reason}") from None
    params = body.get("params") if isinstance(body, dict) else None
    given = params if isinstance(params, dict) else {}
    if found.method == READ_METHOD:
        return Again(uri=str(given.get("uri", "")))
    arguments = given.get("arguments")
    plain = arguments if isinstance(arguments, dict) else {}
    if found.method == PROMPT_METHOD:
        return Again(prompt=str(given.get("name", "")), arguments=plain)
    return Again(str(given.get("name", "")), plain, is_edited=is_edited)


def sent_body(frame: Frame) -> JsonValue:
    """A message that was sent to the server, with its secrets; None for anything else."""
    if frame.sender != CLIENT or not read(frame).method:
        return None
    try:
        return body_of(frame)
    except JsonError:
        return None
