"""One call as one line: request, progress, outcome."""

from __future__ import annotations

from enum import StrEnum

from rich.cells import cell_len

from ...app.calls.call import Call, Outcome, State
from ...app.calls.previews import LEAVES_OUT, PREVIEW_LABEL, masked_preview, preview_words
from ...app.content.frozen import frozen
from ...app.content.text import seconds
from ...app.protocol.extensions.display_templates import in_quotes
from ...app.protocol.findings.findings import Severity
from ...app.protocol.progress import pace_words
from ...app.schemas.schema import SchemaAnswer
from ..cells import fit, fit_name, left, right

PULSES_A_SECOND = 4
ELAPSED_CELLS = 11
"""`59 min 59 s`, the longest usual one."""
CANCEL_KEY = "ctrl+x Cancel"
CANCEL = "Cancel"
NAMED = 15
"""Cells of a name, with its gap, that are not given up for a reason or the words of progress."""
SHORTEST_MIDDLE = 16
RUNNING_MIDDLE = 42
"""Cells for bar, figures and message, whose length changes all the time."""
PREVIEW_GAP = 3
PREVIEW_LEAST = 12
"""Cells of the server's line that are worth the room."""
BUTTON_FROM, KEY_FROM, BUTTON_COLUMN_FROM = 50, 56, 100
"""Widths from which a call has a button, one that names its key, and a column for it."""


class Mood(StrEnum):
    """The kinds of ending, each with a sign; the names are those of the style classes."""

    RUNNING = "running"
    FINE = "fine"
    BROKEN = "broken"
    STOPPED = "stopped"
    DENIED = "denied"
    NOT_SENT = "not-sent"
    UNKNOWN = "unknown"
    UNFINISHED = "unfinished"


SIGNS = {
    Mood.RUNNING: "",
    Mood.FINE: "✓",
    Mood.BROKEN: "✗",
    Mood.STOPPED: "■",
    Mood.DENIED: "⊘",
    Mood.NOT_SENT: "∅",
    Mood.UNKNOWN: "?",
    Mood.UNFINISHED: "…",
}

_MOODS = {
    Outcome.TOOL_ERROR: Mood.BROKEN,
    Outcome.PROTOCOL_ERROR: Mood.BROKEN,
    Outcome.DENIED: Mood.DENIED,
    Outcome.NOT_SENT: Mood.NOT_SENT,
    Outcome.CANCELLED: Mood.STOPPED,
    Outcome.TIMEOUT: Mood.STOPPED,
    Outcome.CONNECTION_LOST: Mood.UNKNOWN,
    Outcome.UNREADABLE: Mood.BROKEN,
    Outcome.NOT_TAKEN: Mood.BROKEN,
    Outcome.SERVER_FAILED: Mood.UNKNOWN,
    Outcome.INPUT_REQUIRED: Mood.UNFINISHED,
    Outcome.TASK_STARTED: Mood.UNKNOWN,
    Outcome.FAULT: Mood.BROKEN,
}


def mood(call: Call) -> Mood:
    """The check mark is only for an answer with nothing to object to."""
    if call.outcome is None:
        return Mood.RUNNING
    if call.outcome is not Outcome.OK:
        return _MOODS[call.outcome]
    if call.schema is not None:
        if call.schema.answer in (SchemaAnswer.INVALID, SchemaAnswer.MISSING):
            return Mood.BROKEN
        if call.schema.answer is SchemaAnswer.NOT_VALIDATED:
            return Mood.UNKNOWN
    if any(finding.severity is Severity.ERROR for finding in call.findings):
        return Mood.BROKEN
    return Mood.FINE


_SHORT = {
    Outcome.OK: "answered",
    Outcome.TOOL_ERROR: "tool error",
    Outcome.PROTOCOL_ERROR: "protocol error",
    Outcome.NOT_SENT: "not sent",
    Outcome.TIMEOUT: "timed out",
    Outcome.UNREADABLE: "unreadable",
    Outcome.NOT_TAKEN: "not taken",
    Outcome.SERVER_FAILED: "failed?",
    Outcome.INPUT_REQUIRED: "unanswered",
    Outcome.TASK_STARTED: "task started",
    Outcome.FAULT: "internal",
}


