"""Compares the observed effects of a tool's calls with its hints. Pure.

Nothing is ever proven: a tool may do something else with other arguments, or tomorrow. The
observations either contradict a claim, or are consistent with it, or do not bear on it. Spec,
schema `ToolAnnotations`: read-only means that it does not modify its environment; not destructive
that it performs only additive updates; idempotent that repeating it with the same arguments has no
additional effect on the environment; closed world that it does not interact with external entities.

Effects of a run without calls do not count against a tool.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.labels import some_named
from ...content.text import count
from ...protocol.hints import Claim, Hint, Hints
from ..call import Call, Outcome
from .deeds import FileAccess, FileLoss, Method, Observation, SeenFile, path_words
from .touches import shape_of

OPEN_WORLD = "openWorldHint"
TOLD = 3
"""Deeds that one verdict names; the others are counted."""


class ClaimStatus(StrEnum):
    """Relation of a claim to the observations."""

    CONTRADICTED = "contradicted"
    CONSISTENT = "not contradicted by what was seen"
    NOT_EXERCISED = "not exercised"

    @property
    def sign(self) -> str:
        return {"contradicted": "✗", "not exercised": "·"}.get(self.value, "=")


@frozen
class Watched:
    """One call that was watched."""

    seen: Observation
    is_answered: bool
    """True if the call has a response that is not an error."""


@frozen
class ClaimVerdict:
    """One hint: the claim, its standing, and the reason, in words that are safe to show."""

    hint: str
    claim: Claim
    standing: ClaimStatus
    why: str
    seen: str = ""
    """What was seen that contradicts it; empty where nothing does."""

    @property
    def words(self) -> str:
        return f"{self.hint} {self.claim.value}: {self.standing.value} - {self.why}"

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "hint": self.hint,
            "claimed": self.claim.as_json(),
            "standing": self.standing.value,
            "why": self.why,
        }


def judge(
    hints: Hints,
    calls: Sequence[Watched],
    *,
    ending: Observation | None = None,
    shown: Sequence[str] = (),
) -> tuple[ClaimVerdict, ...]:
    """Judge each of the four hints. `calls` are of one tool with the same arguments, in order; the
    first may change things, each further one repeats it. `ending` are the server's effects for them
    at its end, `shown` resources that read differently afterwards, in words.
    """
    return (
        _read_only(hints, calls, ending, shown),
        _destructive(hints, calls, ending),
        _idempotent(hints, calls),
        _open_world(hints, calls, ending),
    )


def judge_call(call: Call) -> tuple[ClaimVerdict, ...]:
    """The same for one call alone; empty if it was not watched, or calls no tool."""
    if call.evidence is None or call.tool is None:
        return ()
    watched = Watched(call.evidence, call.outcome is Outcome.OK)
    return judge(call.tool.hints, (watched,), ending=call.evidence.ending)


def is_contradicted(call: Call) -> bool:
    """True if the effects of one call contradict a hint of its tool."""
    return any(one.standing is ClaimStatus.CONTRADICTED for one in judge_call(call))


def _no(effects: str, calls: Sequence[Watched]) -> str:
    """The finding that there were none. Files in the temporary folder are shown, not counted."""
    has_temporary = any(one.is_temporary for call in calls for one in call.seen.files)
    return f"no {effects}{' outside the temporary folder' if has_temporary else ''}"


def _name(hint: Hint) -> str:
    """As the specification spells it."""
    return f"{hint.name}Hint"


def _read_only(
    hints: Hints, calls: Sequence[Watched], ending: Observation | None, shown: Sequence[str]
) -> ClaimVerdict:
    hint = hints.read_only
    changes = [one for call in calls for one in call.seen.changes]
    lists = [words for call in calls for words in call.seen.lists]
    left = [one.words for call in calls for one in call.seen.left if one.is_work_of_its_own]
    at_end = _at_end(ending.changes, ending) if ending is not None else []
    done = [*_told(changes, calls), *lists, *left, *at_end, *shown]
    if hint.claim is Claim.TRUE:
        if done:
            return _contradicted(hint, "declared read-only", done)
        return _unless_idle(_name(hint), hint.claim, calls, _no("changes", calls))
    return _said_of_itself(_name(hint), hint.claim, done, _no("changes", calls), calls)


def _destructive(
    hints: Hints, calls: Sequence[Watched], ending: Observation | None
) -> ClaimVerdict:
    hint = hints.destructive
    changes = [one for call in calls for one in call.seen.changes]
    lost_files = [one for one in changes if one.loss is FileLoss.LOST]
    lost = _told(lost_files, calls)
    if ending is not None:
        lost += _at_end([one for one in ending.changes if one.loss is FileLoss.LOST], ending)
    if hint.claim is not Claim.FALSE:
        words = _no("losses", calls)
        return _said_of_itself(_name(hint), hint.claim, lost, words, calls)
    if lost:
        return _contradicted(hint, "declared not destructive", lost)
    unknown = [
        one
        for one in changes
        if one.loss is FileLoss.UNKNOWN
        and one.deed is not FileAccess.ATTRIBUTES
        and not one.is_same
    ]
    if unknown:
        why = f"{some_named(_told(unknown, calls), TOLD)}; whether it lost something is not known"
        return ClaimVerdict(_name(hint), hint.claim, ClaimStatus.CONSISTENT, why)
    return _unless_idle(_name(hint), hint.claim, calls, _no("losses", calls))


def _idempotent(hints: Hints, calls: Sequence[Watched]) -> ClaimVerdict:
    hint = hints.idempotent
    if hint.claim is not Claim.TRUE:
        return ClaimVerdict(
            _name(hint), hint.claim, ClaimStatus.NOT_EXERCISED, "it is not declared idempotent"
        )
    if hints.read_only.claim is Claim.TRUE:
        return ClaimVerdict(
            _name(hint),
            hint.claim,
            ClaimStatus.NOT_EXERCISED,
            "declared read-only: nothing to repeat",
        )
    if len(calls) < 2:
        return ClaimVerdict(
            _name(hint), hint.claim, ClaimStatus.NOT_EXERCISED, "it was not called twice"
        )
    again = [one for call in calls[1:] for one in call.seen.changes if not _has_no_effect(one)]
    lists = [words for call in calls[1:] for words in call.seen.lists]
    done = [*_told(again, calls), *lists]
    if done:
        return _contradicted(hint, "declared idempotent, but the second call", done)
    return _unless_idle(_name(hint), hint.claim, calls, "the second call changed nothing further")


def _has_no_effect(one: SeenFile) -> bool:
    """True if nothing is another for it: the same was written again."""
    if one.is_same is not None:
        return one.is_same
    return one.deed in (FileAccess.ATTRIBUTES, FileAccess.WRITTEN)


def _at_end(files: Sequence[SeenFile], ending: Observation) -> list[str]:
    return [f"{one.words(ending.scratch)} when the server exited" for one in files]


def _open_world(hints: Hints, calls: Sequence[Watched], ending: Observation | None) -> ClaimVerdict:
    hint = hints.open_world
    told = [f"connected to {one.words}" for call in calls for one in call.seen.reached]
    if ending is not None:
        told += [f"connected to {one.words} when the server exited" for one in ending.reached]
    reached = list(dict.fromkeys(told))
    if hint.claim is not Claim.FALSE:
        words = "no other machine was contacted"
        return _said_of_itself(_name(hint), hint.claim, reached, words, calls)
    if reached:
        return _contradicted(hint, "declared closed world", reached)
    near = {one.words for call in calls for one in call.seen.addresses}
    also = f" (only {', '.join(sorted(near)[:TOLD])})" if near else ""
    return _unless_idle(_name(hint), hint.claim, calls, f"no other machine was contacted{also}")


def _contradicted(hint: Hint, claim: str, done: Sequence[str]) -> ClaimVerdict:
    seen = some_named(done, TOLD)
    return ClaimVerdict(
        _name(hint), hint.claim, ClaimStatus.CONTRADICTED, f"{claim}, but {seen}", seen
    )


def _said_of_itself(
    name: str, claim: Claim, done: Sequence[str], nothing: str, calls: Sequence[Watched]
) -> ClaimVerdict:
    """Judge a hint that allows more than others: its effect was observed, or was not."""
    if done:
        return ClaimVerdict(name, claim, ClaimStatus.CONSISTENT, some_named(list(done), TOLD))
    why = nothing if calls else NO_CALL
    return ClaimVerdict(name, claim, ClaimStatus.NOT_EXERCISED, why)


NO_CALL = "no call was made"


def _unless_idle(name: str, claim: Claim, calls: Sequence[Watched], why: str) -> ClaimVerdict:
    """Consistent, if there was a call that had the tool's effects."""
    if not calls:
        return ClaimVerdict(name, claim, ClaimStatus.NOT_EXERCISED, NO_CALL)
    if not any(call.is_answered for call in calls):
        return ClaimVerdict(name, claim, ClaimStatus.NOT_EXERCISED, "no call got a response")
    blind = next((words for call in calls for words in call.seen.blind), "")
    if calls[0].seen.method is Method.FOLDERS and name == OPEN_WORLD:
        why += " in the moments when it was looked at"
    return ClaimVerdict(
        name, claim, ClaimStatus.CONSISTENT, f"{why}{f'; {blind}' if blind else ''}"
    )


