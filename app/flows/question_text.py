"""A question as plain lines, and the words by which it can be answered.

It says what the dialog says, in the same order, for terminals without a screen and for screen
readers. Text of the server's stands behind a gutter or in quotes after words of Signoff's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from signoff.app.core.answers.content import (
    Answer,
    AudioPart,
    BlobResourcePart,
    ImagePart,
    LinkPart,
    Part,
    TextPart,
    TextResourcePart,
    UnknownPart,
)
from signoff.app.core.answers.links import look_at
from signoff.app.core.answers.resources import NO_CLAIMS, NOT_FETCHED, NOTHING_SAID, WHAT_IT_IS
from signoff.app.core.approvals.approval import Question
from signoff.app.core.approvals.grants import Remember, Scope
from signoff.app.core.approvals.question_words import (
    ANSWER_TOO,
    NOT_THE_SERVERS,
    changed_words,
    count,
    definition_words,
    exact_name,
    meaning_told,
    policy_words,
    reasons_told,
    what_if_words,
)
from signoff.app.core.approvals.remembering import offers, scope_words
from signoff.app.core.approvals.run_words import place_words
from signoff.app.core.approvals.what_runs import Role
from signoff.app.core.definitions.change_words import quoted
from signoff.app.core.definitions.diff_lines import definition_lines
from signoff.app.core.findings import Finding, Severity
from signoff.app.core.forms.entries import Origin
from signoff.app.core.hints import Claim, Hint
from signoff.app.core.jsonio import JsonValue, pretty, pretty_spans
from signoff.app.core.text import Span, cut, visible

WORD: Final = "approve"
USE: Final = "use"
DENY_SESSION: Final = "deny session"
EDIT: Final = "edit"
DESCRIPTION_LIMIT: Final = 500
ANSWER_LIMIT: Final = 64_000
_KINDS: Final[Mapping[type, str]] = {
    TextPart: "text",
    ImagePart: "image",
    AudioPart: "audio",
    TextResourcePart: "resource",
    BlobResourcePart: "binary resource",
    LinkPart: "link",
    UnknownPart: "unreadable",
}
_ORIGINS: Final[Mapping[Origin, str]] = {
    Origin.EXAMPLE: "the server's own examples, taken by you",
    Origin.DEFAULT: "the server's own defaults",
    Origin.FILLED: "filled by Signoff, not chosen by anyone",
}
GUTTER: Final = "         ┃ "
BLANK: Final = " " * 11


def question_lines(question: Question) -> list[str]:
    """Server, tool, claims, why it is asked; then what changed and the arguments, or the answer."""
    tool, itself = question.tool, question.server_calls_itself
    if tool.is_read:
        return _about_reading(question)
    noticed = list(_noticed(question))
    codes = {finding.code for finding in noticed}
    is_told = question.result is None and meaning_told(question, codes)
    meaning = "" if is_told else f": {tool.effect.meaning}"
    about = "Use this answer?" if question.result is not None else "Approve this call?"
    strong = question.verdict.strong and question.result is None
    lines = [
        "",
        about + (" It may destroy something." if strong else ""),
        f"server     {visible(question.server_name)}   {visible(question.server_command)}",
        *_runs(question),
        *([f"{BLANK}calls itself “{itself}”"] if itself else []),
        f"tool       {exact_name(tool.name)}   title “{tool.title_shown}”"
        + ("   deprecated" if tool.deprecation is not None else ""),
        *(f"{BLANK}▲ {visible(finding.message)}" for finding in noticed),
        f"effect     {tool.effect.sign} {tool.effect.value}{meaning}",
        f"claims     {_claims(question)}",
        f"{BLANK}{definition_words(question)}",
    ]
    if question.overrides:
        lines.append(f"what-if    {what_if_words(question.overrides)} ({NOT_THE_SERVERS})")
    reasons = visible("; ".join(reasons_told(question, codes)))
    if question.result is not None:
        sha = question.snapshot.arguments_digest[:8]
        lines.append(f"asked      about the answer ({policy_words(question.verdict)})")
        lines.append(f"sent       the call has been made, with arguments sha256 {sha}")
        return [*lines, *_answer_lines(question.result)]
    if question.verdict.reviews_result:
        reasons += f"; {ANSWER_TOO}"
    lines.append(f"asked      {reasons} ({policy_words(question.verdict)})")
    if question.although_invalid:
        lines.append(f"invalid    {visible(question.although_invalid)}")
    return [*lines, *_description(question), *_changes(question), *_arguments(question)]


def _about_reading(question: Question) -> list[str]:
    """Server, URI, why it is asked; then the URI once more as the argument, or the answer."""
    facts = look_at(str(question.snapshot.arguments().get("uri")))
    is_answer = question.result is not None
    itself = question.server_calls_itself
    lines = [
        "",
        "Use this answer?" if is_answer else "Approve this read?",
        f"server     {visible(question.server_name)}   {visible(question.server_command)}",
        *_runs(question),
        *([f"{BLANK}calls itself “{itself}”"] if itself else []),
        f"request    {WHAT_IT_IS}   resources/read",
        *([f"host       {visible(facts.host)}"] if facts.host else []),
        *(f"{BLANK}▲ {caution}" for caution in facts.cautions),
        f"{BLANK}{NOT_FETCHED}",
    ]
    if is_answer or NOTHING_SAID not in question.verdict.reasons:
        lines.append(f"claims     {NO_CLAIMS}")
    if question.result is not None:
        lines.append(f"asked      about the answer ({policy_words(question.verdict)})")
        lines.append("sent       the resource has been read")
        lines += _json_lines(question.snapshot.arguments())
        return [*lines, *_answer_lines(question.result)]
    reasons = [
        *question.verdict.reasons,
        *([ANSWER_TOO] if question.verdict.reviews_result else []),
    ]
    lines.append(f"asked      {visible('; '.join(reasons))} ({policy_words(question.verdict)})")
    return [*lines, *_arguments(question)]


def arguments_header(question: Question) -> str:
    """`2 keys · 24 characters · 4 lines · sha256 5f3c9a1b`, of what will be sent."""
    arguments = question.snapshot.arguments()
    lines = pretty_spans(arguments)
    return (
        f"{count(len(arguments), 'key')} · {count(len(pretty(arguments)), 'character')} · "
        f"{count(len(lines), 'line')} · sha256 {question.snapshot.arguments_digest[:8]}"
    )


def offered(question: Question) -> dict[str, Remember]:
    """What can be typed to approve, and what is remembered by it."""
    choices = offers(question.tool)
    if not question.can_remember:
        choices = choices[:1]
    return {_typed(remember): remember for remember in choices}


def remember_lines(question: Question, *, now: float, folder: str) -> Iterator[str]:
    """Every word that can be typed, and exactly what would be remembered by it."""
    if question.result is not None:
        return
    if question.can_remember:
        said = {
            typed: scope_words(question, remember, now=now, folder=folder)
            for typed, remember in offered(question).items()
        }
        covers = ""
        for number, (typed, words) in enumerate(said.items()):
            label = BLANK if number else "remember   "
            yield f"{label}{typed:<17}  {'The same' if words.covers == covers else words.covers}"
            if words.lasts:
                yield f"{BLANK}{'':<17}  {words.lasts}"
            covers = words.covers
        yield f"{BLANK}{words.kept[:1].upper()}{words.kept[1:]}."
        if words.caution:
            yield f"{BLANK}With any arguments: {words.caution[:1].lower()}{words.caution[1:]}"
    elif question.why_not_remembered:
        yield f"remember   this call only: {visible(question.why_not_remembered)}"
    what = "read of a resource" if question.tool.is_read else "call of this tool"
    yield f"{BLANK}{DENY_SESSION:<17}  Denies every further {what} in this session."


def _typed(remember: Remember) -> str:
    match remember.scope:
        case Scope.ONCE:
            return WORD
        case Scope.ARGUMENTS:
            return f"{WORD} arguments"
        case Scope.SESSION:
            return f"{WORD} session"
    return f"{WORD} {count(remember.days, 'day')}"


def _claims(question: Question) -> str:
    hints = question.tool.hints
    return ", ".join(f"{hint.name} {hint.claim.value}{_counts(hint)}" for hint in hints)


def _counts(hint: Hint) -> str:
    """What is to be known of a claim: that it counts for nothing, or that a default counts."""
    if not hint.meaningful and hint.claim is not Claim.TRUE:
        return " (counts for nothing)"
    return f" (default {str(hint.default).lower()})" if hint.is_default else ""


def _noticed(question: Question) -> Iterator[Finding]:
    for finding in question.tool.findings:
        if finding.severity is not Severity.NOTE or finding.code == "titles-disagree":
            yield finding


def _description(question: Question) -> Iterator[str]:
    description = cut(question.tool.description, DESCRIPTION_LIMIT)
    yield from _behind_gutter(description.text)
    if description.is_cut:
        yield f"{BLANK}{description.notice}"


def _changes(question: Question) -> Iterator[str]:
    if question.diff is None:
        return
    yield f"changes    {changed_words(question.diff_since)}"
    for line in definition_lines(question.diff):
        yield f"{BLANK}{line.plain}"


def _arguments(question: Question) -> Iterator[str]:
    yield f"arguments  {arguments_header(question)}"
    yield from _json_lines(question.snapshot.arguments())
    for origin, words in _ORIGINS.items():
        names = [name for name, one in question.origins.items() if one is origin]
        if names:
            yield f"{BLANK}{words}: {', '.join(map(exact_name, names))}"


def _answer_lines(answer: Answer) -> Iterator[str]:
    total = len(answer.parts) + answer.more_parts
    yield f"answer     {count(total, 'part')}" + (", structured" * answer.has_structured)
    if answer.is_error:
        yield f"{BLANK}isError: the tool says that it failed"
    for number, part in enumerate(answer.parts, 1):
        yield f"{BLANK}{number} of {total}: {_about(part)}"
        if isinstance(part, TextPart | TextResourcePart):
            text = cut(part.text, ANSWER_LIMIT)
            yield from _behind_gutter(text.text)
            if text.is_cut:
                yield f"{BLANK}{text.notice}"
    if answer.has_structured:
        yield f"{BLANK}structuredContent"
        yield from _json_lines(answer.structured)
    for finding in answer.findings:
        yield f"{BLANK}▲ {visible(finding.message)}"


def _about(part: Part) -> str:
    kind = _KINDS[type(part)]
    told = [getattr(part, name, "") for name in ("uri", "mime", "reason")]
    return " ".join([kind, *(quoted(one, 2_000) for one in told if one)])


def _runs(question: Question) -> Iterator[str]:
    """What runs as the server: a file a line, then the names of the variables given to it."""
    runs = question.snapshot.runs
    if runs is None:
        return
    label = "runs"
    for file in runs.files:
        role = "" if file.role is Role.PROGRAM else f"{file.role.value} "
        yield f"{label:<11}{role}{place_words(file)}"
        label = ""
    if runs.values:
        yield f"{label:<11}with {visible(', '.join(name for name, _ in runs.values))}"
    if runs.problem:
        yield f"{BLANK}▲ {visible(runs.problem)}"


def _behind_gutter(text: str) -> Iterator[str]:
    yield from (f"{GUTTER}{line}" for line in visible(text, multiline=True).split("\n"))


def _json_lines(value: JsonValue) -> Iterator[str]:
    yield from (f"{GUTTER}{plain_line(line)}" for line in pretty_spans(value))


def plain_line(line: Sequence[Span]) -> str:
    """A line without the styles of its pieces."""
    return "".join(span.text for span in line)
