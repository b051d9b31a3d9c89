"""What a measurement found, in one or two sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from ...content.text import count, shortened, visible
from ...hosts.measured.values import NOT_AGAIN, PATIENCE, Did, MeasuredCell, Measurement
from .patience_words import sentences as patience_sentences

_REASON: Final = 200
_LESS: Final = {
    Did.UNRELATED: "asked an unrelated question before",
    Did.ONCE: "ran after a yes to something else:",
    Did.JUDGED: "ran if its model allowed it:",
}
"""How calls came without an approval of exactly this call."""
_STOPPED: Final = {Did.REFUSED: "refused", Did.HIDDEN: "hid"}


def conclusion(found: Measurement) -> str:
    """Return `Asked before 30 of 36 calls; ran 6 without a question: all declared read-only.`

    Why a measurement was stopped comes first, calls without proof last.
    """
    proved = [one for one in found.cells if one.did is not Did.UNKNOWN]
    decided = [one for one in proved if not one.probe.startswith(PATIENCE)]
    slow = patience_sentences(proved)
    sentences = [
        *(_incomplete(found), _found(decided), slow),
        *(_half(found.cells), _unproved(found.cells)),
    ]
    return " ".join(filter(None, sentences))


def progress_words(found: Measurement) -> str:
    """`12 of 36 probes were measured`."""
    return f"{len(found.cells)} of {count(found.probes, 'probe')} were measured"


def _incomplete(found: Measurement) -> str:
    if not found.stopped:
        return ""
    reason = visible(shortened(found.stopped, _REASON))
    return f"Not complete ({reason}): {progress_words(found)}."


def _found(cells: Sequence[MeasuredCell]) -> str:
    """What was done with the calls that have a proof; empty without any."""
    if not cells:
        return ""
    parts = [_asked(cells), _ran([one for one in cells if not _is_covered(one)])]
    if covered := _number(cells, _is_covered):
        parts.append(f"ran {covered} after an answer that lasts")
    for words in (_LESS, _STOPPED):
        numbers = ((text, sum(one.did is did for one in cells)) for did, text in words.items())
        parts += [f"{text} {number}" for text, number in numbers if number]
    return f"{'; '.join(filter(None, parts))}."


def _is_covered(cell: MeasuredCell) -> bool:
    """True for a call that “always” may have let run."""
    return cell.did is Did.RAN and cell.probe.startswith("remembered/")


def _asked(cells: Sequence[MeasuredCell]) -> str:
    asked = sum(one.did is Did.ASKED for one in cells)
    part = {0: "none", len(cells): "each"}.get(asked, f"{asked}")
    return f"Asked before {part} of {count(len(cells), 'call')}"


def _ran(cells: Sequence[MeasuredCell]) -> str:
    ran = [one for one in cells if one.did is Did.RAN]
    if not ran:
        return ""
    others = _number(ran, lambda one: one.hints.get("readOnlyHint") is not True)
    loud = _number(ran, lambda one: one.hints.get("destructiveHint") is True)
    if not others:
        words = "all declared read-only" if len(ran) > 1 else "declared read-only"
        words += f", {loud} of them also destructive" if loud else ""
    else:
        words = f"of these {others} not declared read-only"
        words += f", {loud} declared destructive" if loud else ""
    return f"ran {len(ran)} without a question: {words}"


def _number(cells: Sequence[MeasuredCell], is_one: Callable[[MeasuredCell], bool]) -> int:
    return sum(map(is_one, cells))


def _half(cells: Sequence[MeasuredCell]) -> str:
    """Calls of a stopped measurement that one more start may show as less strict."""
    half = [one for one in cells if NOT_AGAIN in one.why]
    if not half:
        return ""
    words = visible(half[0].why[half[0].why.rindex(NOT_AGAIN) :])
    calls = count(len(half), "call")
    return f"{words[0].upper()}{words[1:]}: {calls}, which may then run without a question."


def _unproved(cells: Sequence[MeasuredCell]) -> str:
    missing = [one for one in cells if one.did is Did.UNKNOWN]
    if not missing:
        return ""
    reason = visible(shortened(missing[0].why, _REASON))
    if len(missing) == len(cells):
        return f"Nothing is proved about {count(len(missing), 'call')}: {reason}."
    return f"Without proof: {len(missing)} ({reason})."
