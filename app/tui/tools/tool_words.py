"""What the pane of a tool says of it, and of a call with the arguments that are in its form."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from ....widgets.cells import fit_name
from ...approval.policies.verdicts import Verdict
from ...protocol.tool import ToolDefinition
from ...schemas.form.types import counted

NOT_OPEN: Final = Content.assemble(
    ("none", "bold $text-error"), " - the server is gone, nothing can be sent"
)
NO_OBJECT = "no JSON object yet, then: "
"""What is said instead of fields that are missing where the text is not what can be sent."""


def tool_title(tool: ToolDefinition | None, width: int) -> Content:
    """The exact name, and the title in quotes where there is one.

    A name that is longer than `width` cells stands there without its middle.
    """
    if tool is None:
        return Content("Tool")
    title = f"  titled “{tool.title_shown}”" if tool.title else ""
    old = ("  deprecated", "bold $text-warning") if tool.deprecation is not None else ""
    name = fit_name(tool.name_shown, width) if width > 0 else tool.name_shown
    return Content.assemble((name, "bold"), title, old)


def verdict_words(verdict: Verdict, counts: tuple[int, int], is_no_object: bool) -> Content:
    """The verdict and its reasons, after what has to be done before it counts.

    `counts`: how many arguments are missing, and how many are wrong.
    """
    is_remembered = verdict.denied_before or verdict.grant_id is not None
    why, *others = verdict.reasons or ("",)
    words = "; ".join([why + " (f10 takes that back)" * is_remembered, *others])
    style = "bold $text-error" if verdict.strong else "bold"
    first = NO_OBJECT if is_no_object else _lacking(*counts)
    return Content.assemble((first, "bold"), (verdict.words, style), f" - {words}")


def _lacking(missing: int, wrong: int) -> str:
    """What has to be done before the verdict counts; empty where nothing is missing."""
    if missing:
        more = f", {wrong:,} wrong" if wrong else ""
        return f"{counted(missing, 'field')} missing{more}, then: "
    return f"{counted(wrong, 'field')} wrong, then: " if wrong else ""
