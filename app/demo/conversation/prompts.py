"""Prompts: one without arguments, one with many possible ones, one with every kind of content.

Completion of what a prompt or a template can be given, a hundred values at a time. Lists in
pages, with cursors that only this server can read.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Final, Literal, TypeVar

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.prompts.base import (
    AssistantMessage,
    Message,
    Prompt,
    PromptArgument,
    UserMessage,
)
from mcp.shared.exceptions import MCPError
from mcp.types import (
    AudioContent,
    CallToolResult,
    Completion,
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceLink,
    ResourceTemplateReference,
)
from mcp.types.jsonrpc import INVALID_PARAMS
from pydantic import Field

from .. import content
from ..declare import embedded, hints, plain, tool
from ..forms import COUNTRY_CODES
from ..lessons import github
from . import resources
from .revisions import is_modern

_LANGUAGES: Final = ("Deutsch", "English", "Español", "Français", "Italiano", "Português")
_TONES: Final = ("formal", "friendly", "terse")

Poem = Literal["haiku", "limerick", "toast"]


class PromptTools:
    """Prompts that come while the server runs."""

    @tool(
        "Add a prompt",
        hints(read_only=False, destructive=False, idempotent=True, open_world=False),
    )
    async def add_prompt(
        self,
        ctx: Context,
        poem: Annotated[Poem, Field(description="What the new prompt is for")] = "haiku",
    ) -> CallToolResult:
        """Adds a prompt to the server and notifies the client of the changed list. Adding it twice
        changes nothing."""
        name = f"write_{poem}"
        if any(prompt.name == name for prompt in await ctx.mcp_server.list_prompts()):
            return plain(f"The prompt {name} is there already; nothing has changed.")

        def write(subject: str) -> list[Message]:
            return [UserMessage(f"Write a {poem} about {subject}.")]

        ctx.mcp_server.add_prompt(
            _prompt(
                name,
                f"Write a {poem}",
                f"A {poem} on a subject of yours; it was added while the server ran",
                write,
                _argument("subject", "About what", required=True),
            )
        )
        if is_modern(ctx):
            await ctx.notify_prompts_changed()
        else:
            await ctx.session.send_prompt_list_changed()
        return plain(f"The prompt {name} is there now. The list of prompts has changed.")


def prompts() -> list[Prompt]:
    """Those that are there from the start."""
    return [
        _prompt(
            "explain_hints",
            "Explain the hints",
            "The meaning of the four hints of a tool; takes no arguments",
            _explain,
        ),
        _prompt(
            "write_greeting",
            "Write a greeting",
            "A greeting in a language, for a person in a country",
            _greet,
            _argument("language", "In which language", required=True),
            _argument("country", "The code of a country"),
            _argument("tone", "The tone of the text"),
        ),
        _prompt(
            "show_every_content",
            "Show every kind of content",
            "A conversation whose messages hold text, a picture, a sound, a file and a link, from "
            "both roles",
            _every_content,
        ),
    ]


def values(prompt: str, argument: str, others: Mapping[str, str]) -> Sequence[str]:
    """All that an argument of a prompt can be, given what the others are."""
    match prompt, argument:
        case "write_greeting", "language":
            return _LANGUAGES
        case "write_greeting", "country":
            return COUNTRY_CODES
        case "write_greeting", "tone":
            return _TONES
    return ()


def _explain() -> list[Message]:
    return [UserMessage("Explain in plain words what the four hints of an MCP tool claim.")]


def _greet(language: str, country: str = "", tone: str = "friendly") -> list[Message]:
    place = f" to a person in {country}" if country else ""
    return [
        UserMessage(f"Write a {tone} greeting in {language}{place}."),
        AssistantMessage("Gladly. For which occasion?"),
        UserMessage("For a first visit."),
    ]


def _every_content() -> list[Message]:
    sound = base64.b64encode(content.tone(660, 0.3)).decode()
    return [
        UserMessage("What do you see, hear and read here?"),
        UserMessage(content.scene(160, 100)),
        UserMessage(AudioContent(type="audio", data=sound, mime_type="audio/wav")),
        AssistantMessage("A house on a hill, and a short tone. And the file?"),
        UserMessage(embedded("demo://prompts/list.md", "text/markdown", "# List\n\n- bread\n")),
        AssistantMessage(
            ResourceLink(
                type="resource_link",
                uri="demo://kitchen/menu.md",
                name="menu.md",
                title="Menu",
                description="What I would look at next",
                mime_type="text/markdown",
            )
        ),
    ]


def _prompt(
    name: str,
    title: str,
    description: str,
    write: Callable[..., list[Message]],
    *arguments: PromptArgument,
) -> Prompt:
    return Prompt(
        name=name,
        title=title,
        description=description,
        arguments=list(arguments),
        fn=write,
        context_kwarg=None,
    )


def _argument(name: str, description: str, *, required: bool = False) -> PromptArgument:
    return PromptArgument(name=name, description=description, required=required)


_AT_MOST: Final = 100
"""Spec 2025-11-25, server/utilities/completion: no answer holds more."""


async def complete(
    ref: PromptReference | ResourceTemplateReference,
    argument: CompletionArgument,
    context: CompletionContext | None,
) -> Completion:
    """The values that begin with what was typed; what the other arguments are narrows them."""
    others = (context.arguments if context is not None else None) or {}
    if isinstance(ref, PromptReference):
        possible = values(ref.name, argument.name, others)
    else:
        possible = resources.values(ref.uri, argument.name, others)
    typed = argument.value.casefold()
    found = [value for value in possible if value.casefold().startswith(typed)]
    return Completion(values=found[:_AT_MOST], total=len(found), has_more=len(found) > _AT_MOST)


_T = TypeVar("_T")


def page_of(
    items: Sequence[_T], cursor: str | None, *, of: str, size: int
) -> tuple[Sequence[_T], str | None]:
    """The page that begins at the cursor, and the cursor of the next one, if there is one.

    `of` names the list: a cursor of another list is refused. Raises MCPError.
    """
    start = 0
    if cursor is not None:
        try:
            said = github.read(cursor)
        except github.NotACursor as error:
            raise MCPError(INVALID_PARAMS, f"Invalid cursor: {error}.") from error
        if said.sort != of or not 0 <= said.offset < max(len(items), 1):
            raise MCPError(INVALID_PARAMS, f"Invalid cursor: not of this list of {of}.")
        start = said.offset
    end = start + size
    following = github.written(github.Cursor(end, {}, of)) if end < len(items) else None
    return items[start:end], following
