"""What a draft of an extension changes for a server: the facts of each draft, in one table.

A fact is a clause, the tools that it concerns, and the decisions that change. The decisions are
judged, never listed: with the draft and without it, by the rules of each host and policy. A draft
is a claim of its server: no decision gets milder by one, but for resolved hints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

from ..content.frozen import frozen
from ..protocol.extensions import action_metadata, display_templates, trust_annotations
from ..protocol.extensions.denials import STRUCTURED_DENIALS
from ..protocol.extensions.late_approval import LATE_APPROVAL
from ..protocol.extensions.register import is_declared_by, not_in_use
from ..protocol.extensions.server_cards import CARDS
from ..protocol.extensions.skills import SKILLS
from ..protocol.extensions.tool_resolution import MILDEST
from ..protocol.extensions.tool_resolution import NAME as RESOLUTION
from ..protocol.extensions.trust_annotations import TrustLabel
from ..protocol.findings.findings import warning
from ..protocol.tool import ToolDefinition
from .draft_tools import (
    DraftSubject,
    Selection,
    access_in_words,
    across_tools,
    acting,
    after_label,
    declared_benign,
    labelled,
    leading_out,
    matching,
    may_destroy,
    on_one_line,
    resolvable,
    returning,
    reviewed_in_words,
    templated,
    unreviewed,
    with_finding,
    writing,
)
from .if_resolved import NO_HOST_RESOLVES, SENT_BEFORE, tool_if_resolved
from .matrix import as_measured, cell_word, column_title, is_host
from .policies.policy import Policy
from .policies.verdicts import Case, Verdict, VerdictAnswer

IN_USE: Final = "in use"


class EffectKind(StrEnum):
    """A side of the balance."""

    GAIN = "gain"
    LOSS = "loss"


@frozen
class PolicyDecision:
    """The decision of a host or a policy, in the words of the matrix.

    `then` is the one with the draft; empty if the draft does not change it.
    """

    policy: str
    """The title of a host, or the name of a policy."""
    now: str
    then: str = ""
    is_host: bool = True

    @property
    def label(self) -> str:
        """`Cursor`, `policy cautious`."""
        return self.policy if self.is_host else f"policy {self.policy}"

    @property
    def change(self) -> str:
        """`run → ask`, or the decision of today alone."""
        return f"{self.now} → {self.then}" if self.then else self.now


Decide: TypeAlias = Callable[[DraftSubject, ToolDefinition], Iterable[PolicyDecision]]


def _case(subject: DraftSubject, tool: ToolDefinition) -> Case:
    return Case(tool, subject.trust, subject.server)


def _judged(column: Policy, case: Case) -> Verdict:
    found = as_measured(column, case.tool, column.judge(case))
    return replace(found, reviews_result=False)


def _changes(make: Callable[[Case], Case], *, back: bool = False) -> Decide:
    """Decisions that differ for the case that `make` returns; `back`: it is the one without."""

    def decisions(subject: DraftSubject, tool: ToolDefinition) -> Iterator[PolicyDecision]:
        case = _case(subject, tool)
        made = make(case)
        for column in subject.columns:
            words = [cell_word(_judged(column, one)) for one in (case, made)]
            now, then = reversed(words) if back else words
            if now != then:
                yield _decision(column, now, then)

    return decisions


def _today(
    answer: VerdictAnswer, then: str = "", among: Callable[[Policy], bool] = lambda column: True
) -> Decide:
    """The hosts and policies that have this answer, whatever the draft does."""

    def decisions(subject: DraftSubject, tool: ToolDefinition) -> Iterator[PolicyDecision]:
        for column in filter(among, subject.columns):
            verdict = _judged(column, _case(subject, tool))
            if verdict.answer is answer:
                word = cell_word(replace(verdict, strong=False))
                yield _decision(column, word, then)

    return decisions


def _decision(column: Policy, now: str, then: str = "") -> PolicyDecision:
    return PolicyDecision(column_title(column), now, then, is_host(column))


def _is_policy(column: Policy) -> bool:
    return not is_host(column)


_ASKED: Final = _today(VerdictAnswer.ASK)
_ASKED_IN_HOSTS: Final = _today(VerdictAnswer.ASK, among=is_host)
_RUN_IN_HOSTS: Final = _today(VerdictAnswer.ALLOW, among=is_host)
_RETRIED: Final = _today(VerdictAnswer.ALLOW, cell_word(Verdict(VerdictAnswer.ASK, ())), _is_policy)


def _after(label: TrustLabel) -> Decide:
    return _changes(lambda case: replace(case, carried=(labelled(label),)))


def _with_review(case: Case) -> Case:
    found = warning(action_metadata.REVIEW_CODE, action_metadata.REVIEW_ASKED)
    return replace(case, tool=replace(case.tool, findings=(*case.tool.findings, found)))


def _without_review(case: Case) -> Case:
    kept = (one for one in case.tool.findings if one.code != action_metadata.REVIEW_CODE)
    return replace(case, tool=replace(case.tool, findings=tuple(kept)))


def _milder_in_hosts(subject: DraftSubject, tool: ToolDefinition) -> Iterator[PolicyDecision]:
    """The hosts that could run a tool that they ask about, if they resolved its hints."""
    case = _case(subject, tool)
    best = replace(case, tool=tool_if_resolved(tool, MILDEST))
    for column in filter(is_host, subject.columns):
        now, then = _judged(column, case), _judged(column, best)
        if now.answer is VerdictAnswer.ASK and then.answer is VerdictAnswer.ALLOW:
            yield _decision(column, cell_word(now), cell_word(then))


class FactWhen(StrEnum):
    """The servers that a fact is about."""

    USED = "used"
    NOT_USED = "not used"
    ANY = "any"


class DraftFact(NamedTuple):
    """One thing that is gained or lost."""

    kind: EffectKind
    words: str
    tools: Selection | None = None
    """None for the server as a whole."""
    decisions: Decide | None = None
    when: FactWhen = FactWhen.USED
    is_for_others: bool = False
    """Whether it is about tools that do not use the draft, while others of the server may."""
    must_decide: bool = True
    """Whether a fact with decisions is only about tools that have one."""


class DraftRow(NamedTuple):
    """The facts of one draft. `status`: whether a server uses it, in words."""

    status: Callable[[DraftSubject], tuple[bool, str]]
    facts: tuple[DraftFact, ...]


def _declared(name: str) -> Callable[[DraftSubject], tuple[bool, str]]:
    def status(subject: DraftSubject) -> tuple[bool, str]:
        if subject.capabilities is None:
            return False, "a file has no capabilities"
        missing = not_in_use(name, subject.capabilities)
        return (True, IN_USE) if missing is None else (False, missing.value)

    return status


def _defined(test: Callable[[ToolDefinition], bool]) -> Callable[[DraftSubject], tuple[bool, str]]:
    def status(subject: DraftSubject) -> tuple[bool, str]:
        if any(map(test, subject.tools)):
            return True, IN_USE
        return False, "no tool of the server uses it"

    return status


def _labels(subject: DraftSubject) -> tuple[bool, str]:
    declared = subject.capabilities or {}
    if is_declared_by(trust_annotations.NAME, declared):
        return True, "declared; labels are in results, and no tool is called here"
    return False, "labels are in results, and no tool is called here"


def _cards(subject: DraftSubject) -> tuple[bool, str]:
    if subject.is_by_url:
        return True, "`signoff card` looks for the card of this URL"
    if subject.is_by_url is None:
        return False, "a file has no URL"
    return False, "the server is started by a command, so it has no card"


_GAIN: Final = EffectKind.GAIN
_LOSS: Final = EffectKind.LOSS
_ANY: Final = FactWhen.ANY
_NOT_USED: Final = FactWhen.NOT_USED
_NO_GRANT: Final = "no remembered approval counts for these calls"


def _label_facts(label: TrustLabel, looks: str) -> tuple[DraftFact, ...]:
    concerned = after_label(label)
    return (
        DraftFact(
            _GAIN, f"results that look {looks} can be marked {label}", returning(label), when=_ANY
        ),
        DraftFact(
            _GAIN, f"after a result marked {label}, a call asks", concerned, _after(label), _ANY
        ),
    )


ROWS: Final[Mapping[str, DraftRow]] = {
    RESOLUTION: DraftRow(
        _declared(RESOLUTION),
        (
            DraftFact(
                _GAIN,
                f"fewer questions in hosts that resolve hints, at most; {NO_HOST_RESOLVES}",
                matching(resolvable),
                _milder_in_hosts,
            ),
            DraftFact(
                _GAIN,
                "fewer questions about the harmless ones of several actions",
                matching(acting),
                when=_ANY,
                is_for_others=True,
            ),
            DraftFact(_LOSS, SENT_BEFORE, when=_ANY),
        ),
    ),
    LATE_APPROVAL: DraftRow(
        _declared(LATE_APPROVAL),
        (
            DraftFact(
                _GAIN,
                "an approval on the server's side, for calls that hosts run without a question",
                matching(may_destroy),
                _RUN_IN_HOSTS,
                _ANY,
            ),
            DraftFact(
                _GAIN,
                "an approval on the server's side, which the description requires",
                reviewed_in_words,
                when=_NOT_USED,
            ),
            DraftFact(
                _LOSS,
                "the host asks as before, so a call is decided twice",
                matching(may_destroy),
                _ASKED_IN_HOSTS,
                _ANY,
            ),
            DraftFact(_LOSS, "the wait counts in the time limits of a call"),
            DraftFact(_LOSS, "after an unknown disposition the same call asks under every policy"),
        ),
    ),
    STRUCTURED_DENIALS: DraftRow(
        _declared(STRUCTURED_DENIALS),
        (
            DraftFact(_GAIN, "a denial has a class: whether a remedy exists"),
            DraftFact(
                _GAIN,
                "a denial by a rule of the description has a class",
                access_in_words,
                when=_NOT_USED,
            ),
            DraftFact(_LOSS, "no remedy is followed: no sign-in, no scopes and no page", when=_ANY),
            DraftFact(
                _LOSS,
                "a retry with the handle of a denial asks",
                matching(lambda tool: True),
                _RETRIED,
            ),
            DraftFact(
                _LOSS,
                "a retry with the handle of such a denial asks",
                access_in_words,
                _RETRIED,
                _NOT_USED,
            ),
        ),
    ),
    SKILLS: DraftRow(
        _declared(SKILLS),
        (
            DraftFact(_GAIN, "a skill has digests: a changed file is found, and ends an approval"),
            DraftFact(
                _GAIN,
                "a procedure across tools has digests, unlike a description",
                across_tools,
                when=_NOT_USED,
            ),
            DraftFact(
                _LOSS,
                "`allowed-tools` of a skill lets none of these tools run",
                matching(writing),
                _ASKED,
            ),
            DraftFact(_LOSS, "each read of a file is a request, which may ask", when=_ANY),
        ),
    ),
    CARDS: DraftRow(
        _cards,
        (
            DraftFact(_GAIN, "clients read name, version and address before they connect"),
            DraftFact(_LOSS, "a card changes no decision: hints of tools in it do not count"),
            DraftFact(_LOSS, "a card that contradicts the server is an error of `signoff card`"),
        ),
    ),
    display_templates.NAME: DraftRow(
        _defined(templated),
        (
            DraftFact(
                _GAIN,
                "a person reads one line for a call, beside its arguments",
                matching(templated),
            ),
            DraftFact(
                _GAIN,
                "one line for a call, in hosts that ask and have the draft",
                matching(on_one_line),
                _ASKED_IN_HOSTS,
                _ANY,
                is_for_others=True,
            ),
            DraftFact(
                _LOSS,
                "the line leaves out arguments, which Signoff names beside it",
                with_finding("template-omits-required", "template-omits-optional"),
            ),
            DraftFact(
                _LOSS,
                "hosts with the draft show the arguments in place of the line",
                with_finding("template-on-destructive"),
            ),
            DraftFact(_LOSS, "a line changes no decision: it is the server's claim", when=_ANY),
        ),
    ),
    trust_annotations.NAME: DraftRow(
        _labels,
        (
            *_label_facts(TrustLabel.SENSITIVE, "private"),
            *_label_facts(TrustLabel.UNTRUSTED, "like text of others"),
            DraftFact(
                _LOSS,
                f"after such a result, {_NO_GRANT}",
                after_label(*TrustLabel),
                when=_ANY,
            ),
            DraftFact(_GAIN, "a policy can refuse such a call, by its key `carried`", when=_ANY),
            DraftFact(
                _LOSS, "a label counts for all servers of a session, until it ends", when=_ANY
            ),
        ),
    ),
    action_metadata.NAME: DraftRow(
        _defined(lambda tool: action_metadata.read_action(tool) is not None),
        (
            DraftFact(
                _GAIN,
                "a person reads the destination of the input, and the outcome",
                with_finding("action-metadata"),
            ),
            DraftFact(
                _LOSS,
                f"each call asks by `requiresReview`, and {_NO_GRANT}",
                with_finding(action_metadata.REVIEW_CODE),
                _changes(_without_review, back=True),
                must_decide=False,
            ),
            DraftFact(
                _LOSS,
                f"the outcome “{action_metadata.BENIGN}” makes no decision milder",
                matching(declared_benign),
            ),
            DraftFact(
                _LOSS,
                "readers of the hints and readers of the metadata decide differently",
                with_finding("action-contradicts-hints"),
            ),
            DraftFact(
                _GAIN,
                "each call asks by `requiresReview`, as its description requires",
                unreviewed,
                _changes(_with_review),
                _ANY,
                is_for_others=True,
                must_decide=False,
            ),
            DraftFact(
                _LOSS,
                f"with `requiresReview`, {_NO_GRANT}",
                unreviewed,
                when=_ANY,
                is_for_others=True,
            ),
            DraftFact(
                _GAIN,
                "a person reads the destination of the input",
                leading_out,
                when=_ANY,
                is_for_others=True,
            ),
        ),
    ),
}
