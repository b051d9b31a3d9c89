"""Checks of the contract of a server that asks for itself: each has a code and a section.

A check that needs an effect has the result `not seen` if the same tool showed none after `accept`:
then nothing is proven by its absence. A broken check whose code the user accepts is `accepted`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Final, NamedTuple

from ...calls.call import Outcome
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.text import shortened, visible
from ...protocol.findings.spec_sections import HANDSHAKE, MODERN, Sections, SpecSection
from ...schemas.sample_answers import leaf_values
from .people import FORBIDDEN, AskedByServer, Observed, Who

MISSING_CAPABILITY: Final = -32021
_SAID: Final = 160
_WORD: Final = 3
"""Least characters of a word of a tool's name that a question can name."""
_NAMES_CAPABILITY: Final = ("elicit", "capabilit", "confirm", "cannot ask", "cannot be asked")


class Standing(StrEnum):
    """Result of one check."""

    KEPT = "kept"
    BROKEN = "broken"
    ADVICE = "advice"
    """Not a breach of the specification."""
    NOT_SEEN = "not seen"
    ACCEPTED = "accepted"
    """Broken or advice, and accepted by the user with a reason."""


class ConsentRule(NamedTuple):
    """One check: the expectation, and the section that it follows from."""

    expected: str
    sections: Sections
    is_advice: bool = False


def _rule(
    expected: str, page: str, heading: str, modern: str = "", modern_heading: str = ""
) -> ConsentRule:
    sections = Sections(
        SpecSection(HANDSHAKE, page, heading),
        SpecSection(MODERN, modern or page, modern_heading or heading),
    )
    return ConsentRule(expected, sections)


_MRTR: Final = ("basic/patterns/mrtr", "Server Requirements (Basic Workflow)")
_ACTIONS: Final = ("client/elicitation", "Response Actions")
RULES: Final[Mapping[str, ConsentRule]] = {
    "call-failed": _rule(
        "the call asks a question or succeeds",
        "server/tools",
        "Error Handling",
    ),
    "never-asked": _rule(
        "the server asks before it acts", "server/tools", "User Interaction Model"
    ),
    "done-before-answer": _rule(
        "nothing is done before the answer", "server/tools", "User Interaction Model"
    ),
    "done-without-capability": _rule(
        "nothing is done for a client that cannot be asked", "client/elicitation", "Capabilities"
    ),
    "done-after-decline": _rule("nothing is done after decline", *_ACTIONS),
    "done-after-cancel": _rule("nothing is done after cancel", *_ACTIONS),
    "done-in-silence": _rule("nothing is done without an answer", *_ACTIONS, *_MRTR),
    "done-with-other-values": _rule(
        "nothing is done for values that the form does not allow",
        "client/elicitation",
        "Form Mode Security",
    ),
    "done-after-no": _rule("nothing is done after accept with values that mean no", *_ACTIONS),
    "done-twice": _rule("one accept has its effect once", "basic", "Responses", *_MRTR),
    "changed-state-taken": _rule(
        "an old requestState with changed arguments is refused", *_MRTR, *_MRTR
    ),
    "old-yes-taken": _rule(
        "one yes is for one call: a call with other arguments asks again",
        "server/tools",
        "User Interaction Model",
    ),
    "asked-undeclared": _rule(
        "a client that does not declare elicitation is not asked",
        "client/elicitation",
        "Capabilities",
    ),
    "missing-not-named": _rule(
        "the error names the missing capability",
        "server/tools",
        "Error Handling",
        "basic",
        "_meta",
    ),
    "hangs": _rule(
        "the call ends within the limit",
        "basic/lifecycle",
        "Timeouts",
        "basic/patterns/cancellation",
    ),
    "done-before-approval": ConsentRule(
        "nothing is done while an approval on the server's side is pending (SEP-2848)",
        Sections(None, None),
    ),
    "done-although-denied": ConsentRule(
        "nothing is done if the server reports a denial (SEP-2643)", Sections(None, None)
    ),
    "done-after-withdrawal": ConsentRule(
        "nothing is done after a pending call is cancelled (SEP-2848)", Sections(None, None)
    ),
    "question-without-action": _rule(
        "the question names what will be done", "client/elicitation", "Security Considerations"
    )._replace(is_advice=True),
    "question-without-values": _rule(
        "the question has the values of the call", "client/elicitation", "Security Considerations"
    )._replace(is_advice=True),
    "answer-ignored": _rule("the response differs from that after accept", *_ACTIONS)._replace(
        is_advice=True
    ),
    "other-values-taken": _rule(
        "values that the form does not allow are an error",
        "client/elicitation",
        "Form Mode Security",
    )._replace(is_advice=True),
    "asks-after-refusal": _rule("a refused question is not asked again", *_ACTIONS)._replace(
        is_advice=True
    ),
    "not-done": _rule("the call succeeds after accept", *_ACTIONS)._replace(is_advice=True),
}
_DONE: Final[Mapping[Who, str]] = {
    Who.UNABLE: "done-without-capability",
    Who.DECLINES: "done-after-decline",
    Who.CANCELS: "done-after-cancel",
    Who.SILENT: "done-in-silence",
    Who.MISFITS: "done-with-other-values",
    Who.SAYS_NO: "done-after-no",
}


