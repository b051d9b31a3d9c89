"""`signoff test --update` and `--settle`: rewrites failed expectations after confirmation.

`signoff test --watch`: runs again as soon as a flow, its policy or its server changes.
"""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from ....cli.output.printing import print_error, prompt, tell
from ....cli.output.results import FlowResult, Status, StepResult
from ....content.files.content import FileFault, read_text, write_text
from ....content.text import count, cut, visible
from ..flow import Flow
from ..settling import SETTLED
from ..updating import Proposal, edited, written
from ..yaml_tree import LONGEST, FlowError

YES = "yes"
SHOWN = 300
"""Characters that are shown of a value before it is written."""


def offer_update(files: Sequence[Path], results: Sequence[FlowResult]) -> None:
    """Show the observed values that would be written, ask, and write them."""
    if not _offer(files, results, _seen):
        tell(
            "nothing to update: no failed step has a value to use instead (of contents, only "
            "equals has)"
        )


def offer_settled(files: Sequence[Path], results: Sequence[FlowResult]) -> None:
    """Show values that differed this time and their new expectations, ask, and write them."""
    for path, result in zip(files, results, strict=True):
        for step in result.steps:
            if step.status is Status.FAILED and (why := _not_settled(step)):
                place = f"{visible(str(path))} step {step.index + 1}"
                tell(f"{place} must be changed by hand: {why}")
    if _offer(files, results, _in_common):
        return
    if all(one.status is Status.PASSED for one in results):
        tell("nothing to settle: all expected values were the same again")
    else:
        tell("nothing to settle: no step failed only because the value of an equals changed")


def tell_what_helps(files: Sequence[Path], results: Sequence[FlowResult]) -> None:
    """Name what helps where a flow is not right any more, or where values change, as ids do."""

    def named(has: Callable[[StepResult], bool]) -> str:
        pairs = zip(files, results, strict=True)
        chosen = [str(path) for path, one in pairs if any(map(has, one.steps))]
        return visible(shlex.join(chosen))

    if names := named(lambda step: bool(step.proposals)):
        tell(f"If these results are correct, accept them with signoff test --update {names}.")
    if names := named(lambda step: bool(step.settlings)):
        total = sum(len(step.settlings) for one in results for step in one.steps)
        differs = "differs from the result" if total == 1 else "differ from the results"
        tell(
            f"{count(total, 'expected value')} {differs}. If this is correct, accept any value of "
            f"the same shape with signoff test --settle {names}."
        )


def _seen(step: StepResult) -> Iterable[Proposal]:
    return (Proposal(step.index, path, value) for path, value in step.proposals)


def _in_common(step: StepResult) -> Iterable[Proposal]:
    return (Proposal(step.index, path, value, is_several=True) for path, value in step.settlings)


def _not_settled(step: StepResult) -> str:
    """The reason why a failed step stays as it is; empty if each of its failures can be settled."""
    failed = dict.fromkeys(one.name for one in step.failures)
    if others := [one for one in failed if one not in SETTLED]:
        return f"{', '.join(others)} failed for another reason than a changing value"
    settled = {path[1] for path, _ in step.settlings}
    if left := [one for one in failed if one not in settled]:
        return f"{', '.join(left)} has no exact value to compare with"
    return ""


def _offer(
    files: Sequence[Path],
    results: Sequence[FlowResult],
    wanted_of: Callable[[StepResult], Iterable[Proposal]],
) -> bool:
    """Ask and write on yes; False if there is nothing to offer."""
    wanted = {
        path: found
        for path, result in zip(files, results, strict=True)
        if (found := [one for step in result.steps for one in wanted_of(step)])
    }
    if not wanted:
        return False
    for path, several in wanted.items():
        for one in several:
            tell(f"{visible(str(path))} step {one.step + 1}: {one.place} becomes {_words(one)}")
    total = sum(map(len, wanted.values()))
    prompt(
        f"Type {YES} and Enter to write {count(total, 'change')}; anything else writes nothing: "
    )
    if sys.stdin.readline().strip() != YES:
        tell("Nothing was written.")
        return True
    for path, several in wanted.items():
        _write(path, several)
    return True


def _words(one: Proposal) -> str:
    values = one.value if one.is_several and isinstance(one.value, list) else [one.value]
    short = cut(" and ".join(map(written, values)), SHOWN)
    return visible(short.text) + ("…" if short.is_cut else "")


def _write(path: Path, wanted: Sequence[Proposal]) -> None:
    shown = visible(str(path))
    try:
        text, left = edited(read_text(path, LONGEST), wanted)
        write_text(path, text)
    except (FileFault, FlowError) as problem:
        print_error(f"{shown} was not written: {visible(str(problem))}")
        return
    tell(f"{shown}: {count(len(wanted) - len(left), 'value')} written")
    for one in left:
        tell(f"{shown} step {one.step + 1}: {one.place} must be changed by hand: not on one line")


LOOK_SECONDS: Final = 0.3

Stamps = dict[Path, tuple[int, int]]


def watched(given: Iterable[Path], flows: Iterable[Flow]) -> list[Path]:
    """The flow files, and the files that they name: policies, scripts of servers."""
    found = dict.fromkeys(given)
    for flow in flows:
        beside = Path(flow.file).parent
        if flow.policy:
            found[beside / flow.policy] = None
        found |= dict.fromkeys(Path(word) for word in flow.server.command)
    return [path for path in found if path.is_file()]


def stamps(files: Iterable[Path]) -> Stamps:
    """Return time and size of each file; missing files are left out."""
    found: Stamps = {}
    for path in files:
        try:
            stat = path.stat()
        except OSError:
            continue
        found[path] = (stat.st_mtime_ns, stat.st_size)
    return found


def wait_for_change(files: Iterable[Path], before: Stamps) -> None:
    """Until one of them is another, came, or went."""
    several = list(files)
    while stamps(several) == before:
        time.sleep(LOOK_SECONDS)
