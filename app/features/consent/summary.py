"""Totals of `signoff consent`: a line for each era, the accepted checks, and the exit status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...content.text import count, visible
from ...presentation.exit_status import ExitStatus
from .checks import CheckVerdict
from .eras import Era
from .tools import NotCalled, ToolConsent


@dataclass(frozen=True)
class Counts:
    """How many tools of an era were called, and how their calls ended."""

    tools: int
    asked: int
    failed: int
    awaiting: int
    """They have an approval on the server's side, or were denied there, and asked nothing."""
    silent: int
    """They were called without an error, and asked nothing."""
    not_called: Mapping[NotCalled, int]

    @property
    def called(self) -> int:
        return self.tools - sum(self.not_called.values())


def counts_of(found: Sequence[ToolConsent], era: str) -> Counts:
    """Count the tools of an era."""
    own = [one for one in found if one.era == era]
    not_called = Counter(one.not_called for one in own if one.not_called is not None)
    called = [one for one in own if one.not_called is None]
    asked = sum(one.asks for one in called)
    awaiting = sum(one.awaits and not one.asks for one in called)
    failed = sum(one.has_failed and not one.awaits for one in called)
    silent = len(called) - asked - awaiting - failed
    return Counts(len(own), asked, failed, awaiting, silent, not_called)


def summary(
    found: Sequence[ToolConsent],
    eras: Sequence[Era],
    accepts: Mapping[str, str],
    hidden: Sequence[str],
    took: float,
    untried: int = 0,
) -> Iterator[str]:
    """The last lines: each era, the accepted checks, and the verdict. `hidden` are the masked
    refusals of the eras that are not offered; `untried` tools were left by an interrupt.
    """
    refusals = iter(hidden)
    for era in eras:
        if era.not_offered:
            yield f"{era.version} is not offered: {next(refusals)}"
        elif era.lost:
            yield f"{era.version} was not tested: the server could not be opened"
        else:
            yield f"{era.version}: {_era_words(counts_of(found, era.version))}"
    if _is_called(found) and not any(one.asks or one.awaits or one.must_ask for one in found):
        yield "No tool asked. --tools names the tools that should ask."
    for code, reason, checks in acceptances(found, accepts):
        if checks:
            yield f"accepted {code}, {count(checks, 'check')}: {visible(reason)}"
        else:
            yield f"--accept {code} matched nothing: {visible(reason)}"
    yield f"{total_words(found, eras, untried)} in {took:.1f} s"


def _era_words(counts: Counts) -> str:
    ends = {
        "asked": counts.asked,
        "left the decision to the server's side": counts.awaiting,
        "did not ask": counts.silent,
        "failed": counts.failed,
    }
    told = [f"{number:,} {words}" for words, number in ends.items() if number]
    words = f"{counts.called:,} of {count(counts.tools, 'tool')} called"
    words += f": {', '.join(told)}" if told else ""
    if counts.not_called:
        kinds = [f"{number:,} for {kind.value}" for kind, number in counts.not_called.items()]
        words += f"; {sum(counts.not_called.values()):,} not called: {', '.join(kinds)}"
    return words


def total_words(found: Sequence[ToolConsent], eras: Sequence[Era], untried: int = 0) -> str:
    """`FAILED: 2 of 7 tools have failed checks; 20 calls by other people`."""
    names = {one.tool.name for one in found}
    broken = {one.tool.name for one in found if one.is_broken}
    lost = {one.tool.name for one in found if one.lost}
    people = sum(each.was_sent and not each.not_possible for one in found for each in one.people)
    status = exit_status(found, eras, untried)
    verdict = "passed" if status is ExitStatus.OK else "FAILED"
    if status is ExitStatus.NOT_APPROVED:
        verdict = "not tested"
    if status is ExitStatus.LOST and untried:
        verdict = "interrupted"
    words = f"{verdict}: {count(len(names), 'tool')}, {len(broken):,} with a failed check"
    if lost:
        words += f", {len(lost):,} not reached"
    if untried:
        words += f", {untried:,} not tried"
    return f"{words}; {count(people, 'call')}"


def acceptances(
    found: Sequence[ToolConsent], accepts: Mapping[str, str]
) -> Iterator[tuple[str, str, int]]:
    """Each accepted code with its reason and the number of checks that it matched."""
    matched = Counter(each.code for one in found for each in _accepted(one))
    for code, reason in accepts.items():
        yield code, reason, matched[code]


def _accepted(found: ToolConsent) -> Iterator[CheckVerdict]:
    for one in found.people:
        yield from (each for each in found.verdicts(one) if each.reason)


def is_passed(found: Sequence[ToolConsent], eras: Sequence[Era], untried: int = 0) -> bool:
    """False if a check failed, or not every tool was called, or a server was lost."""
    return exit_status(found, eras, untried) is ExitStatus.OK


def exit_status(found: Sequence[ToolConsent], eras: Sequence[Era], untried: int = 0) -> ExitStatus:
    """A broken check counts before tools that were not reached, and those before a denial.

    Tools are not reached if a server is lost, if its list is not whole, or after an interrupt.
    """
    if any(one.is_broken for one in found):
        return ExitStatus.FLOW_FAILED
    if untried or not found or any(one.lost for one in found) or any(map(_is_lost, eras)):
        return ExitStatus.LOST
    if not _is_called(found):
        return ExitStatus.NOT_APPROVED
    return ExitStatus.OK


def _is_called(found: Sequence[ToolConsent]) -> bool:
    return any(not one.problem for one in found)


def _is_lost(era: Era) -> bool:
    return bool(era.lost or era.missing)
