"""Compares the expectations of a step with its observations. Texts in the checks are raw."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from ...approval.matrix import HINT_NAMES
from ...calls.call import Call
from ...calls.effects.claims import ClaimStatus, judge_call
from ...calls.effects.deeds import FileLoss
from ...calls.effects.deeds import Observation as ServerSeen
from ...cli.approving.people import AskedQuestion
from ...cli.output.reports import exit_status
from ...cli.output.results import Check, StepObservation
from ...content.json.jsonio import JsonValue
from ...content.media.image_facts import read_facts
from ...content.text import count
from ...protocol.answers.content import ImagePart
from ...protocol.extensions.action_metadata import read_action
from ...protocol.extensions.trust_annotations import TrustLabel, label_words
from ...protocol.findings.codes import CODES
from ...protocol.findings.findings import Severity
from ...protocol.progress import Progress
from ...protocol.server_requests.sampling import SAMPLE
from ...schemas.schema import SchemaAnswer
from .flow import ABSENT, Expected
from .matching import NOTHING, Judges, Match, listed, match_text, match_value, pointer_to

NOT_WATCHED = "the server was not watched"
NOT_READ: Final = "labels were not read: the flow needs experimental: trust-annotations"
NOT_RESOLVED: Final = (
    "no resolution: the tool is not marked, or the flow lacks experimental: tool-resolution"
)
SHOWN = 6


def evidence_matches(wanted: Mapping[str, Any], call: Call) -> list[Match]:
    """Files, programs and addresses: some, or none; and whether a hint is contradicted."""
    seen = call.evidence
    if seen is None:
        return [Match(False, "a watched call", NOT_WATCHED if call.sent else "nothing was sent")]
    found: list[Match] = []
    for key, deeds in _deeds(seen).items():
        if key in wanted:
            is_so = bool(deeds) is (wanted[key] == "some")
            told = "; ".join(deeds[:SHOWN]) or NOTHING
            found.append(Match(is_so, f"{key}: {wanted[key]}", told))
    if "contradicts" in wanted:
        against = [one for one in judge_call(call) if one.standing is ClaimStatus.CONTRADICTED]
        told = "; ".join(one.words for one in against) or "no hint is contradicted"
        expected = "a hint contradicted" if wanted["contradicts"] else "no hint contradicted"
        found.append(Match(bool(against) is wanted["contradicts"], expected, told))
    return found


def _deeds(seen: ServerSeen) -> dict[str, list[str]]:
    """Observed effects by kind, in words."""
    changes = seen.changes
    return {
        "writes": [one.words(seen.scratch) for one in changes],
        "destroys": [one.words(seen.scratch) for one in changes if one.loss is FileLoss.LOST],
        "starts": [one.words for one in seen.processes],
        "reaches": [one.words for one in seen.reached],
    }


def progress_matches(wanted: Mapping[str, Any], log: Sequence[Progress]) -> list[Match]:
    """Number, order and total of the reports; their messages are texts like others."""
    found: list[Match] = []
    said = ", ".join(one.words or "no number" for one in log[:12]) or NOTHING
    said += ", ..." if len(log) > 12 else ""
    if "reports" in wanted:
        least = wanted["reports"]
        found.append(Match(len(log) >= least, f"at least {least} reports", f"{len(log)}: {said}"))
    if "increasing" in wanted:
        values = [one.value for one in log if one.value is not None]
        fallen = next((pair for pair in pairwise(values) if not pair[0] < pair[1]), None)
        expected = "each above the one before" if wanted["increasing"] else "not always above"
        where = f"{fallen[1]:g} comes after {fallen[0]:g}: " if fallen else ""
        found.append(Match((fallen is None) == wanted["increasing"], expected, f"{where}{said}"))
    if "total" in wanted:
        total = log[-1].total if log else None
        words = NOTHING if total is None else f"{total:g}"
        found.append(Match(total == wanted["total"], f"a total of {wanted['total']:g}", words))
    return found


NO_CALL: Final = "no call was made"


async def check(expected: Expected, seen: StepObservation, judges: Judges) -> list[Check]:
    """Every check that one expectation comes to."""
    matches = await _matches(expected.name, expected.value, seen, judges)
    return [
        Check(expected.name, one.expected, one.seen, one.passed, expected.spot) for one in matches
    ]


async def _matches(name: str, value: Any, seen: StepObservation, judges: Judges) -> list[Match]:
    if name in _OF_ALL:
        return await _OF_ALL[name](value, seen, judges)
    if seen.call is None:
        return [Match(False, _words(value), NO_CALL)]
    if name in _OF_A_CALL:
        return [_OF_A_CALL[name](value, seen.call)]
    return await _OF_AN_ANSWER[name](value, seen.call, judges)


def _words(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return listed(value)
    return json.dumps(value, ensure_ascii=False, default=lambda other: "")


async def _dialog(value: Any, seen: StepObservation, judges: Judges) -> list[Match]:
    is_there = bool(seen.dialogs)
    said = "a dialog" if is_there else "no dialog"
    why = "" if seen.call is None else f": {'; '.join(seen.call.verdict.reasons)}"
    if is_there and seen.is_unattended:
        why += "; no person in the step approves it, so it was denied"
    if isinstance(value, bool):
        return [Match(value == is_there, "a dialog" if value else "no dialog", said + why)]
    if not is_there:
        return [Match(False, "a dialog", said + why)]
    text = "\n".join(one.text for one in seen.dialogs)
    return _in_dialog(await match_text(value, text, judges))


def _in_dialog(found: list[Match]) -> list[Match]:
    """Add the whole dialog to failed checks: an excerpt of it would not help."""
    return [
        one._replace(seen="text of the dialog, " + ("below" if not one.passed else "as a whole"))
        for one in found
    ]


async def _findings(value: Any, seen: StepObservation, judges: Judges) -> list[Match]:
    codes = seen.all_codes
    return [Match(one in codes, one, ", ".join(codes) or NOTHING) for one in value]


async def _no_findings(value: Any, seen: StepObservation, judges: Judges) -> list[Match]:
    if value is False:
        return []
    unwanted = [one for one in seen.all_codes if _is_unwanted(one, value)]
    expected = "no warning and no error" if value is True else f"no {listed(value)}"
    return [Match(not unwanted, expected, ", ".join(unwanted) or expected)]


def _is_unwanted(code: str, value: Any) -> bool:
    if value is True:
        return code not in CODES or CODES[code].severities != (Severity.NOTE,)
    return code in value


async def _asked(value: Any, seen: StepObservation, judges: Judges) -> list[Match]:
    found: list[Match] = []
    kinds = [_kind(one) for one in seen.asked]
    named = [one.get("kind", "any") for one in value]
    expected = f"{count(len(value), 'question')} of the server" if value else "no question"
    expected += f": {', '.join(named)}" if named else " of the server"
    said = f"{len(kinds)}: {', '.join(kinds)}" if kinds else "the server asked nothing"
    if len(value) != len(seen.asked):
        found.append(Match(False, expected, said))
    for wanted, one in zip(value, seen.asked, strict=False):
        kind, answer = _kind(one), one.decision.answer.value
        if "kind" in wanted:
            found.append(Match(wanted["kind"] == kind, wanted["kind"], kind))
        if "answered" in wanted:
            found.append(Match(wanted["answered"] == answer, wanted["answered"], answer))
        if "message" in wanted:
            found += _in_dialog(await match_text(wanted["message"], one.text, judges))
    return found or [Match(True, expected, said)]


def _kind(one: AskedQuestion) -> str:
    return "sampling" if one.method == SAMPLE else "elicitation"


async def _messages(value: Any, seen: StepObservation, judges: Judges) -> list[Match]:
    found = [(method, wanted, seen.messages.get(method, 0)) for method, wanted in value.items()]
    return [
        Match(wanted == number, f"{wanted} {method}", f"{number} {method}")
        for method, wanted, number in found
        if method
    ]


async def _within(value: Any, seen: StepObservation, judges: Judges) -> list[Match]:
    return [Match(seen.seconds <= value, f"within {value:g} s", f"{seen.seconds:.3g} s")]


async def _content(value: Any, seen: StepObservation, judges: Judges) -> list[Match]:
    text = seen.texts
    if seen.call is None:
        text = json.dumps(seen.told, ensure_ascii=False) if seen.is_told else None
    found = [one for wanted in value for one in await match_text(wanted, text, judges)]
    if text is None and seen.call is not None:
        found = [one._replace(seen=f"{NOTHING}: {seen.call.status}") for one in found]
    return found


async def _result(value: Any, seen: StepObservation, judges: Judges) -> list[Match]:
    if seen.call is None:
        raw, is_there = seen.told, seen.is_told
    else:
        raw, is_there = seen.call.raw, seen.call.raw is not None
    return [one for wanted in value for one in await match_value(wanted, raw, is_there, judges)]


_Of_all = Callable[[Any, StepObservation, Judges], Awaitable[list[Match]]]
_OF_ALL: Final[Mapping[str, _Of_all]] = {
    "dialog": _dialog,
    "findings": _findings,
    "no_findings": _no_findings,
    "asked": _asked,
    "messages": _messages,
    "within": _within,
    "content": _content,
    "result": _result,
}


def _verdict(value: Any, call: Call) -> Match:
    said = call.verdict.answer.value
    why = "; ".join(call.verdict.reasons)
    return Match(said in value, listed(value), f"{said}: {why}" if why else said)


def _strong(value: Any, call: Call) -> Match:
    words = {True: "asks with a warning", False: "does not ask with a warning"}
    why = "; ".join(call.verdict.reasons)
    seen = f"{call.verdict.words}: {why}" if why else call.verdict.words
    return Match(call.verdict.strong == value, words[value], seen)


def _decided_by(value: Any, call: Call) -> Match:
    by = "nobody" if call.decision is None else call.decision.by
    return Match(by == value, value, by)


def _sent(value: Any, call: Call) -> Match:
    words = {True: "sent", False: "not sent"}
    seen = words[call.sent] + ("" if call.sent == value else f": {call.status}")
    return Match(call.sent == value, words[value], seen)


def _outcome(value: Any, call: Call) -> Match:
    said = call.outcome.value if call.outcome else NOTHING
    return Match(said in value, listed(value), f"{said}: {call.reason}" if call.reason else said)


def _schema(value: Any, call: Call) -> Match:
    if call.schema is None:
        return Match(False, value, f"no response was checked: {call.status}")
    said = call.schema.answer.value
    more = call.schema.reason
    if call.schema.answer is SchemaAnswer.INVALID:
        more = "; ".join(f"{pointer_to(one.path)}: {one.message}" for one in call.schema.errors[:3])
    return Match(said == value, value, f"{said}: {more}" if more else said)


def _exit_status(value: Any, call: Call) -> Match:
    status = exit_status(call)
    return Match(status == value, str(value), str(int(status)))


def _error_code(value: Any, call: Call) -> Match:
    code = None if call.error is None else call.error.code
    return Match(code == value, str(value), "no protocol error" if code is None else str(code))


def _labels(value: Any, call: Call) -> Match:
    held = frozenset() if call.labels is None else call.labels.labels
    seen = label_words(held) or NOTHING
    if call.labels is None:
        seen = NOT_READ
    expected = label_words(frozenset(map(TrustLabel, value))) or "no label"
    return Match(call.labels is not None and held == set(value), expected, seen)


def _digests(value: Any, call: Call) -> Match:
    evidence = () if call.labels is None else call.labels.evidence
    checks = [one.check for one in evidence if one.check is not None]
    seen = NOT_READ if call.labels is None else "; ".join(one.words for one in checks) or NOTHING
    is_so = call.labels is not None and [one.answer for one in checks] == value
    return Match(is_so, ", ".join(value) or "no digest", seen)


def _denial(value: Any, call: Call) -> Match:
    seen = ABSENT if call.denial is None else call.denial.remediation.value
    return Match(seen == value, value, seen)


def _disposition(value: Any, call: Call) -> Match:
    found = call.disposition
    words = ABSENT if found is None else f"{found.value}: {found.words}"
    return Match((ABSENT if found is None else found.value) == value, value, words)


_OF_A_CALL: Final[Mapping[str, Callable[[Any, Call], Match]]] = {
    "verdict": _verdict,
    "strong": _strong,
    "decided_by": _decided_by,
    "sent": _sent,
    "outcome": _outcome,
    "schema": _schema,
    "error_code": _error_code,
    "exit_status": _exit_status,
    "labels": _labels,
    "digests": _digests,
    "denial": _denial,
    "disposition": _disposition,
}


async def _rule(value: Any, call: Call, judges: Judges) -> list[Match]:
    return await match_text(value, call.verdict.rule or None, judges)


async def _reason(value: Any, call: Call, judges: Judges) -> list[Match]:
    return await match_text(value, "\n".join(call.verdict.reasons), judges)


async def _ended_because(value: Any, call: Call, judges: Judges) -> list[Match]:
    return await match_text(value, call.reason, judges)


async def _error(value: Any, call: Call, judges: Judges) -> list[Match]:
    return await match_text(value, None if call.error is None else call.error.message, judges)


async def _structured(value: Any, call: Call, judges: Judges) -> list[Match]:
    answer = call.answer
    is_there = answer is not None and answer.has_structured
    structured: JsonValue = answer.structured if answer is not None else None
    return [
        one for wanted in value for one in await match_value(wanted, structured, is_there, judges)
    ]


async def _schema_errors(value: Any, call: Call, judges: Judges) -> list[Match]:
    errors = () if call.schema is None else call.schema.errors
    places = {pointer_to(one.path): one.message for one in errors}
    seen = "; ".join(f"{at or 'all of it'}: {words}" for at, words in places.items()) or NOTHING
    if not value:
        return [Match(not errors, "no schema errors", seen)]
    found: list[Match] = []
    for one in value:
        wanted = {"at": one} if isinstance(one, str) else one
        at = wanted.get("at")
        near = [words for place, words in places.items() if at is None or place == at]
        if not near:
            found.append(Match(False, f"an error at {at or 'some place'}", seen))
        elif "message" in wanted:
            found += await match_text(wanted["message"], "\n".join(near), judges)
        else:
            found.append(Match(True, f"an error at {at}", seen))
    return found


async def _images(value: Any, call: Call, judges: Judges) -> list[Match]:
    parts = () if call.answer is None else call.answer.parts
    facts = [read_facts(one.data, one.mime) for one in parts if isinstance(one, ImagePart)]
    seen = [f"{one.claimed} {one.width}x{one.height}" for one in facts]
    found: list[Match] = []
    if len(value) != len(facts):
        words = f"{len(seen)}: {', '.join(seen)}" if seen else "no picture"
        found.append(Match(False, f"{len(value)} pictures", words))
    for wanted, one, words in zip(value, facts, seen, strict=False):
        given = {"mime": one.claimed, "width": one.width, "height": one.height}
        tests = {name: test for name, test in wanted.items() if name}
        expected = ", ".join(f"{name} {test}" for name, test in tests.items())
        is_so = all(given[name] == test for name, test in tests.items())
        found.append(Match(is_so, expected or "a picture", words))
    return found or [Match(True, "no picture", "no picture")]


async def _progress(value: Any, call: Call, judges: Judges) -> list[Match]:
    found = progress_matches(value, call.progress_log)
    if "message" in value:
        messages = "\n".join(one.message for one in call.progress_log)
        found += await match_text(value["message"], messages, judges)
    return found


async def _evidence(value: Any, call: Call, judges: Judges) -> list[Match]:
    return evidence_matches(value, call)


async def _resolved(value: Any, call: Call, judges: Judges) -> list[Match]:
    found = call.resolution
    if found is None:
        return [Match(False, "resolved hints", NOT_RESOLVED)]
    hints, seen = found.hints, found.words(call.request.hints)
    matches = [
        Match(found.status.value == wanted, f"status {wanted}", seen)
        for name, wanted in value.items()
        if name == "status"
    ]
    if "effect" in value:
        effect = hints.hints.effect.value if hints is not None else NOTHING
        matches.append(Match(effect == value["effect"], f"effect {value['effect']}", seen))
    for name, resolved in zip(HINT_NAMES, hints or (None,) * len(HINT_NAMES), strict=True):
        if name in value:
            words = NOTHING if resolved is None else str(resolved).lower()
            expected = f"{name} {str(value[name]).lower()}"
            matches.append(Match(resolved is value[name], expected, f"{name} {words}: {seen}"))
    if "because" in value:
        matches += await match_text(value["because"], found.reason, judges)
    return matches


async def _action(value: Any, call: Call, judges: Judges) -> list[Match]:
    found = None if call.tool is None else read_action(call.tool)
    if found is None:
        return [Match(False, "action metadata", NOTHING)]
    matches = []
    if "outcome" in value:
        wanted, outcome = value["outcome"], found.outcome
        is_so = sorted(wanted) == sorted(outcome)
        matches.append(Match(is_so, ", ".join(wanted) or NOTHING, ", ".join(outcome) or NOTHING))
    if "review" in value:
        words = {True: "a review", False: "no review"}
        is_so = found.requires_review is value["review"]
        matches.append(Match(is_so, words[value["review"]], words[found.requires_review]))
    return matches


_OF_AN_ANSWER: Final[Mapping[str, Callable[[Any, Call, Judges], Awaitable[list[Match]]]]] = {
    "rule": _rule,
    "reason": _reason,
    "ended_because": _ended_because,
    "error": _error,
    "structured": _structured,
    "schema_errors": _schema_errors,
    "images": _images,
    "progress": _progress,
    "evidence": _evidence,
    "resolved": _resolved,
    "action": _action,
}
OF_THE_DECISION: Final = frozenset(
    ("verdict", "strong", "rule", "reason", "dialog", "resolved", "action")
)
"""Expectations of a call that are known before the dialog is answered."""
