"""What several servers could do together, in lines and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import methodcaller
from typing import Any, Final, TypeAlias

from ..approval.combinations import CombinationPart, Combinations, ServerTool, tainted
from ..approval.policies.verdicts import Verdict, VerdictAnswer
from ..content.text import count, shortened
from ..content.texts.sheet_line import SheetLine, labelled

INDENT: Final = 18


MOST: Final = 40
"""Tools that are listed of each part; the others are counted."""


CAUTION: Final = (
    "Guessed from hints, names and parameters: no proof. A tool may do less than its name promises,"
    " or more."
)


TAINTED: Final = "Once a response has brought text from outside, these would ask"


_WHOLE: Final = (
    "Together these tools can read private data, read text from outside, and send data away. Such "
    "a text could make a model do so."
)


_SEVERAL: Final = "No server has all three alone; together they have."


Judge: TypeAlias = Callable[[ServerTool], Verdict]
"""The verdict of a server's policy on one of its tools, as the session is now."""


def combination_lines(found: Combinations, judge: Judge) -> Iterator[SheetLine]:
    """The three parts with their tools and reasons, and what would ask in a tainted session."""
    first, *more = whole_words(found)
    yield SheetLine(((first, "warning" if found.is_whole else ""),))
    yield from (SheetLine(((words, "strong"),)) for words in more)
    for part in CombinationPart:
        yield SheetLine()
        yield from _tools(part.value, found.of(part), methodcaller("reason", part))
    yield SheetLine()
    asking = tools_that_would_ask(found, judge)
    yield labelled("what if", INDENT, (f"{TAINTED}:" if asking else _nothing(found), "strong"))
    yield from _tools("", asking, lambda one: f"now: {judge(one).words}")
    yield SheetLine()
    yield SheetLine(((CAUTION, "dim"),))


def whole_words(found: Combinations) -> list[str]:
    """Whether all three parts are there, in a sentence or two."""
    if found.is_whole:
        return [_WHOLE, _SEVERAL] if found.needs_several else [_WHOLE]
    absent = [
        f"no {part.value.removeprefix('a ')}" for part in CombinationPart if not found.of(part)
    ]
    return [f"The three parts are not complete: there is {' and '.join(absent)}."]


def tools_that_would_ask(found: Combinations, judge: Judge) -> list[ServerTool]:
    """The tools that run without a question now, and would ask in a tainted session."""
    return [one for one in tainted(found) if judge(one).answer is VerdictAnswer.ALLOW]


def _nothing(found: Combinations) -> str:
    if not found.of(CombinationPart.EXIT):
        return "No tool has a way out."
    return "No change: every tool with a way out asks already, or is refused."


def _tools(
    label: str, tools: Sequence[ServerTool], words: Callable[[ServerTool], str]
) -> Iterator[SheetLine]:
    if label and not tools:
        yield labelled(label, INDENT, ("none", "dim"))
    for at, one in enumerate(tools[:MOST]):
        yield labelled(
            label if not at else "",
            INDENT,
            (one.tool.display_name, "strong"),
            (f" on {shortened(one.server, 60)}: ", ""),
            (words(one), ""),
        )
    if len(tools) > MOST:
        yield labelled("", INDENT, (f"and {count(len(tools) - MOST, 'more tool')}", "dim"))


def combinations_json(found: Combinations, judge: Judge) -> dict[str, Any]:
    """The same as JSON."""
    return {
        "complete": found.is_whole,
        "across_servers": found.needs_several,
        "parts": {
            part.name.lower(): [
                {"server": one.server, "tool": one.tool.name, "reason": one.reason(part)}
                for one in found.of(part)
            ]
            for part in CombinationPart
        },
        "after_text_from_outside": [
            {
                "server": one.server,
                "tool": one.tool.name,
                "now": judge(one).answer.value,
                "then": "ask",
            }
            for one in tools_that_would_ask(found, judge)
        ],
        "note": CAUTION,
    }