def _told(files: Sequence[SeenFile], calls: Sequence[Watched]) -> list[str]:
    scratch = calls[0].seen.scratch if calls else ""
    return list(dict.fromkeys(one.words(scratch) for one in files))


_WRITES = frozenset(
    {
        *(FileAccess.CREATED, FileAccess.WRITTEN, FileAccess.CHANGED, FileAccess.EMPTIED),
        *(FileAccess.APPENDED, FileAccess.REPLACED),
    }
)
_COVERED = {
    **dict.fromkeys(_WRITES, _WRITES),
    FileAccess.APPENDED: frozenset({FileAccess.APPENDED, FileAccess.CREATED}),
}
"""A deed of an idle server, and which ones it may be when it is seen again: who writes a file
creates it again where another one has deleted it."""


def without(seen: Observation, control: Observation) -> Observation:
    """Return `seen` without the effects of `control`, a run without calls.

    Effects of the same server while idle were separated by their threads already: such a path is
    not excused again.
    """
    known = {_shape(one, control): one.deed for one in control.files}
    told_apart = {*seen.idle}

    def is_excused(one: SeenFile) -> bool:
        deed = known.get(_shape(one, seen))
        if deed is None or one.path in told_apart:
            return False
        return one.deed in _COVERED.get(deed, {deed})

    return replace(
        seen,
        files=tuple(one for one in seen.files if not is_excused(one)),
        addresses=tuple(one for one in seen.addresses if one not in control.addresses),
        idle=(*seen.idle, *(one.path for one in seen.files if one.matters and is_excused(one))),
    )


