"""`signoff evidence` for people: each tool, its hints, and what was seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ...analysis.evidence.claims import Standing, seen_lines
from ...calls.call import Outcome
from ...content.text import count, visible
from ...headless.hiding import Hiding
from ...headless.readable import Out
from ...protocol.hints import Claim
from .tool_evidence import ToolEvidence

if TYPE_CHECKING:
    from ...engine.engine import Bench
    from .evidence_trying import Tried

STYLES: Final = {
    Standing.CONTRADICTED: "bold red",
    Standing.CONSISTENT: "green",
    Standing.NOT_EXERCISED: "dim",
}


def print_evidence(
    bench: Bench, hiding: Hiding, found: Sequence[ToolEvidence], tried: Tried
) -> None:
    """All tools, the contradicted ones first."""
    method = tried.runs.watch.method
    out = Out(hiding)
    out.line(("server   ", "dim"), (visible(bench.server.name), "bold"))
    out.line(("watched  ", "dim"), (f"by {method.value}: {method.sees}", ""))
    out.line(("         ", ""), (f"not seen: {method.misses}", "dim"))
    for one in sorted(found, key=lambda one: not one.is_contradicted):
        out.blank()
        effect = one.tool.effect
        out.line((f"{effect.sign} ", ""), (one.tool.name_shown, "bold"), (f"   {effect.value}", ""))
        if one.problem:
            out.line(("  not called: ", "yellow"), (one.problem, ""))
        for call in one.calls:
            if not call.sent or call.outcome is not Outcome.OK:
                out.line(("  ", ""), (f"{call.status}: {call.reason}".rstrip(": "), "yellow"))
        for verdict in one.verdicts:
            if verdict.claim is Claim.UNSAID and verdict.standing is not Standing.CONTRADICTED:
                continue
            out.line(
                (f"  {verdict.standing.sign} ", STYLES[verdict.standing]),
                (f"{verdict.hint} {verdict.claim.value}: ", ""),
                (verdict.standing.value, STYLES[verdict.standing]),
                (f" - {verdict.why}", ""),
            )
        for number, call in enumerate(one.calls, 1):
            if call.evidence is not None:
                for words in seen_lines(call.evidence):
                    out.line((f"    call {number}: ", "dim"), (words, ""))
        if one.ending is not None:
            for words in seen_lines(one.ending):
                out.line(("    at the server's end: ", "dim"), (words, ""))
    if tried.control is not None:
        out.blank()
        words = f"watched for {tried.control.seconds:.1f} s and to its end"
        out.line(("a run without calls: ", "dim"), (f"{words}; its deeds are not counted", "dim"))
    for words in tried.notes:
        out.line(("seen: ", "dim"), (words, ""))
    out.blank()
    contradicted = sum(one.is_contradicted for one in found)
    style = "bold red" if contradicted else "bold"
    words = f"{count(contradicted, 'tool')} of {len(found)} contradicted by what was seen"
    out.line((words, style), ("; nothing is proven by the others", "dim"))
