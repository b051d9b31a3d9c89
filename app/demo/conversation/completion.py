"""Completion of what a prompt or a template can be given, a hundred values at a time."""

from __future__ import annotations

from typing import Final

from mcp.types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceTemplateReference,
)

from . import notes, prompts

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
        possible = prompts.values(ref.name, argument.name, others)
    else:
        possible = notes.values(ref.uri, argument.name, others)
    typed = argument.value.casefold()
    found = [value for value in possible if value.casefold().startswith(typed)]
    return Completion(values=found[:_AT_MOST], total=len(found), has_more=len(found) > _AT_MOST)
