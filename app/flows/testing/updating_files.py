"""`signoff test --update`: what failed is written anew, once somebody has said yes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from signoff.app.core.approval_flows.matching import json_excerpt
from signoff.app.core.approval_flows.mistakes import FlowError
from signoff.app.core.approval_flows.results import FlowResult, StepResult
from signoff.app.core.approval_flows.updating import Proposal, edited
from signoff.app.core.text import count, visible
from signoff.app.flows.printing import complain, prompt, tell

YES = "yes"


def offer_update(files: Sequence[Path], results: Sequence[FlowResult]) -> None:
    """Say what would be written, ask, and write it; whoever does not say yes keeps the files."""
    wanted = {
        path: found
        for path, result in zip(files, results, strict=True)
        if (found := [one for step in result.steps for one in _proposed(step)])
    }
    if not wanted:
        tell("nothing to update: no failed step says what else it could expect")
        return
    for path, several in wanted.items():
        for one in several:
            value = visible(json_excerpt(one.value))
            tell(f"{visible(str(path))} step {one.step + 1}: {one.place} becomes {value}")
    total = sum(map(len, wanted.values()))
    prompt(
        f"Type {YES} and Enter to write {count(total, 'change')}; anything else writes nothing: "
    )
    if sys.stdin.readline().strip() != YES:
        tell("Nothing was written.")
        return
    for path, several in wanted.items():
        _write(path, several)


def _proposed(step: StepResult) -> list[Proposal]:
    return [Proposal(step.index, path, value) for path, value in step.proposals]


def _write(path: Path, wanted: Sequence[Proposal]) -> None:
    shown = visible(str(path))
    try:
        # As bytes, so that the ends of lines stay what they are.
        text, left = edited(path.read_bytes().decode("utf-8"), wanted)
        path.write_bytes(text.encode("utf-8"))
    except (OSError, UnicodeError, FlowError) as problem:
        complain(f"{shown} was not written: {visible(str(problem))}")
        return
    tell(f"{shown}: {count(len(wanted) - len(left), 'value')} written")
    for one in left:
        tell(f"{shown} step {one.step + 1}: {one.place} is left to you: it is no value of one line")
