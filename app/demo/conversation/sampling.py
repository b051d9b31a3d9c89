"""Asking the client's model: once, and in turns in which the model uses tools of the server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from mcp.server.mcpserver import Context
from mcp.types import (
    CallToolResult,
    CreateMessageRequest,
    CreateMessageRequestParams,
    ModelHint,
    ModelPreferences,
    SamplingMessage,
    TextContent,
    Tool,
    ToolChoice,
    ToolResultContent,
)
from pydantic import Field

from ..declare import Json, failed, hints, object_schema, plain, text, tool
from .asking import Answers, Asked, Outcome, converse

# The model belongs to the client, and its location is not known here.
_ASKS_A_MODEL: Final = hints(read_only=True, open_world=True)
_TURNS: Final = 3
_STOCK: Final = {"lamp": 12, "rope": 3, "kettle": 0}
_TOOLS: Final = (
    Tool(
        name="count_stock",
        description="How many of an article there are",
        input_schema=object_schema({"article": {"type": "string", "enum": list(_STOCK)}}),
    ),
    Tool(
        name="add",
        description="Add two numbers",
        input_schema=object_schema({"a": {"type": "number"}, "b": {"type": "number"}}),
    ),
)
_QUESTION: Final = "How many lamps and ropes are there together?"
# The last turn must end in words, so it may use no tool.
_CHOICES: Final[tuple[Literal["required", "auto", "none"], ...]] = ("required", "auto", "none")


class SamplingTools:
    """Repeats the text of the model unchanged."""

    @tool("Ask the model", _ASKS_A_MODEL)
    async def ask_the_model(
        self,
        ctx: Context,
        question: Annotated[str, Field(description="What to ask")] = "How does an approval work?",
        maxTokens: Annotated[
            int, Field(ge=1, le=4_000, description="Limit of the reply, in tokens")
        ] = 200,
    ) -> Outcome:
        """Asks your client's model a question, with a system prompt, model preferences, a
        temperature and stop sequences, and repeats the reply."""
        request = CreateMessageRequest(
            params=CreateMessageRequestParams(
                messages=[SamplingMessage(role="user", content=text(question))],
                model_preferences=ModelPreferences(
                    hints=[ModelHint(name="sonnet"), ModelHint(name="small")],
                    cost_priority=0.7,
                    speed_priority=0.5,
                    intelligence_priority=0.3,
                ),
                system_prompt="You explain in two sentences, to somebody in a hurry.",
                temperature=0.4,
                max_tokens=maxTokens,
                stop_sequences=["END", "\n\n\n"],
                metadata={"from": "signoff demo"},
            )
        )

        def step(answers: Answers) -> dict[str, Asked] | CallToolResult:
            if (answer := answers.get("answer")) is None:
                return {"answer": request}
            said = " ".join(
                str(part.get("text", f"[{part.get('type')}]")) for part in parts(answer)
            )
            return plain(f"{answer.get('model')} says, {answer.get('stopReason')}: {said}")

        return await converse(ctx, step)

    @tool("Let the model use tools", _ASKS_A_MODEL)
    async def let_the_model_use_tools(self, ctx: Context) -> Outcome:
        """Asks your client's model a question that needs two small tools of the server. The server
        runs the tools that the model calls and asks again, up to three turns."""
        return await converse(ctx, _next_turn)


def parts(answer: Json) -> list[Json]:
    """The content of an answer, which may be one block or many."""
    content = answer.get("content")
    return content if isinstance(content, list) else [content] if isinstance(content, dict) else []


def _next_turn(answers: Answers) -> dict[str, Asked] | CallToolResult:
    messages: list[Json] = [{"role": "user", "content": text(_QUESTION).model_dump(by_alias=True)}]
    log: list[str] = []
    for turn in range(_TURNS):
        if (answer := answers.get(f"turn {turn + 1}")) is None:
            return {f"turn {turn + 1}": _turn(messages, _CHOICES[turn])}
        wishes = [part for part in parts(answer) if part.get("type") == "tool_use"]
        if not wishes:
            said = " ".join(str(part.get("text", "")) for part in parts(answer))
            return plain("\n".join([*log, f"turn {turn + 1}: {said}"]))
        results = [_used(wish) for wish in wishes]
        log += [
            f"turn {turn + 1}: {wish.get('name')}({wish.get('input')}) = {_words(result)}"
            for wish, result in zip(wishes, results, strict=True)
        ]
        messages += [
            {"role": "assistant", "content": parts(answer)},
            {
                "role": "user",
                "content": [one.model_dump(by_alias=True, exclude_none=True) for one in results],
            },
        ]
    return failed("\n".join([*log, f"The model still wanted tools after {_TURNS} turns."]))


def _turn(messages: list[Json], choice: Literal["required", "auto", "none"]) -> Asked:
    return CreateMessageRequest(
        params=CreateMessageRequestParams(
            messages=[SamplingMessage.model_validate(message) for message in messages],
            system_prompt="Use the tools to find out; do not guess.",
            max_tokens=400,
            tools=list(_TOOLS),
            tool_choice=ToolChoice(mode=choice),
        )
    )


def _used(wish: Json) -> ToolResultContent:
    """What comes of a tool that the model wants to use."""
    given = wish.get("input")
    answer = _answer(wish.get("name"), given if isinstance(given, dict) else {})
    return ToolResultContent(
        tool_use_id=str(wish.get("id")),
        content=[text(answer or "No such tool, or not with these arguments.")],
        is_error=True if answer is None else None,
    )


def _answer(name: object, given: Mapping[str, Any]) -> str | None:
    match name, given:
        case "count_stock", {"article": str(article)} if article in _STOCK:
            return str(_STOCK[article])
        case "add", {"a": int() | float() as a, "b": int() | float() as b}:
            return f"{a + b:g}"
    return None


def _words(result: ToolResultContent) -> str:
    return " ".join(part.text for part in result.content if isinstance(part, TextContent))