@frozen
class CheckVerdict:
    """Result of one check on the call of one person."""

    code: str
    standing: Standing
    seen: str
    """The observation, in words that are safe to show."""
    reason: str = ""
    """Why the user accepts it; empty if it is not accepted."""

    @property
    def is_broken(self) -> bool:
        return self.standing is Standing.BROKEN

    @property
    def expected(self) -> str:
        return RULES[self.code].expected

    def section(self, *, is_modern: bool) -> SpecSection | None:
        """The section of the specification, by the revision of the question."""
        return RULES[self.code].sections.of(MODERN if is_modern else HANDSHAKE)


@frozen
class Others:
    """Calls of other people to compare with, and known facts about the tool."""

    accepted: Observed | None = None
    """Of the person who accepts: its effects show what can be seen of this tool."""
    declined: Observed | None = None
    must_ask: bool = False
    """True if the tool was named as one that asks, or asks in another era."""
    has_failed: bool = False
    """True if the call of a person who can be asked failed without a question."""
    accepts: Mapping[str, str] = field(default_factory=dict)
    """Code -> why the user accepts it."""


NOBODY: Final = Others()


def judge(one: Observed, others: Others = NOBODY) -> tuple[CheckVerdict, ...]:
    """Check the call of one person."""
    if one.not_possible or not one.was_sent:
        return ()
    return tuple(_accepted_by(others.accepts, each) for each in _verdicts(one, others))


def _accepted_by(accepts: Mapping[str, str], each: CheckVerdict) -> CheckVerdict:
    if each.standing not in (Standing.BROKEN, Standing.ADVICE) or each.code not in accepts:
        return each
    return CheckVerdict(each.code, Standing.ACCEPTED, each.seen, accepts[each.code])


def _verdicts(one: Observed, others: Others) -> Iterator[CheckVerdict]:
    accepted = others.accepted
    yield from _asked(one, must_ask=others.must_ask)
    if one.awaited or one.is_refused:
        yield from _by_server(one, accepted)
    if one.asked or (one.effects.before and not one.awaited):
        done = one.effects.before
        yield _nothing("done-before-answer", done, accepted)
    if one.who in FORBIDDEN and (one.asked or one.who is Who.UNABLE):
        # What was done before the answer has a check of its own.
        done = one.effects.after or (one.effects.whole if not one.effects.before else ())
        yield _nothing(_DONE[one.who], done, accepted)
    if one.who is not Who.SILENT and not one.awaited:
        took = f"no end within {one.limit:g} s" if one.is_hung else f"{one.seconds:.1f} s"
        yield _kept_if(not one.is_hung, "hangs", took)
    match one.who:
        case Who.UNABLE:
            yield from _unable(one, has_failed=others.has_failed)
        case Who.ACCEPTS:
            yield from _accepted(one)
        case Who.AGAIN if one.asked:
            yield _again(one, accepted)
        case Who.CHANGED if one.second is not None:
            yield _changed(one)
        case Who.CALLS_AGAIN if one.second is not None:
            yield _called_again(one, others)
        case Who.DECLINES | Who.CANCELS | Who.MISFITS | Who.SAYS_NO if one.asked:
            yield from _ignored(one, accepted)


