"""`signoff diff`: what changed in a list of tools, in words, in JSON, as an exit status."""

from __future__ import annotations

from typing import Final

from rich.text import Text

from ...headless.exit_status import ExitStatus
from ...headless.plain_console import PlainConsole
from ...protocol.definitions.change_values import ListDiff, Weight
from ...protocol.definitions.diff_lines import MAX_LINES, DiffLine, list_lines

_WORDS: Final[dict[int, str]] = {
    ExitStatus.OK: "unchanged",
    ExitStatus.DIFF_HARMLESS: "harmless or reworded",
    ExitStatus.DIFF_NOTEWORTHY: "noteworthy",
    ExitStatus.DIFF_BREAKING: "breaking",
}
_SIGN_STYLES: Final = {"-": "red", "+": "green", "~": "yellow", " ": "dim"}
_ROLE_STYLES: Final = {"strong": "bold", "dim": "dim", "mark": "reverse", "noticed": "yellow"}


def exit_status(diff: ListDiff) -> int:
    """The exit status of `signoff diff`.

    0: nothing changed. 7: new tools, other wording, and what calls and trust survive. 8: a tool is
    gone or looks renamed, hints claim less harm or promise less, an output schema is another. 9: a
    call that worked may be refused or mean something else, or a name has come to stand for several
    tools.
    """
    weight = max((one.weight for one in diff.changed), default=Weight.SAME)
    if weight is Weight.BREAKING or diff.duplicated:
        return ExitStatus.DIFF_BREAKING
    if weight >= Weight.OUTPUT or diff.gone:
        return ExitStatus.DIFF_NOTEWORTHY
    return ExitStatus.OK if diff.is_empty else ExitStatus.DIFF_HARMLESS


def diff_json(diff: ListDiff) -> dict[str, object]:
    """`signoff diff --json`: everything, raw."""
    status = exit_status(diff)
    return {"answer": _WORDS[status], "exit_status": status, **diff.as_json()}


def diff_summary(diff: ListDiff) -> str:
    """One line: how many tools are new, changed, renamed, gone."""
    return diff.summary or "nothing changed"


def print_diff(diff: ListDiff, max_lines: int = MAX_LINES) -> None:
    """The report on standard output, coloured where that is a terminal."""
    out = PlainConsole()
    out.tell(Text(diff_summary(diff), style="bold"))
    for line in list_lines(diff, max_lines):
        out.tell(_styled(line))


def _styled(line: DiffLine) -> Text:
    gutter = " ┃ " if line.is_theirs else " "
    text = Text(line.sign, style=_SIGN_STYLES[line.sign]).append(gutter, style="dim")
    colour = _SIGN_STYLES[line.sign] if line.is_theirs else ""
    for piece, role in line.pieces:
        text.append(piece, style=f"{_ROLE_STYLES.get(role, '')} {colour}".strip() or None)
    return text
