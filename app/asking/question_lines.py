"""What a question says about a call, line by line: in the dialog, and on a plain terminal.

Server, tool, what changed, all arguments, why it is asked, what the tool claims, and what the
server says, in the order in which they are to be read. Text of the server's stands behind the
gutter or in quotes after words of Signoff's own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from signoff.app.asking.argument_lines import argument_lines
from signoff.app.asking.diff_block import diff_lines
from signoff.app.asking.hint_lines import (
    claimed,
    hint_table,
    table_columns,
    what_if_lines,
)
from signoff.app.asking.link_lines import caution_lines, host_lines
from signoff.app.asking.parts import Parts
from signoff.app.asking.result_question import answer_lines, asked_about_answer
from signoff.app.asking.run_lines import not_known_lines, run_lines
from signoff.app.asking.sheet_text import (
    excerpt,
    has_gaps,
    pieces_of,
    quoted,
    text_lines,
)
from signoff.app.core.answers.links import look_at
from signoff.app.core.answers.resources import (
    CAUTION,
    NO_CLAIMS,
    NOT_FETCHED,
    NOTHING_SAID,
    WHAT_IT_IS,
)
from signoff.app.core.approvals.approval import Question
from signoff.app.core.approvals.question_words import (
    ANSWER_TOO,
    PLAIN_NAME,
    definition_words,
    is_strongest,
    meaning_told,
    policy_words,
    reasons_told,
)
from signoff.app.core.definitions.history import Seen
from signoff.app.core.findings import Finding, Severity
from signoff.app.core.hints import Effect
from signoff.app.core.text import count, spans, visible
from signoff.app.core.texts.sheet_line import GLUE, Piece, SheetLine, labelled
from signoff.app.core.tools import ToolDefinition

EFFECT_ROLES: Mapping[Effect, str] = {
    Effect.READ_ONLY: "success",
    Effect.ADDITIVE: "primary",
    Effect.DESTRUCTIVE: "error",
    Effect.UNDECLARED: "warning",
    Effect.CONTRADICTORY: "error",
}
DESTROYS = "What it destroys cannot be brought back from here."
SEEN_ROLES: Mapping[Seen, str] = {Seen.CHANGED: "warning", Seen.NEW: "noticed"}
OTHER_CAUTION = "What it changes may not be possible to undo from here."

UNBOUND = 1_000_000
"""Columns where lines are broken by whoever shows them."""
NAME_LIMIT = 2_000
EXCERPT_LIMIT = 500
WHOLE_LIMIT = 200_000
_EXCERPT_LINES = 4
_FINDINGS_SHOWN = 4
"""Where there is room; half of it elsewhere."""


def indent_of(columns: int) -> int:
    """How many columns the labels take."""
    return 11 if columns >= 66 else 9 if columns >= 40 else 0


def question_parts(
    question: Question,
    *,
    columns: int = UNBOUND,
    is_roomy: bool = True,
    in_full: bool = False,
    has_keys: bool = True,
) -> Parts:
    """Everything there is to know about a question, for a sheet of so many columns.

    `is_roomy`: there are rows enough for blank lines and more of the description. `in_full`: the
    hints as a table, and up to 200,000 characters of what the server says instead of a few lines.
    Without `has_keys` nothing names a key, and words stand for signs.
    """
    indent = indent_of(columns)
    if question.tool.is_read:
        return _reading(question, indent, columns, is_roomy, in_full)
    tool, runs = question.tool, question.snapshot.runs
    first = [
        *_server(question, indent),
        *run_lines(runs, indent, columns, is_roomy=is_roomy, whole=in_full),
        _tool(tool, indent),
    ]
    findings, more = _noticed(tool, is_roomy)
    codes = {finding.code for finding in findings}
    noticed = [*not_known_lines(runs, indent), *_finding_lines(findings, more, indent)]
    if question.result is not None:
        rest = [*_claims(question, indent, columns, in_full), *asked_about_answer(question, indent)]
        return Parts(first, noticed, [], list(answer_lines(question.result)), rest, is_last=True)
    rest = [
        *_although_invalid(question, indent),
        _asked(question, reasons_told(question, codes), indent, is_roomy),
        *_cautions(question, codes, indent),
        *_claims(question, indent, columns, in_full),
        *what_if_lines(question.overrides, indent, has_signs=has_keys),
        *_description(tool, indent, columns, is_roomy, in_full, has_keys),
    ]
    changes = list(diff_lines(question.diff, question.diff_since)) if question.diff else []
    subject = list(argument_lines(question, has_signs=has_keys))
    return Parts(first, noticed, changes, subject, rest)


def _reading(question: Question, indent: int, columns: int, is_roomy: bool, in_full: bool) -> Parts:
    """What is known where a resource is read: no definition says anything of it."""
    facts = look_at(str(question.snapshot.arguments().get("uri")))
    runs = question.snapshot.runs
    first = [
        *_server(question, indent),
        *run_lines(runs, indent, columns, is_roomy=is_roomy, whole=in_full),
        labelled("request", indent, (WHAT_IT_IS, "strong"), ("   resources/read", "dim")),
        *host_lines(facts, indent),
    ]
    noticed = [*not_known_lines(runs, indent), *caution_lines(facts, indent)]
    is_said = question.result is None and NOTHING_SAID in question.verdict.reasons
    # Where the reasons say that nothing is known of it, there is nothing to add of claims.
    silence = [] if is_said else [labelled("claims", indent, (NO_CLAIMS, ""))]
    about = [*silence, labelled("", indent, (NOT_FETCHED, "dim"))]
    if question.result is not None:
        rest = [*about, *asked_about_answer(question, indent)]
        return Parts(first, noticed, [], list(answer_lines(question.result)), rest, is_last=True)
    strong = [labelled("", indent, (CAUTION, "noticed"))] if question.verdict.strong else []
    reasons = question.verdict.reasons
    rest = [_asked(question, reasons, indent, is_roomy), *strong, *about]
    return Parts(first, noticed, [], list(argument_lines(question)), rest)


def _server(question: Question, indent: int) -> Iterator[SheetLine]:
    itself = question.server_calls_itself
    yield labelled(
        "server",
        indent,
        *pieces_of(spans(question.server_name), "strong"),
        ("  ", ""),
        *pieces_of(spans(question.server_command)),
        aside=_dim((("calls itself ", ""), *quoted(itself))) if itself else (),
        exact=has_gaps(question.server_name, question.server_command),
    )


def _dim(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    return tuple((text, role or "dim") for text, role in pieces)


def _tool(tool: ToolDefinition, indent: int) -> SheetLine:
    if PLAIN_NAME.match(tool.name):
        name: tuple[Piece, ...] = ((tool.name, "strong"),)
    else:
        name = tuple((text, role or "strong") for text, role in quoted(tool.name, NAME_LIMIT))
    title: tuple[Piece, ...] = (("   title ", "dim"), *quoted(tool.title)) if tool.title else ()
    effect = ((f"{tool.effect.sign} {tool.effect.value}", EFFECT_ROLES[tool.effect]),)
    old: tuple[Piece, ...] = (("   deprecated", "warning"),) if tool.deprecation else ()
    return labelled(
        "tool", indent, *name, *title, *old, aside=effect, exact=has_gaps(tool.name, tool.title)
    )


def _noticed(tool: ToolDefinition, is_roomy: bool) -> tuple[list[Finding], int]:
    """What is odd about the definition: what is shown of it, and how much is not."""
    noticed = [
        finding
        for finding in tool.findings
        if finding.severity is not Severity.NOTE or finding.code == "titles-disagree"
    ]
    noticed.sort(key=lambda finding: finding.code != "hidden-characters")
    most = _FINDINGS_SHOWN if is_roomy else _FINDINGS_SHOWN // 2
    return noticed[:most], max(len(noticed) - most, 0)


def _finding_lines(findings: Sequence[Finding], more: int, indent: int) -> Iterator[SheetLine]:
    for finding in findings:
        place = (
            visible(finding.path.removeprefix("$.")) if finding.code == "hidden-characters" else ""
        )
        words = visible(f"{place} {finding.message}".strip())
        yield labelled("", indent, ("▲ ", "warning"), (words, "noticed"))
    if more:
        yield labelled("", indent, (f"▲ and {count(more, 'more finding')}", "noticed"))


def _cautions(question: Question, codes: Collection[str], indent: int) -> Iterator[SheetLine]:
    effect = question.tool.effect
    role = EFFECT_ROLES[effect]
    if not meaning_told(question, codes):
        yield labelled("", indent, (effect.meaning, ""))
    if question.verdict.strong:
        caution = DESTROYS if effect.may_destroy else OTHER_CAUTION
        yield labelled("", indent, (caution, role))
    if is_strongest(question):
        yield labelled("", indent, ("And it has changed: only the button approves.", role))


def _claims(question: Question, indent: int, columns: int, in_full: bool) -> Iterator[SheetLine]:
    definition = ((definition_words(question), SEEN_ROLES.get(question.seen, "dim")),)
    tool = question.tool
    if in_full and columns >= table_columns(question.overrides):
        yield from hint_table(tool, indent, question.overrides)
        yield labelled("", indent, *definition)
    else:
        yield labelled("claims", indent, *claimed(tool), aside=definition)


def _asked(question: Question, reasons: Sequence[str], indent: int, is_roomy: bool) -> SheetLine:
    verdict = question.verdict
    later = [ANSWER_TOO] if verdict.reviews_result else []
    words = visible("; ".join([*reasons, *later]))
    policy = policy_words(verdict, is_short=not is_roomy)
    if is_roomy:
        return labelled("asked", indent, (words, ""), aside=((policy, "dim"),))
    return labelled("asked", indent, (words, ""), (f" ({policy.replace(' ', GLUE)})", "dim"))


def _although_invalid(question: Question, indent: int) -> Iterator[SheetLine]:
    if question.although_invalid:
        yield labelled("invalid", indent, (visible(question.although_invalid), "warning"))


def _description(
    tool: ToolDefinition, indent: int, columns: int, is_roomy: bool, whole: bool, has_keys: bool
) -> Iterator[SheetLine]:
    if not tool.description:
        yield labelled("says", indent, ("nothing: it has no description", "dim"))
        return
    room = max(columns - indent - 2, 10)
    limit = WHOLE_LIMIT if whole else EXCERPT_LIMIT if is_roomy else min(room, EXCERPT_LIMIT)
    most = None if whole else _EXCERPT_LINES if is_roomy else 1
    lines = excerpt(tool.description.strip("\n"), limit).split("\n")[:most]
    shown = sum(len(line) + 1 for line in lines) - 1
    total = len(tool.description.strip("\n"))
    for at, parts in enumerate(text_lines("\n".join(lines))):
        label = "" if at else "says"
        if indent:
            yield SheetLine(parts, label=label, indent=indent, gutter=True)
        else:
            yield SheetLine(parts, gutter=True)
    if whole:
        rest = f"cut: {shown:,} of {total:,} characters · " if shown < total else ""
        yield labelled("", indent, (f"{rest}v shows less", "dim"))
    elif shown < total:
        rest = ", press v to view all" if has_keys else ""
        notice = f"cut: {shown:,} of {total:,} characters{rest}"
        yield labelled("", indent, (notice, "dim"))