def short_status(call: Call) -> str:
    """The outcome in at most 12 characters, or a few more; `?` if it is unknown what was done."""
    outcome = call.outcome
    if outcome is None:
        is_due = call.state is State.RUNNING and call.task is not None and call.task.awaits_approval
        return "approval due" if is_due and not call.cancel_requested else call.status
    if outcome is Outcome.DENIED:
        return call.status
    if call.withheld:
        return "withheld"
    if call.late is not None and outcome is not Outcome.CANCELLED:
        return "late result"
    if outcome is Outcome.CANCELLED:
        is_told = not call.sent or call.is_cancel_confirmed or call.late is not None
        return "cancelled" if is_told else "cancelled?"
    if outcome is Outcome.CONNECTION_LOST:
        return "lost?" if call.sent else "lost, unsent"
    if call.schema is not None and outcome in (Outcome.OK, Outcome.TOOL_ERROR):
        if call.schema.answer is SchemaAnswer.INVALID:
            return f"INVALID ({len(call.schema.errors) + call.schema.more:,})"
        if call.schema.answer is SchemaAnswer.MISSING:
            return "MISSING"
        has_structured = call.answer is not None and call.answer.has_structured
        if call.schema.answer is SchemaAnswer.NOT_VALIDATED and has_structured:
            return "part checked" if call.schema.unchecked else "not checked"
    if call.awaits_server:
        return "approval due"
    if outcome is Outcome.TOOL_ERROR and call.denial is not None:
        return "server denied"
    return _SHORT[outcome]


def can_cancel(call: Call) -> bool:
    return not call.is_over and not call.cancel_requested


def bar(call: Call, width: int, now: float) -> str:
    """Filled up to the known fraction; else one lit segment whose place is a matter of `now`."""
    fraction = call.progress.fraction
    if fraction is not None:
        filled = int(fraction * width)
        return "▰" * filled + "▱" * (width - filled)
    lit = int(now * PULSES_A_SECOND) % width
    return "▱" * lit + "▰" + "▱" * (width - lit - 1)


@frozen
class Part:
    """A piece of a line; `role` names its style: empty, `muted`, `bar`, `cancel` or a mood."""

    text: str
    role: str = ""


@frozen
class CallLine:
    """A drawn call, exactly of the requested width."""

    parts: tuple[Part, ...]

    def role_at(self, x: int) -> str:
        """The role of the part in cell `x`: `cancel` on the button."""
        for part in self.parts:
            x -= cell_len(part.text)
            if x < 0:
                return part.role
        return ""


