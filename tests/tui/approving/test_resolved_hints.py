"""The approval request of a call whose hints were resolved."""

from __future__ import annotations

from dataclasses import replace

import pytest

from signoff.app.approval.questions.question_lines import question_parts
from signoff.app.approval.questions.question_words import takes_one_press
from signoff.app.protocol.extensions.tool_resolution import (
    Resolution,
    ResolutionStatus,
    ResolvedHints,
)
from signoff.app.protocol.server import Trust
from tests.approved import approved
from tests.tui.stage import HARMLESS, ask, stage

PROSE = approved("tui-approval")
READS = ResolvedHints(
    readOnlyHint=True, destructiveHint=False, idempotentHint=True, openWorldHint=False
)
RESOLVED = Resolution(ResolutionStatus.RESOLVED, READS, was_sent=True)
NOT_SENT = Resolution(ResolutionStatus.NOT_SENT, reason="the policy refuses the call")


@pytest.mark.parametrize(
    ("name", "resolution", "trust"),
    [
        ("resolved: trusted", RESOLVED, Trust.TRUSTED),
        ("resolved: not trusted", RESOLVED, Trust.UNTRUSTED),
        ("resolved: not sent", NOT_SENT, Trust.UNTRUSTED),
    ],
)
def test_it_has_both_kinds_of_hints_and_what_was_sent(
    name: str, resolution: Resolution, trust: Trust
) -> None:
    question = replace(ask(), resolution=resolution, trust=trust)
    lines = ["".join(text for text, _ in line.pieces) for line in question_parts(question).rest]
    without = ["".join(text for text, _ in line.pieces) for line in question_parts(ask()).rest]
    PROSE.holds(name, "\n".join(one for one in lines if one not in without))


def test_resolved_hints_save_no_press() -> None:
    # The static hints are destructive; a lie of the server saves nothing.
    assert not takes_one_press(replace(ask(), resolution=RESOLVED))


def test_worse_hints_than_the_listed_ones_need_both_presses() -> None:
    worse = ResolvedHints(
        readOnlyHint=False, destructiveHint=True, idempotentHint=False, openWorldHint=False
    )
    failed = Resolution(ResolutionStatus.FAILED, worse, "worse", was_sent=True)
    question = ask({**HARMLESS})
    assert takes_one_press(question)
    assert not takes_one_press(replace(question, resolution=failed))


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_it_is_on_the_screen(size: tuple[int, int]) -> None:
    async with stage(replace(ask(), resolution=RESOLVED), size=size) as scene:
        assert "read-only (static:" in scene.text
