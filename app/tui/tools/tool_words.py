"""Words about a tool on its page: the title, the verdict on a call, the arguments in a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rich.cells import cell_len
from textual.content import Content

from ....widgets.cells import fit_name
from ...approval.policies.verdicts import Verdict, VerdictAnswer
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, compact
from ...content.text import cut, visible
from ...protocol.tool import ToolDefinition
from ...schemas.form.field_making import counted

NOT_OPEN: Final = Content.assemble(
    ("Nothing can be sent", "bold $text-error"), ": the server is gone"
)
NO_OBJECT: Final = "Enter a JSON object"
"""The first step if the text of the arguments is not what can be sent."""
MOST_NAMES, NAME_CELLS = 2, 16
"""Up to how many missing fields are named, if their names are this short."""
_EFFECTS_OF_F5: Final[Mapping[VerdictAnswer, str]] = {
    VerdictAnswer.ALLOW: "runs without asking",
    VerdictAnswer.ASK: "asks first",
    VerdictAnswer.REFUSE: "is refused",
    VerdictAnswer.HIDE: "is refused: the tool is hidden from the model",
    VerdictAnswer.JUDGE: "asks first, in place of the host's model",
    VerdictAnswer.UNKNOWN: "asks first, since the verdict is not known",
}


def tool_title(tool: ToolDefinition | None, width: int) -> Content:
    """The exact name, and the title in quotes if it is more than the name in other letters.

    A name longer than `width` cells loses its middle.
    """
    if tool is None:
        return Content("Tool")
    title = f"  titled “{tool.title_shown}”" if tool.has_own_title else ""
    old = ("  deprecated", "bold $text-warning") if tool.deprecation is not None else ""
    name = fit_name(tool.display_name, width) if width > 0 else tool.display_name
    return Content.assemble((name, "bold"), title, old)


@frozen
class NeededSteps:
    """Steps that a form needs before its arguments are valid."""

    missing: int = 0
    wrong: int = 0
    names: tuple[str, ...] = ()
    """The keys of the missing fields, as far as they are at the top; not yet safe to show."""
    is_no_object: bool = False

    @property
    def words(self) -> str:
        """An instruction, such as "Fill in a and b"; empty if nothing is missing or wrong."""
        if self.is_no_object:
            return NO_OBJECT
        steps = []
        if self.missing:
            steps.append(f"fill in {self._fields}")
        if self.wrong:
            steps.append(f"correct {counted(self.wrong, 'field')}")
        words = " and ".join(steps)
        return words[:1].upper() + words[1:]

    @property
    def _fields(self) -> str:
        names = [visible(one) for one in self.names]
        are_short = all(one.isidentifier() and cell_len(one) <= NAME_CELLS for one in names)
        if are_short and len(names) == self.missing <= MOST_NAMES:
            return " and ".join(names)
        return counted(self.missing, "required field")


def verdict_words(verdict: Verdict, missing: NeededSteps) -> Content:
    """Describe what a call would do and why, after the steps that are needed before."""
    is_remembered = verdict.denied_before or verdict.grant_id is not None
    why, *others = verdict.reasons or ("",)
    words = "; ".join([why + " (f10: revoke)" * is_remembered, *others])
    style = "bold $text-error" if verdict.strong else "bold"
    does = "asks with a warning" if verdict.strong else _EFFECTS_OF_F5[verdict.answer]
    is_refused = verdict.answer in (VerdictAnswer.REFUSE, VerdictAnswer.HIDE)
    first = "" if is_refused else missing.words
    start = (f"{first}. Then it " if first else "A call ", "bold" if first else "")
    return Content.assemble(start, (does, style), f" - {words}" if words else "")


MOST_SHOWN: Final = 500
"""Characters of the arguments that one row is made of."""


def arguments_words(arguments: Mapping[str, JsonValue]) -> Content:
    """The arguments in one row: `path=notes/todo.txt  count=3`."""
    if not arguments:
        return Content.styled("no arguments", "$foreground-muted")
    pieces: list[str | tuple[str, str]] = []
    room = MOST_SHOWN
    for name, value in arguments.items():
        text = value if isinstance(value, str) else compact(value)
        shown = visible(cut(text, room).text)
        pieces += ["  " if pieces else "", (f"{visible(name)}=", "$foreground-muted"), shown]
        room -= len(shown)
        if room <= 0:
            break
    return Content.assemble(*pieces)
