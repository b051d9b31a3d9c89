"""Quizzes of the tour, each with a function that computes the right answer."""

from __future__ import annotations

import re
from typing import Final

from ...approval.matrix import cell_word
from ...approval.policies.policy import Policy
from ...approval.policies.verdicts import Case, Verdict, VerdictAnswer
from ...calls.call import Call, Outcome
from ...calls.retries import is_repeatable
from ...content.text import sentence, visible
from ...protocol.answers.content import TextPart, TextResourcePart
from ...protocol.definitions.lists import DefinitionStatus
from ...protocol.hints import read_hints
from ...protocol.server import Trust
from ...schemas.schema import SchemaAnswer
from .course import Quiz, QuizAnswer
from .scene import Scene, same_key_calls, was_answered, was_asked

RUNS_ASKS_NOT: Final = ("It runs without asking", "It asks a person", "It does not run at all")
_PLACE: Final = {
    VerdictAnswer.ALLOW: 0,
    VerdictAnswer.ASK: 1,
    VerdictAnswer.REFUSE: 2,
    VerdictAnswer.HIDE: 2,
}
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{3,}")


def host_does(host: str, tool: str, title: str, trust: Trust = Trust.UNTRUSTED) -> Quiz:
    """Ask what a known host would do with a tool, by its rules."""

    def tell(scene: Scene) -> QuizAnswer | None:
        policy, known = scene.hosts.get(host), scene.tools.get(tool)
        if policy is None or known is None:
            return None
        verdict = policy.judge(Case(known, trust, scene.server))
        place = _PLACE.get(verdict.answer)
        return None if place is None else QuizAnswer(place, _host_words(policy, verdict))

    return Quiz(f"What will {title} do with {tool}? Guess.", RUNS_ASKS_NOT, tell)


def signoff_does(question: str, tool: str) -> Quiz:
    """Ask what Signoff did with the newest call of a tool."""

    def tell(scene: Scene) -> QuizAnswer | None:
        call = scene.newest(tool)
        if call is None:
            return None
        reasons = visible("; ".join(call.verdict.reasons))
        if was_asked(call):
            return QuizAnswer(1, f"It asked: {sentence(reasons)}")
        place = 0 if call.sent else 2
        return QuizAnswer(place, f"{('It ran', '', 'It did not run')[place]}: {sentence(reasons)}")

    return Quiz(question, RUNS_ASKS_NOT, tell)


def signoff_would(
    question: str,
    tool: str,
    trust: Trust | None = None,
    seen: DefinitionStatus = DefinitionStatus.SAME,
) -> Quiz:
    """Ask for the current policy's verdict on a tool. `trust` None: the current trust."""

    def tell(scene: Scene) -> QuizAnswer | None:
        known = scene.tools.get(tool)
        if known is None:
            return None
        case = Case(known, trust or scene.trust, scene.server, seen=seen, approved_before=True)
        verdict = scene.policy.judge(case)
        place = _PLACE.get(verdict.answer)
        if place is None:
            return None
        said = f"Signoff, {scene.policy.shown_name}: {cell_word(verdict)}"
        words = f"{visible(said)}. {_all_of(verdict)}"
        if seen is DefinitionStatus.CHANGED:
            words += " Your approval was for the old definition."
        return QuizAnswer(place, words)

    return Quiz(question, RUNS_ASKS_NOT, tell)


def default_is(hint: str) -> Quiz:
    """Ask for the default of a hint in the specification."""

    def tell(scene: Scene) -> QuizAnswer | None:
        found = next((one for one in read_hints(None) if one.name in (hint, f"{hint}Hint")), None)
        if found is None:
            return None
        assumed = ", ".join(f"{one.name} {str(one.effective).lower()}" for one in read_hints(None))
        return QuizAnswer(0 if found.effective else 1, f"The specification assumes: {assumed}.")

    question = f"A tool has no hints. What does the specification assume for “{hint}”?"
    return Quiz(question, ("true", "false"), tell)


