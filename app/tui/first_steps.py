"""What to do first with a server, in one line of the first screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ..approval.policies.verdicts import VerdictAnswer
from ..protocol.hints import Effect
from ..protocol.tool import ToolDefinition

_GENTLE: Final = ("calculate_sum", "add")
_HARMFUL: Final = ("delete_file",)
_MEANS: Final[Mapping[VerdictAnswer, tuple[str, str]]] = {
    VerdictAnswer.ALLOW: ("runs at once", "run at once"),
    VerdictAnswer.ASK: ("asks first", "ask first"),
    VerdictAnswer.UNKNOWN: ("asks first", "ask first"),
    VerdictAnswer.REFUSE: ("is refused", "are refused"),
    VerdictAnswer.HIDE: ("is hidden", "are hidden"),
}


def lesson_words(
    tools: Sequence[ToolDefinition], keys: Mapping[str, str], says: Mapping[str, VerdictAnswer]
) -> tuple[str, ...]:
    """The line for the bundled server, the longest wording first.

    `keys` are those of `call`, `filter` and, where there is one, `tour`; `says` what the policy
    says of a tool by its name.
    """
    found = (
        _example(tools, _GENTLE, (Effect.READ_ONLY,)),
        _example(tools, _HARMFUL, (Effect.DESTRUCTIVE,)),
    )
    examples = [one for one in found if one is not None]
    call, find, tour = keys.get("call", ""), keys.get("filter", ""), keys.get("tour", "")
    if not examples or not call:
        return (f"{tour} is a tour",) if tour else ()
    long = ", then ".join(f"{one.name}, which {_means(says, one)}" for one in examples)
    short = ", ".join(f"{one.name} ({_means(says, one)})" for one in examples)
    how = f"{find} finds, enter, {call} calls" if find else f"{call} calls"
    return (
        f"Try {long}: {how}{f' · {tour} is a tour' if tour else ''}",
        f"Try {short}: {call} calls{f' · {tour} tour' if tour else ''}",
        f"{call} calls{f' · {tour} tour' if tour else ''}",
    )


def server_words(answers: Iterable[VerdictAnswer], keys: Mapping[str, str]) -> tuple[str, ...]:
    """The line for any other server: how a call is made, and how many of its tools will ask."""
    call = keys.get("call", "")
    counts = Counter(_MEANS[one][1] for one in answers)
    total = sum(counts.values())
    if not total or not call:
        return ()
    if len(counts) == 1:
        (plural,) = counts
        singular = next(one for one, other in _MEANS.values() if other == plural)
        told = f"the only one {singular}" if total == 1 else f"all {total:,} {plural}"
    else:
        told = ", ".join(
            f"{count:,} {words if count > 1 else _singular(words)}"
            for words, count in counts.most_common()
        )
    return (
        f"Choose a tool, enter, fill in, {call} calls it: {told}",
        f"Enter fills in, {call} calls: {told}",
        f"{call} calls: {told}",
    )


def _example(
    tools: Sequence[ToolDefinition], names: Sequence[str], effects: Sequence[Effect]
) -> ToolDefinition | None:
    """One of these tools, else the first with such an effect whose name is plain."""
    by_name = {one.name: one for one in tools if one.effect in effects}
    known = [by_name[name] for name in names if name in by_name]
    return next(iter([*known, *by_name.values()]), None)


def _means(says: Mapping[str, VerdictAnswer], tool: ToolDefinition) -> str:
    return _MEANS[says.get(tool.name, VerdictAnswer.ASK)][0]


def _singular(plural: str) -> str:
    return next(one for one, other in _MEANS.values() if other == plural)
