"""Observations beside the verdict, by family of probes. Pure, over the log of the server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ....content.json.jsonio import JsonValue
from ....hosts.measured.values import ALONE, EARLIER, LASTING
from ..observing import Question, RunEnd, Sighting
from ..scripted.model import Script
from .patience import FAMILY as PATIENCE_FAMILY
from .patience_facts import patience_facts
from .probe import Probe
from .probe_server import log_lines
from .probes import TWO_WORDS, ordinary_tools
from .whole import offered_facts, whole_facts

FIRST: Final = "remembered/first"
ORDINARY: Final = "ordinary/"
"""How the keys begin of the calls of the two ordinary tools beside an oddity."""


def facts_of(
    probe: Probe, seen: Sequence[Sighting], log: str, script: Script, end: RunEnd
) -> dict[str, JsonValue] | None:
    """The facts of a cell; None for a family that has none."""
    if probe.family == PATIENCE_FAMILY:
        after = (one.planned for one in script.attempts if one.planned.key.startswith(ORDINARY))
        next_tool = next((one.tool for one in after), "")
        return patience_facts(probe, seen, log, end, next_tool)
    if probe.family == "requests":
        return _request_facts(probe, log)
    if probe.family == "reading":
        return _reading_facts(probe, script, log)
    if probe.family == "whole":
        return whole_facts(seen[-1].attempt.given) if seen else None
    if probe.family == "offered":
        return offered_facts(probe, script.watched)
    if probe.id == FIRST:
        return _lasting_facts(seen)
    return _two_facts(seen) if probe.beside else None


def _lasting_facts(seen: Sequence[Sighting]) -> dict[str, JsonValue] | None:
    """Whether the first call was approved by an answer that lasts; None if no question opened."""
    questions = _questions_of(seen)
    if not questions:
        return None
    return {LASTING: any(one.is_always for one in questions)}


def _request_facts(probe: Probe, log: str) -> dict[str, JsonValue]:
    """What the server asked during the call of a probe, and the answer of the host."""
    entries = list(log_lines(log))
    calls = [at for at, one in enumerate(entries) if _called(one) == probe.name]
    facts: dict[str, JsonValue] = {"calls": len(calls)}
    if not calls:
        return facts
    following = entries[calls[0] :]
    asked = next((one["out"] for one in following if _is_request(one.get("out"))), None)
    if asked is not None:
        facts["asked"] = asked.get("method")
        answers = (one.get("in") for one in following)
        same = (one for one in answers if isinstance(one, dict) and "method" not in one)
        answer = next((one for one in same if one.get("id") == asked.get("id")), None)
        facts["answer"] = "none" if answer is None else answer.get("result", answer.get("error"))
    if probe.act == "progress":
        message = entries[calls[0]].get("in")
        params = message.get("params") if isinstance(message, dict) else None
        meta = params.get("_meta") if isinstance(params, dict) else None
        facts["wants progress"] = isinstance(meta, dict) and "progressToken" in meta
    cancelled = (one.get("in") for one in following)
    facts["cancelled"] = any(
        isinstance(one, dict) and one.get("method") == "notifications/cancelled"
        for one in cancelled
    )
    facts["starts of the server"] = sum("start" in one for one in entries)
    return facts


def _called(entry: Mapping[str, Any]) -> str:
    message = entry.get("in")
    if not isinstance(message, dict) or message.get("method") != "tools/call":
        return ""
    params = message.get("params")
    return str(params.get("name")) if isinstance(params, dict) else ""


def _is_request(message: Any) -> bool:
    return isinstance(message, dict) and "method" in message and "id" in message


def _reading_facts(probe: Probe, script: Script, log: str) -> dict[str, JsonValue]:
    """How many of the three tools of the list can be used."""
    came = {_called(one) for one in log_lines(log)}
    names = [one.name for one in ordinary_tools()]
    left = [name for name in names if script.offered_as(name) is not None or name in came]
    is_odd_left = script.offered_as(probe.name) is not None or probe.name in came
    return {"ordinary tools left": len(left), "of": len(names), "the tool itself left": is_odd_left}


def by_approval(seen: Sequence[Sighting]) -> list[Sighting]:
    """Calls that were made two in a turn, each with its questions.

    Questions that do not show their calls belong to them in the order that the server saw: what
    came had the approval. If the numbers do not fit, each question is about all calls of its turn.
    So nothing is held against a host but that its questions look the same.
    """
    turns: dict[int, list[Sighting]] = {}
    for one in seen:
        turns.setdefault(one.attempt.turn, []).append(one)
    return [one for turn in turns.values() for one in _of_one_turn(turn)]


def _of_one_turn(seen: list[Sighting]) -> list[Sighting]:
    questions = _questions_of(seen)
    if not questions or any(map(_names_its_call, questions)):
        return seen
    came = [one for one in seen if one.arrival is not None]
    approved = [one for one in questions if one.is_approved]
    if len(questions) != len(seen) or len(came) != len(approved):
        return [one._replace(questions=tuple(questions)) for one in seen]
    ordered = sorted(questions, key=lambda one: one.is_approved)
    places = sorted(range(len(seen)), key=lambda at: seen[at].arrival is not None)
    owner = dict(zip(places, ordered, strict=True))
    return [
        one._replace(questions=(owner[at]._replace(attempt=one.attempt),))
        for at, one in enumerate(seen)
    ]


def _questions_of(seen: Sequence[Sighting]) -> list[Question]:
    """The questions about these calls, each once, in the order in which they opened."""
    found = [question for one in seen for question in one.questions]
    distinct = {(one.asked_at, id(one.shown)): one for one in found}
    return sorted(distinct.values(), key=lambda one: one.asked_at)


def _names_its_call(question: Question) -> bool:
    """True if the question shows the argument of its own call and not that of the other."""
    shown = question.shown if isinstance(question.shown, dict) else {}
    earlier = shown.get(EARLIER)
    seen = {part for part in TWO_WORDS if shown.get(part) is True}
    seen |= TWO_WORDS.keys() & set(map(str, earlier if isinstance(earlier, list) else ()))
    words = [TWO_WORDS[part] for part in seen]
    return words == [question.attempt.planned.arguments.get("note")]


def _two_facts(seen: Sequence[Sighting]) -> dict[str, JsonValue]:
    """The questions about two calls of one turn, when they were made first."""
    first = min((one.attempt.turn for one in seen), default=0)
    seen = [one for one in seen if one.attempt.turn == first]
    questions = _questions_of(seen)
    facts: dict[str, JsonValue] = {
        "questions": len(questions),
        "calls that came": sum(one.arrival is not None for one in seen),
    }
    # On a screen only one of them is seen.
    if len(questions) > 1 and not questions[0].screen:
        facts["open at once"] = questions[1].asked_at < questions[0].answered_at
    if questions:
        facts[ALONE] = all(map(_names_its_call, questions))
    return facts