def draw_call(
    call: Call,
    width: int,
    now: float,
    *,
    id_cells: int = 1,
    cursor: bool = False,
    has_key: bool = False,
    more: str = "",
    longest_name: int = 0,
    longest_middle: int = 0,
    something_runs: bool = False,
) -> CallLine:
    """Draw the line of a call; `has_key`: ctrl+x is for this one; `more` follows the message.

    `longest_name` and `longest_middle` are the cells that the calls around it would take whole, so
    that the column of names is as wide in all of them; 0 for a call alone. If `something_runs`
    among them, its report is not cut for a name.
    """
    longest_name = longest_name or cell_len(call.request.display_name)
    head = [
        Part("› " if cursor else "  "),
        Part(right(str(call.id), id_cells) + "  ", "muted"),
    ]
    used = 2 + id_cells + 2
    tail = _tail(call, width, now, has_key)
    tail_cells = sum(cell_len(part.text) for part in tail)
    pieces = _running(call, width, now, more) if call.outcome is None else _ended(call)
    wanted = longest_middle or middle_cells(call)
    spare = width - used - tail_cells
    # Names may differ at their ends only; the outcome is shown whole under the cursor.
    named = min(longest_name + 2, NAMED)
    least = min(max(12, width // 5, named), spare - SHORTEST_MIDDLE)
    if wanted > spare - least and not something_runs:
        # It is cut in any case: no reason to cut the names short for it.
        least = max(least, min(longest_name + 2, width * 2 // 5, spare - SHORTEST_MIDDLE))
    name_cells = max(0, least, min(longest_name + 2, spare - wanted))
    if name_cells > 2:
        name = fit_name(call.request.display_name, name_cells - 2)
        head.append(Part(left(name, name_cells)))
        used += name_cells
    room = max(0, width - used - tail_cells)
    middle: list[Part] = []
    for part in pieces:
        shown = fit(part.text, room)
        middle.append(Part(shown, part.role))
        room -= cell_len(shown)
    if preview := _preview(call, room - PREVIEW_GAP):
        middle.append(Part(f" · {preview}", "muted"))
        room -= PREVIEW_GAP + cell_len(preview)
    pace = next((words for words in _pace(call, now) if cell_len(words) + 2 <= room), "")
    middle.append(Part(" " * (room - cell_len(pace))))
    middle.append(Part(pace, "muted"))
    parts = [*head, *middle, *tail]
    whole = "".join(part.text for part in parts)
    return CallLine((Part(fit(whole, width)),) if cell_len(whole) > width else tuple(parts))


def _preview(call: Call, room: int) -> str:
    """The server's line in the rest of a row, with a mark if its template leaves out arguments;
    empty if too little of it would be seen.
    """
    if room < PREVIEW_LEAST or (found := masked_preview(call)) is None:
        return ""
    whole = preview_words(call)
    if cell_len(whole) <= room:
        return whole
    mark = f" {LEAVES_OUT}" if found.omitted else ""
    cells = room - cell_len(f"{PREVIEW_LABEL} “”{mark}") - found.words.count("”")
    if cells < min(cell_len(found.words), PREVIEW_LEAST):
        return ""
    return f"{PREVIEW_LABEL} {in_quotes(fit(found.words, cells))}{mark}"


def middle_cells(call: Call) -> int:
    """Number of cells for the whole outcome of a call."""
    if call.outcome is None:
        return RUNNING_MIDDLE
    return sum(cell_len(part.text) for part in _ended(call))


def _tail(call: Call, width: int, now: float, has_key: bool) -> list[Part]:
    """Time and button: the button in a column of its own if there is room for one."""
    elapsed = seconds(call.elapsed(now))
    cancellable = can_cancel(call)
    button = CANCEL_KEY if has_key and width >= KEY_FROM else CANCEL
    if width >= BUTTON_COLUMN_FROM:
        rest = " " * (len(CANCEL_KEY) - len(button))
        column = (
            [Part("    "), Part(button, "cancel"), Part(rest)]
            if cancellable
            else [Part(" " * (4 + len(CANCEL_KEY)))]
        )
        return [Part(" " + right(elapsed, ELAPSED_CELLS), "muted"), *column]
    time = Part(right(elapsed, max(8, cell_len(elapsed) + 1)), "muted")
    if cancellable and width >= BUTTON_FROM:
        return [Part("  "), Part(button, "cancel"), time]
    return [time]


def _running(call: Call, width: int, now: float, more: str) -> list[Part]:
    ending = Part(f"  {more}" if more else "", "muted")
    if call.state is not State.RUNNING:
        return [Part(call.status), ending]
    cells = 15 if width >= 100 else 10 if width >= 70 else 5
    progress = call.progress
    parts = [Part(bar(call, cells, now), "bar"), Part("  ")]
    if progress.words:
        parts += [Part(left(progress.words, max(5, cell_len(progress.words)))), Part("  ")]
    if call.cancel_requested or not (progress.message or progress.words):
        parts.append(Part(call.status))
    elif progress.message:
        if call.task is not None:
            parts.append(Part(f"{short_status(call)}: "))
        parts.append(Part(progress.message, "muted"))
    return [*parts, ending]


def _pace(call: Call, now: float) -> tuple[str, ...]:
    """Rate and time left, the longest wording first; they give way to all else."""
    if call.state is not State.RUNNING or call.cancel_requested:
        return ()
    return pace_words(call.pace, call.progress, now)


def _ended(call: Call) -> list[Part]:
    kind = mood(call)
    parts = [Part(f"{SIGNS[kind]} {short_status(call)}", kind.value)]
    if call.page is not None:
        parts.append(Part(f" · {call.page.words}", "muted"))
    if call.findings:
        count = sum(one.severity is not Severity.NOTE for one in call.findings)
        is_invalid = call.schema is not None and call.schema.answer is SchemaAnswer.INVALID
        noun = ("finding" if is_invalid else "problem") if count else "note"
        count = count or len(call.findings)
        parts.append(Part(f" · {count:,} {noun}{'' if count == 1 else 's'}", "muted"))
    if call.reason:
        parts.append(Part(f" · {call.reason}", "muted"))
    return parts
