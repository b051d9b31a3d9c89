"""Sampling requests: read, and answered in a model's place.

Spec 2025-11-25, client/sampling. Signoff has no model: a person answers, or a file. All texts are
raw until they are shown.
"""

from __future__ import annotations

from dataclasses import field
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from .elicitation import MalformedRequest

SAMPLE: Final = "sampling/createMessage"
PERSON: Final = "a person, by Signoff"
"""The model's name in a response that a person writes without naming another."""
END_TURN: Final = "endTurn"
TOOL_USE: Final = "toolUse"


@frozen
class Sampling:
    """One request. `messages` and `tools` are raw JSON, each an object."""

    messages: tuple[dict[str, JsonValue], ...]
    system_prompt: str = ""
    settings: dict[str, JsonValue] = field(default_factory=dict)
    """Preferences and limits as they came: modelPreferences, maxTokens, temperature..."""
    tools: tuple[dict[str, JsonValue], ...] = ()
    tool_choice: JsonValue = None

    @property
    def tool_names(self) -> tuple[str, ...]:
        """The names of the tools that the answer may ask for."""
        names = (tool.get("name") for tool in self.tools)
        return tuple(name for name in names if isinstance(name, str))


def read_sampling(params: JsonValue) -> Sampling:
    """The params of `sampling/createMessage`. Raises MalformedRequest."""
    given = params if isinstance(params, dict) else {}
    messages = given.get("messages")
    if not isinstance(messages, list) or not all(isinstance(one, dict) for one in messages):
        raise MalformedRequest("a sampling request without a list of messages")
    tools = given.get("tools", [])
    if not isinstance(tools, list) or not all(isinstance(one, dict) for one in tools):
        raise MalformedRequest("a sampling request with invalid tools")
    prompt = given.get("systemPrompt", "")
    if not isinstance(prompt, str):
        raise MalformedRequest("a sampling request whose systemPrompt is not a string")
    known = ("messages", "tools", "toolChoice", "systemPrompt", "_meta")
    return Sampling(
        tuple(one for one in messages if isinstance(one, dict)),
        prompt,
        {key: value for key, value in given.items() if key not in known},
        tuple(one for one in tools if isinstance(one, dict)),
        given.get("toolChoice"),
    )


def prefilled(sampling: Sampling) -> dict[str, JsonValue]:
    """Return the values that Signoff puts into the form at first."""
    return {"model": PERSON} if sampling.tools else {"model": PERSON, "stopReason": END_TURN}


def answer_schema(sampling: Sampling) -> dict[str, JsonValue]:
    """The form in which a person answers: a text, or a tool to ask for."""
    properties: dict[str, JsonValue] = {
        "text": {
            "type": "string",
            "title": "Response of the model",
            "description": "The text of the response.",
        },
        "model": {
            "type": "string",
            "description": "The name of the model that the server gets.",
        },
        "stopReason": {
            "type": "string",
            "examples": [END_TURN, "stopSequence", "maxTokens"],
        },
    }
    if sampling.tools:
        names: list[JsonValue] = list(sampling.tool_names)
        properties = {
            "text": properties["text"],
            "tool": {
                "type": "string",
                "enum": names,
                "description": "The tool to call; empty: none.",
            },
            "input": {
                "type": "object",
                "description": "The arguments of that tool.",
                "additionalProperties": True,
            },
            "model": properties["model"],
        }
    required: list[JsonValue] = [] if sampling.tools else ["text"]
    return {"type": "object", "properties": properties, "required": required}


def sampling_result(
    sampling: Sampling, given: dict[str, JsonValue], identity: str
) -> dict[str, JsonValue]:
    """The result of `sampling/createMessage` that a filled form comes to.

    `identity` names the use of the tool, where one is asked for.
    """
    text, tool = given.get("text"), given.get("tool")
    content: JsonValue = {"type": "text", "text": text if isinstance(text, str) else ""}
    stop = given.get("stopReason", END_TURN)
    if isinstance(tool, str) and tool:
        use: JsonValue = {
            "type": "tool_use",
            "id": identity,
            "name": tool,
            "input": given.get("input", {}),
        }
        content = [content, use] if text else [use]
        stop = TOOL_USE
    return {
        "role": "assistant",
        "content": content,
        "model": given.get("model", PERSON),
        "stopReason": stop,
    }