def _by_server(one: Observed, accepted: Observed | None) -> Iterator[CheckVerdict]:
    """What was done without an approval of the server's own, as it reports it."""
    if one.awaited:
        has_effect = bool(one.effects.after) and not one.is_refused
        yield _nothing("done-before-approval", one.effects.before, one if has_effect else accepted)
    # What was done before the decision has a check of its own.
    done = one.effects.all if not one.awaited else (*one.effects.after, *one.effects.whole)
    if one.who is Who.WITHDRAWS:
        yield _nothing("done-after-withdrawal", one.effects.after, accepted)
    elif one.is_refused and not one.effects.before:
        yield _nothing("done-although-denied", done, accepted)


def _asked(one: Observed, *, must_ask: bool) -> Iterator[CheckVerdict]:
    """Whether it asked a person who can be asked, or failed before it could."""
    if not one.who.can_answer:
        return
    has_failed = failed_unasked(one)
    if has_failed:
        yield CheckVerdict("call-failed", Standing.BROKEN, said(one))
    if must_ask and (one.effects.all or not has_failed):
        asked = f"{len(one.asked)} asked" if one.asked else "the call ended without a question"
        asked = "the server has an approval of its own" if one.awaited else asked
        yield _kept_if(bool(one.asked) or one.awaited, "never-asked", asked)


def failed_unasked(one: Observed) -> bool:
    """True if the call of a person who can be asked ended without a question and without a
    result: whether it asks is not known then. One that has no end breaks another check.
    """
    is_over = one.was_sent and not one.not_possible and not one.is_hung
    is_over = is_over and not (one.awaited or one.is_refused)
    return one.who.can_answer and is_over and not one.asked and not one.response.is_ok


def _nothing(code: str, done: Sequence[str], accepted: Observed | None) -> CheckVerdict:
    if done:
        return CheckVerdict(code, Standing.BROKEN, "; ".join(done))
    if accepted is None:
        return CheckVerdict(code, Standing.NOT_SEEN, "no effect, but no accepted call to compare")
    if not accepted.effects.all:
        return CheckVerdict(
            code, Standing.NOT_SEEN, "no effect, but none was seen after accept either"
        )
    return CheckVerdict(code, Standing.KEPT, "no effect")


def _kept_if(is_kept: bool, code: str, seen: str) -> CheckVerdict:
    broken = Standing.ADVICE if RULES[code].is_advice else Standing.BROKEN
    return CheckVerdict(code, Standing.KEPT if is_kept else broken, seen)


def _unable(one: Observed, *, has_failed: bool) -> Iterator[CheckVerdict]:
    count = len(one.asked)
    yield _kept_if(not count, "asked-undeclared", f"{count} asked" if count else "not asked")
    response = one.response
    if one.is_hung or (has_failed and one.response.is_error):
        # The error of a call that fails for everybody is not about the capability.
        return
    text = response.text.casefold()
    is_named = response.is_error and (
        response.code == MISSING_CAPABILITY or any(word in text for word in _NAMES_CAPABILITY)
    )
    yield _kept_if(is_named, "missing-not-named", said(one))


def _accepted(one: Observed) -> Iterator[CheckVerdict]:
    if not one.asked:
        return
    yield _kept_if(not one.response.is_error, "not-done", said(one))
    texts = "\n".join(_shown(each) for each in one.asked).casefold()
    words = [word for word in re.split(r"[^a-z0-9]+", _apart(one.tool)) if len(word) >= _WORD]
    named = [word for word in words if word in texts]
    message = visible(shortened(one.asked[0].message, _SAID))
    yield _kept_if(bool(named) or not words, "question-without-action", f"“{message}”")
    missing = [
        name for name, value in leaf_values(dict(one.arguments)) if _text(value) not in texts
    ]
    if one.arguments:
        names = ", ".join(visible(shortened(name, 40)) for name in dict.fromkeys(missing))
        words_of = f"without {names}" if missing else "with all values"
        yield _kept_if(not missing, "question-without-values", words_of)


