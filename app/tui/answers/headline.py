"""The lines above a result, and the report of a running call.

A result has the outcome of its call, and the audience of the shown parts; a running call its bar,
the whole message, its pace, and how it is cancelled.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from textual.content import Content
from textual.widgets import Static

from ....widgets.cells import fit_name
from ....widgets.key_bar import bar_words
from ....widgets.lists.call_row import bar, can_cancel, short_status
from ...approval.approval import ANSWER_WORDS, answered_by
from ...calls.call import Call, Outcome, State
from ...calls.effects.claims import evidence_headline
from ...content.text import seconds
from ...presentation.calls import follows, took_words
from ...protocol.answers.content import Answer
from ...protocol.answers.copies import RepeatedCall, RepeatStatus
from ...protocol.progress import pace_words

QUIET = "$foreground-muted"
NAMED = 16
"""Cells of a name that are not given up for the rest of its line."""


class Audience(StrEnum):
    """Audience whose parts are shown."""

    ALL = "all"
    USER = "user"
    ASSISTANT = "assistant"

    @property
    def next(self) -> Audience:
        every = list(Audience)
        return every[(every.index(self) + 1) % len(every)]


def headline(call: Call, advice: str, width: int = 0) -> Content:
    """Outcome, decision, time; the reason; whether it may be made again; the comparison.

    Of so many cells the first line takes no more, if it can be shortened so far; 0: it is whole.
    """
    pieces: list[str | tuple[str, str] | Content] = [_first_line(call, width)]
    if call.reason:
        pieces.append(f"\n{call.reason}")
    evidence, is_against = evidence_headline(call)
    if evidence:
        pieces += ["\n", (evidence, "bold $text-error" if is_against else QUIET)]
    if advice:
        pieces += ["\n", (advice, "$text-warning")]
    if (found := call.comparison) is not None:
        style = "bold $text-success" if found.agrees else "bold $text-warning"
        pieces += ["\n", (found.headline, style), f": {'; '.join(found.words)}"]
        pieces += _repeat_pieces(found.repeat) if found.repeat is not None else []
    return Content.assemble(*pieces)


def _first_line(call: Call, width: int) -> Content:
    """Name, outcome, time, and whose decisions: shorter words, then fewer, where room is short."""
    style = "bold" if call.is_fine or not call.is_over else "bold $text-error"
    number, name = (f"{call.id}  ", QUIET), call.request.display_name
    long, short = (("  ", ""), (call.status, style)), (("  ", ""), (short_status(call), style))
    took = took_words(call)
    time = [(f"  {took}", QUIET)] if took else []
    others, brief = _others(call), _others(call, is_brief=True)
    whole = Content.assemble(number, (name, "bold"), *long, *time, *others)
    if width <= 0 or whole.cell_length <= width:
        return whole
    shorter = [(*short, *time, *others), (*short, *time, *brief)]
    if call.withheld:
        # Only the long words name who withheld the response.
        shorter = [(*long, *time, *brief)]
    if followed := [(f"  {words}", QUIET) for words in follows(call)]:
        # A retry is named as one even if no decision fits.
        shorter.append((*short, *time, *followed))
    for words in (*shorter, (*long, *time), (*short, *time)):
        line = Content.assemble(number, (name, "bold"), *words)
        if line.cell_length <= width:
            return line
    rest = Content.assemble(*short, *time)
    room = max(NAMED, width - len(number[0]) - rest.cell_length)
    return Content.assemble(number, (fit_name(name, room), "bold"), rest)


def _others(call: Call, *, is_brief: bool = False) -> list[tuple[str, str]]:
    """Whose decisions, and which call or page it follows. Brief: with the shorter name of each."""
    found: list[str] = []
    if call.decision is not None and call.outcome is not Outcome.DENIED:
        answer = ANSWER_WORDS[call.decision.answer]
        by = call.decision.by if is_brief else call.decision.by_words
        found.append(answered_by(answer, by))
    if call.result_decision is not None and not call.withheld:
        found.append(f"response used by {call.result_decision.by_words}")
    return [(f"  {words}", QUIET) for words in (*found, *follows(call))]


def _repeat_pieces(repeat: RepeatedCall) -> list[str | tuple[str, str]]:
    """Describe the comparison of two results of a repeated call."""
    pieces: list[str | tuple[str, str]] = ["\n", (repeat.headline, "bold")]
    pieces += [f"\n  {one.words}" for one in repeat.differences]
    style = "bold $text-error" if repeat.standing is RepeatStatus.CONTRADICTED else "bold"
    return [*pieces, "\n", (f"{repeat.claim}: {repeat.standing.value}", style), f" - {repeat.why}"]


def audience_line(answer: Answer | None, audience: Audience) -> Content | None:
    """Which parts are shown, or could be; None if no part has an audience and all are shown."""
    parts = () if answer is None else answer.parts
    if answer is None or not parts:
        return None
    noun = "parts" if not answer.more_parts else "parts drawn"
    if audience is not Audience.ALL:
        shown = sum(part.annotations.is_for(audience.value) for part in parts)
        words = f"showing {shown} of {len(parts)} {noun}: for the {audience.value}"
        following = "all" if audience.next is Audience.ALL else f"those for the {audience.next}"
        return Content.assemble(
            (words, "bold $text-warning"), bar_words([("   u", f"Show {following}")])
        )
    if not any(part.annotations.audience for part in parts):
        return None
    counts = {
        "for the user": sum(part.annotations.audience == ("user",) for part in parts),
        "for the assistant": sum(part.annotations.audience == ("assistant",) for part in parts),
    }
    counts["for both"] = len(parts) - sum(counts.values())
    told = ", ".join(f"{count} {words}" for words, count in counts.items() if count)
    start = "the part is" if len(parts) == 1 else f"{len(parts)} {noun}:"
    told = told.partition(" ")[2] if len(parts) == 1 else told
    return Content.assemble(f"{start} {told}", bar_words([("   u", "Filter")]))


BAR_MOST: Final = 60
"""Cells of the bar."""


class RunningReport(Static):
    """Hidden unless a call is running. `show` gets the time; the widget has no clock."""

    DEFAULT_CSS = """
    RunningReport { height: auto; margin-top: 1; display: none; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)

    def show(self, call: Call | None, now: float) -> None:
        """Draw this call if it was sent and has no outcome yet."""
        is_shown = call is not None and call.outcome is None and call.state is State.RUNNING
        if self.display is not is_shown:
            self.display = is_shown
        if call is not None and is_shown:
            words = running_words(call, now, self.container_size.width)
            # A layout of the whole screen costs as much as drawing it, twelve times a second.
            lines = len(words.wrap(max(1, self.content_size.width)))
            self.update(words, layout=lines != self.content_size.height)


def _at_work(call: Call) -> str:
    """The newest message; before it that a server waits for an approval of its own."""
    message = call.progress.message
    if call.task is None:
        return message
    if call.task.awaits_approval:
        return ": ".join(filter(None, (call.task.words, message)))
    return message or call.task.words


def running_words(call: Call, now: float, width: int) -> Content:
    """Bar and figures; the message; time, rate and time left; the key that cancels."""
    progress = call.progress
    figures = progress.words or ("" if progress.count else "no progress reported yet")
    cells = max(5, min(BAR_MOST, width - len(figures) - 3))
    pace = next(iter(pace_words(call.pace, progress, now)), "")
    lines = [
        Content.assemble((bar(call, cells, now), "$text-accent"), ("  ", ""), (figures, "bold")),
        Content(_at_work(call)),
        Content.styled(" · ".join(filter(None, (seconds(call.elapsed(now)), pace))), QUIET),
    ]
    if call.cancel_requested:
        lines.append(Content.styled(call.status, "bold $text-warning"))
    elif can_cancel(call):
        lines.append(Content.assemble(("ctrl+x", "bold $text-error"), ": cancel"))
    return Content("\n").join(line for line in lines if line)