def host_edits(host: str, title: str) -> Quiz:
    """Ask if the dialog of a host can edit the arguments."""

    def tell(scene: Scene) -> QuizAnswer | None:
        policy = scene.hosts.get(host)
        if policy is None or policy.edits_arguments is None:
            return None
        does = "lets you edit them" if policy.edits_arguments else "only shows them"
        return QuizAnswer(
            0 if policy.edits_arguments else 1, f"{_named(policy)} {does}. {_read(policy)}"
        )

    question = f"Can you edit the arguments in the dialog of {title}?"
    return Quiz(question, ("Yes", "No"), tell)


def keeps_schema(tool: str) -> Quiz:
    """Ask if the newest result of a tool matches its output schema."""
    choices = ("It matches", "It does not match", "The tool has no output schema")

    def tell(scene: Scene) -> QuizAnswer | None:
        call = scene.newest(tool)
        if call is None or call.schema is None:
            return None
        verdict = call.schema
        if verdict.answer is SchemaAnswer.VALID:
            return QuizAnswer(0, "structuredContent matches the tool's output schema.")
        if verdict.answer in (SchemaAnswer.INVALID, SchemaAnswer.MISSING):
            count = len(verdict.errors) + verdict.more
            errors = (
                f"has {count} schema error{'s' if count != 1 else ''}" if count else "is missing"
            )
            return QuizAnswer(1, f"structuredContent {errors}.")
        if verdict.answer is SchemaAnswer.NO_SCHEMA:
            return QuizAnswer(2, "The tool declares no output schema.")
        return None

    return Quiz(f"Will the response of {tool} match its output schema?", choices, tell)


def after_cancelling(tool: str) -> Quiz:
    """Ask about the finished work of a cancelled call."""
    choices = ("It is undone", "It stays: the server stopped half way", "It is not known")

    def tell(scene: Scene) -> QuizAnswer | None:
        call = next((one for one in reversed(tuple(scene.of(tool))) if one.cancel_requested), None)
        if call is None or not call.is_over or not call.sent:
            return None
        if call.is_unknown:
            why = f"The call ended as “{call.status}”: no reply after the cancel request."
            return QuizAnswer(2, f"{why} A late response is kept with the call.")
        return QuizAnswer(1, f"The call ended as “{call.status}”: the finished part stays done.")

    question = f"You cancel {tool} half way. What happens to the finished part of the work?"
    return Quiz(question, choices, tell)


def next_page_is(tool: str) -> Quiz:
    """Ask if the next page of a result belongs to the call of the first one."""

    def tell(scene: Scene) -> QuizAnswer | None:
        calls = (one for one in scene.of(tool) if one.page is not None and was_answered(one))
        call = next(calls, None)
        if call is None or call.page is None:
            return None
        return QuizAnswer(1, f"Call {call.page.before} returned a page, call {call.id} the next.")

    choices = ("No: it belongs to the same call", "Yes: it can be denied, too")
    return Quiz("You request the next page. Is that a call of its own?", choices, tell)


def may_repeat(tool: str) -> Quiz:
    """Ask if a lost call of a tool may be retried without approval."""

    def tell(scene: Scene) -> QuizAnswer | None:
        known = scene.tools.get(tool)
        if known is None:
            return None
        may = is_repeatable(known, Trust.TRUSTED)
        values = " and ".join(dict.fromkeys(_first_line(call) for call in scene.of(tool)))
        said = f"The tool {known.hints.repeating_said}. Your calls returned: {values}."
        return QuizAnswer(0 if may else 1, said)

    question = f"The response of {tool} is lost. May a program repeat the call by itself?"
    return Quiz(question, ("Yes: it changes nothing more", "No: it would count twice"), tell)