def _again(one: Observed, accepted: Observed | None) -> CheckVerdict:
    if one.effects.again:
        return CheckVerdict("done-twice", Standing.BROKEN, "; ".join(one.effects.again))
    if accepted is None or not accepted.effects.all:
        words = "no second effect, but no first one was seen either"
        return CheckVerdict("done-twice", Standing.NOT_SEEN, words)
    return CheckVerdict("done-twice", Standing.KEPT, "no second effect")


def _changed(one: Observed) -> CheckVerdict:
    assert one.second is not None
    code = "changed-state-taken"
    if one.effects.again:
        return CheckVerdict(code, Standing.BROKEN, "; ".join(one.effects.again))
    if one.second.is_ok:
        return CheckVerdict(code, Standing.BROKEN, f"accepted: “{_short(one.second.text)}”")
    asks = one.second.outcome is Outcome.INPUT_REQUIRED
    return CheckVerdict(code, Standing.KEPT, "asked again" if asks else said(one))


def _called_again(one: Observed, others: Others) -> CheckVerdict:
    """Whether the second call, with other arguments, was done for the yes to the first."""
    assert one.second is not None
    code, done = "old-yes-taken", one.effects.again
    asks = one.second.outcome is Outcome.INPUT_REQUIRED
    declined, accepted = others.declined, others.accepted
    if asks and declined is not None and declined.effects.all:
        # What a tool does although the answer is decline has checks of its own.
        return CheckVerdict(code, Standing.KEPT, "asked again")
    if done:
        return CheckVerdict(
            code, Standing.BROKEN, f"{'' if asks else 'not asked; '}{'; '.join(done)}"
        )
    if asks or not one.second.is_ok:
        return CheckVerdict(code, Standing.KEPT, "asked again" if asks else said(one))
    if accepted is not None and accepted.effects.all:
        return CheckVerdict(code, Standing.KEPT, "not asked, and no effect")
    return CheckVerdict(code, Standing.BROKEN, f"not asked: {said(one)}")


def _ignored(one: Observed, accepted: Observed | None) -> Iterator[CheckVerdict]:
    if one.who is Who.MISFITS:
        yield _kept_if(not one.response.is_ok, "other-values-taken", said(one))
    else:
        count = len(one.asked)
        repeated = count - len({each.message for each in one.asked})
        yield _kept_if(not repeated, "asks-after-refusal", f"{count} asked")
    if accepted is None or not (one.response.is_ok and accepted.response.is_ok):
        return
    is_other = one.response.text != accepted.response.text
    yield _kept_if(is_other, "answer-ignored", said(one))


def said(one: Observed) -> str:
    """The last response of the server, in words that are safe to show."""
    response = one.second or one.response
    if response.text:
        code = f"error {response.code}: " if response.code is not None else ""
        return f"{code}“{_short(response.text)}”"
    return response.reason or (response.outcome.words if response.outcome else "no response")


def _short(text: str) -> str:
    return visible(shortened(text, _SAID))


def _shown(asked: AskedByServer) -> str:
    return f"{asked.message}\n{asked.url}\n{_texts(asked.schema)}"


def _texts(value: JsonValue) -> str:
    match value:
        case dict():
            return "\n".join(f"{key}\n{_texts(one)}" for key, one in value.items())
        case list():
            return "\n".join(map(_texts, value))
    return _text(value)


def _text(value: JsonValue) -> str:
    return "" if value is None else str(value).casefold()


def _apart(name: str) -> str:
    """The name in lower case, with the words of camel case apart."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).casefold()


def table() -> str:
    """The checks as a table for the manual."""
    lines = ["| check | expected | section |", "|---|---|---|"]
    for code, rule in RULES.items():
        sections = dict.fromkeys(one.words for one in rule.sections if one is not None)
        kind = ", advice" if rule.is_advice else ""
        lines.append(f"| `{code}`{kind} | {rule.expected} | {'; '.join(sections)} |")
    return "\n".join(lines) + "\n"