LOST = "the server exited during this call, and what it did then is not counted"


def of_lost(seen: Observation) -> Observation:
    """Reduce `seen` of a call during which the server exited: its effects may belong to the end."""
    files = tuple(one for one in seen.files if not one.matters)
    return replace(seen, files=files, addresses=(), lists=(), left=(), blind=(LOST, *seen.blind))


def _shape(one: SeenFile, seen: Observation) -> str:
    """The path with the scratch folder of any run in it, and `#` for its numbers."""
    root = seen.scratch.removesuffix("/scratch")
    inside = bool(root) and one.path.startswith(root + "/")
    return shape_of("{root}" + one.path[len(root) :] if inside else one.path)


SHOWN = 8
"""Files, programs and addresses that are named, of each; the others are counted."""
CONTRADICTION = "evidence against a hint: "
END_NOT_WATCHED = "not watched after this call: the server's end; signoff evidence watches it"
NOTHING = "nothing was seen: no file, program or address"


def evidence_headline(call: Call) -> tuple[str, bool]:
    """One line on the effects of a watched call, and True if they contradict a hint; empty if it
    was not watched.
    """
    seen = call.evidence
    if seen is None:
        return "", False
    for verdict in judge_call(call):
        if verdict.standing is ClaimStatus.CONTRADICTED:
            return f"{CONTRADICTION}{verdict.hint} {verdict.claim.value}, but {verdict.seen}", True
    changed = count(len(seen.changes), "change") + " of files"
    parts = [changed, count(len(seen.processes), "program"), f"{len(seen.addresses)} addresses"]
    return f"seen ({seen.method.value}): {', '.join(parts)}; no hint is contradicted", False


def evidence_lines(call: Call) -> Iterator[str]:
    """The observations of a watched call, and the verdict on each hint of its tool."""
    seen = call.evidence
    if seen is None:
        return
    yield f"watched by {seen.method.value}: {seen.method.sees}"
    yield f"not seen: {seen.method.misses}"
    yield ""
    for verdict in judge_call(call):
        yield f"{verdict.standing.sign} {verdict.words}"
    yield ""
    yield from list(seen_lines(seen)) or [NOTHING]
    if seen.ending is None:
        yield END_NOT_WATCHED
    else:
        yield from (f"at the server's end: {words}" for words in seen_lines(seen.ending))


def seen_lines(seen: Observation) -> Iterator[str]:
    """List the effects of one call, a line each; safe to show."""
    for one in seen.files[:SHOWN]:
        own = " (of the language itself)" if one.is_own else ""
        temporary = " (in the temporary folder: not counted)" if one.is_temporary else ""
        yield f"{one.words(seen.scratch)}{own}{temporary}"
    if (more := len(seen.files) - SHOWN + seen.more) > 0:
        yield f"{count(more, 'more file')}"
    for process in seen.processes[:SHOWN]:
        yield f"started {process.words}"
    for address in seen.addresses[:SHOWN]:
        yield f"reached for {address.words}"
    if (more := len(seen.processes) - SHOWN) > 0:
        yield f"{count(more, 'more program')}"
    if (more := len(seen.addresses) - SHOWN) > 0:
        yield f"{more:,} more addresses"
    for left in seen.left[:SHOWN]:
        yield left.words
    counted = {one.path for one in seen.files}
    for path in [one for one in seen.idle if one not in counted][:SHOWN]:
        yield f"not counted: {path_words(path, seen.scratch)}, written while idle, too"
    yield from seen.lists
    yield from seen.blind