def key_protects(tool: str, key: str) -> Quiz:
    """Ask how often the work was done when the same key was sent twice."""

    def tell(scene: Scene) -> QuizAnswer | None:
        calls = same_key_calls(scene, tool, key)
        if calls is None:
            return None
        first, second = (_first_line(call) for call in calls)
        is_once = "duplicate" in second.casefold() or first == second
        return QuizAnswer(0 if is_once else 1, f"The first: {first}. The second: {second}.")

    question = (
        "You send the same call twice, with the same key. How many messages appear in the channel?"
    )
    return Quiz(question, ("One", "Two"), tell)


def sent_anyway(tool: str, reader: str) -> Quiz:
    """Ask if a tool acted although its question was closed; `reader` reads what it wrote."""

    def tell(scene: Scene) -> QuizAnswer | None:
        call = scene.newest(reader)
        if call is None or not was_answered(call):
            return None
        parts = call.answer.parts if call.answer is not None else ()
        texts = [one.text for one in parts if isinstance(one, TextResourcePart)]
        if call.outcome is not Outcome.OK or not texts:
            return QuizAnswer(0, "The outbox is missing: nothing was sent.")
        return QuizAnswer(1, f"The outbox has: {visible(' '.join(texts[0].split())[:60])}.")

    question = f"You close the question of {tool} without a reply. Is the message sent?"
    return Quiz(question, ("No: the server has no reply", "Yes: it was sent before"), tell)


def successor_of(tool: str, choices: tuple[str, ...]) -> Quiz:
    """Ask for the successor that a deprecated tool's description names."""

    def tell(scene: Scene) -> QuizAnswer | None:
        known = scene.tools.get(tool)
        names = set(_NAME.findall(known.description)) if known is not None else set()
        right = [at for at, name in enumerate(choices) if name in names]
        if known is None or len(right) != 1:
            return None
        return QuizAnswer(right[0], f"Its description: “{visible(known.description)}”")

    return Quiz(f"{tool} is deprecated. Which tool replaces it?", choices, tell)


def hosts_agree(tool: str) -> Quiz:
    """Ask how many known hosts run a tool of an untrusted server without asking."""

    def tell(scene: Scene) -> QuizAnswer | None:
        known = scene.tools.get(tool)
        if known is None or not scene.hosts:
            return None
        running = [
            _named(one)
            for one in scene.hosts.values()
            if one.judge(Case(known, Trust.UNTRUSTED, scene.server)).answer is VerdictAnswer.ALLOW
        ]
        place = 0 if not running else 2 if len(running) == len(scene.hosts) else 1
        who = f": {', '.join(running)}" if running else ""
        return QuizAnswer(place, f"{len(running)} of {len(scene.hosts)} run it{who}.")

    question = f"The server of {tool} is not trusted. How many hosts run it without asking?"
    return Quiz(question, ("None", "Some", "All"), tell)


def _host_words(policy: Policy, verdict: Verdict) -> str:
    return f"{_named(policy)}: {cell_word(verdict)}. {_sentence(verdict)} {_read(policy)}"


def _named(policy: Policy) -> str:
    return visible(policy.title or policy.name)


def _read(policy: Policy) -> str:
    return f"(As of {policy.date}.)" if policy.date else ""


def _all_of(verdict: Verdict) -> str:
    words = visible("; ".join(verdict.reasons))
    return f"{words[:1].upper()}{words[1:]}."


def _sentence(verdict: Verdict) -> str:
    reason = visible(verdict.reasons[0]) if verdict.reasons else "no rule applies"
    return f"{reason[:1].upper()}{reason[1:]}."


def _first_line(call: Call) -> str:
    """The beginning of a response, safe to show."""
    if call.answer is None or not was_answered(call) or call.outcome is not Outcome.OK:
        return "no response"
    text = next((part.text for part in call.answer.parts if isinstance(part, TextPart)), "")
    return visible(" ".join(text.split())[:60]) or "nothing"
