"""Names of tools at the prompt, as they continue its last word, and their arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ...content.labels import and_more, some_named
from ...content.text import visible
from ...protocol.tool import ToolDefinition

PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,100}")
"""Names that are suggested: those of other servers may look like anything."""
_ARGUMENTS: Final = 12
_LONGEST: Final = 40


def last_word(text: str) -> str:
    """The last word of a prompt: the typed part of a name."""
    return text[max(text.rfind(" "), text.rfind("}")) + 1 :]


def names_after(text: str, tools: Sequence[ToolDefinition]) -> list[str]:
    """The names that begin with the last word, in order."""
    word = last_word(text)
    names = {one.name for one in tools if PLAIN_NAME.fullmatch(one.name)}
    return sorted(name for name in names if name.startswith(word))


def completed(text: str, tools: Sequence[ToolDefinition]) -> str:
    """The text with its last word continued as far as the names agree, else with the first."""
    word, names = last_word(text), names_after(text, tools)
    if not names or (not word and len(names) > 1):
        return text
    first, last = names[0], names[-1]
    same = next((at for at, sign in enumerate(first) if last[at : at + 1] != sign), len(first))
    shared = first[:same]
    whole = names[0] if shared == word else shared
    return text[: len(text) - len(word)] + whole + " " * (names == [whole])


def tools_words(text: str, tools: Sequence[ToolDefinition], width: int) -> str:
    """One line of names, or the arguments of the tool whose name the text ends with."""
    typed = text.split("{")[0].split()
    named = [one for one in tools if typed and one.name == typed[-1]]
    if named:
        return f"{visible(named[0].name)} takes {_arguments(named[0])}"[:width]
    names = names_after(text, tools) or names_after("", tools)
    if not names:
        return ""
    line = "tools "
    for at, name in enumerate(names):
        more = f"  {and_more(len(names) - at)}"
        if len(line) + len(name) + 2 + len(more) > width:
            return line + more
        line += f"  {name}"
    return line


def _arguments(tool: ToolDefinition) -> str:
    schema = tool.input_schema
    found = schema.get("properties") if isinstance(schema, dict) else None
    required = schema.get("required") if isinstance(schema, dict) else None
    wanted = required if isinstance(required, list) else []
    names = [
        f"{visible(name[:_LONGEST])}{'' if name in wanted else '?'}"
        for name in (found if isinstance(found, dict) else {})
    ]
    return some_named(names, _ARGUMENTS) or "no arguments"
