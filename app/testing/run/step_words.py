"""What is told of a step: in few words, without secrets, and safe to show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from ...calls.call import Call
from ...content.text import cut, visible
from ...schemas.secrets.secrets import mask_text
from ..changing import changed
from ..results import StepResult
from ..seen import Seen
from .flow_session import FlowSession

LINE_SHOWN: Final = 400
"""Characters of a line of a dialog in a report."""


def facts_of(seen: Seen, left_out: Sequence[str] = ()) -> list[str]:
    """What happened, in a few words each; raw."""
    call = seen.call
    if call is None:
        return ["it came" if seen.is_told else "subscribed"]
    facts = [call.verdict.words, "a dialog" if seen.dialogs else "no dialog"]
    if call.decision is not None and call.sent:
        facts.append(f"approved by {call.decision.by}")
    facts.append(call.status)
    facts += [f"asked for {one.method}" for one in seen.asked[:3]]
    if left_out:
        facts.append(f"not looked at: {', '.join(left_out)}")
    return facts


def dialog_lines(seen: Seen) -> tuple[str, ...]:
    """What the dialogs said, as it is checked."""
    lines = [line for one in (*seen.dialogs, *seen.asked) for line in (*one.lines, "")]
    return tuple("\n".join(lines).strip("\n").split("\n")) if lines else ()


def safe(session: FlowSession, call: Call | None, result: StepResult, took: float) -> StepResult:
    """The result without secrets, and safe to show."""
    hiding = session.hiding(call)

    def shown(text: str) -> str:
        return visible(hiding.said(text)) if hiding.knows_any else _shown(text)

    return replace(
        result,
        title=shown(result.title),
        facts=tuple(shown(one) for one in result.facts),
        checks=tuple(
            changed(one, expected=shown(one.expected), seen=shown(one.seen))
            for one in result.checks
        ),
        dialog=tuple(
            visible(hiding.said(cut(one, LINE_SHOWN).text), max_blanks=LINE_SHOWN)
            for one in result.dialog
        ),
        seconds=took,
    )


@lru_cache(maxsize=256)
def _shown(text: str) -> str:
    """The same where no secret is known; most words of a flow come again in each step."""
    return visible(mask_text(text))
