"""Content of an approval request, line by line: in the dialog, and on a plain terminal.

Text of the server's is behind the gutter or in quotes after words of Signoff's own.

Server, tool, changes, all arguments, the reason, hints, and the server's texts, in reading order.
Reads and prompts have no definition. A request on a result is made after the call, and nothing more
is sent. `scope_words` explains the effect of remembering an approval before it is chosen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from rich.cells import cell_len

from ...content.frozen import frozen
from ...content.json.jsonio import pretty_spans
from ...content.text import count, cut, seconds, size, visible
from ...content.texts.sheet_line import Piece, SheetLine, labelled
from ...protocol.answers.content import (
    Answer,
    AudioPart,
    BlobResourcePart,
    ImagePart,
    LinkPart,
    Part,
    TextPart,
    TextResourcePart,
)
from ...protocol.answers.links import LinkFacts, look_at
from ...protocol.definitions.changes import DefinitionDiff, Weight
from ...protocol.definitions.diff_lines import DiffLine, definition_lines
from ...protocol.extensions.display_templates import preview_of
from ...protocol.findings.findings import brief
from ...protocol.requests import PromptGet, ResourceRead, ToolCall, Unclaimed
from ...protocol.rpc import PROMPT_METHOD, READ_METHOD
from ...protocol.server import Trust
from ..grants import DAY, Remember, Scope
from ..policies.verdicts import nothing_said
from ..server_questions import AboutElicitation, AboutSampling
from ..sign_in import AboutSignIn
from ..who_asks import HostGroup, fitted_hosts, group_pieces
from . import about_server_requests, about_sign_in
from .definition_lines import (
    EFFECT_ROLES,
    claim_lines,
    definition_pieces,
    description_lines,
    finding_lines,
    noticed_in,
    tool_line,
    what_if_lines,
)
from .question_words import (
    changed_words,
    exact_name,
    is_strongest,
    may_destroy,
    meaning_told,
    policy_words,
    reasons_told,
    shortened,
)
from .questions import FOR_A_CALL, AboutAnswer, AboutCall, AboutRead, Question
from .server_lines import asked_line, covered_words, not_known_lines, server_lines
from .sheet import ABOUT_ROWS, Parts, Room, pieces_of, quoted, text_lines
from .value_lines import argument_lines, caution_lines, host_lines

UNBOUND: Final = 1_000_000
"""Columns for a caller that breaks the lines itself."""


def question_parts(
    question: Question,
    *,
    columns: int = UNBOUND,
    is_roomy: bool = True,
    in_full: bool = False,
    has_keys: bool = True,
    about_rows: int = ABOUT_ROWS,
) -> Parts:
    """The whole content of a request, for a sheet of so many columns.

    `is_roomy`: there are rows enough for a blank line and for further findings. `in_full`: the
    hints as a table, and up to 200,000 characters of the server's texts instead of a few lines.
    Without `has_keys` no key is named, and words replace signs. `about_rows`: rows of the
    description.
    """
    room = Room(
        columns, is_roomy=is_roomy, in_full=in_full, has_keys=has_keys, about_rows=about_rows
    )
    match question:
        case AboutCall():
            return call_parts(question, room)
        case AboutRead():
            return read_parts(question, room)
        case AboutAnswer():
            return answer_parts(question, room)
        case AboutElicitation():
            return about_server_requests.elicitation_parts(question, room)
        case AboutSampling():
            return about_server_requests.sampling_parts(question, room)
        case AboutSignIn():
            return about_sign_in.sign_in_parts(question, room)


ALSO_ON: Final = "≡ A tool of this name is also on"
"""What comes before the names of the other servers."""
DESTROYS: Final = "Signoff cannot undo this."
LETS_RUN: Final = "If you approve, the policy runs later calls of this tool in this session."
OTHER_CAUTION: Final = "Signoff may not be able to undo this."


def call_parts(question: AboutCall, room: Room) -> Parts:
    """The whole content of a call's request."""
    tool, snapshot, indent = question.tool, question.snapshot, room.indent
    findings, more = noticed_in(tool, room.is_roomy)
    codes = {finding.code for finding in findings}
    return Parts(
        first=[
            *server_lines(question, room),
            tool_line(tool, indent, definition_pieces(question) if room.is_roomy else ()),
            *_as_task(question, indent),
        ],
        noticed=[
            *_namesakes(question, indent),
            *not_known_lines(snapshot.runs, indent),
            *finding_lines(findings, more, indent),
        ],
        changes=list(diff_lines(question.diff, question.diff_since)) if question.diff else [],
        subject=list(argument_lines(snapshot, question.origins, has_signs=room.has_keys)),
        rest=[
            *_preview(question, indent),
            *_although_invalid(question, indent),
            *_resolution_lines(question, room),
            asked_line(question, reasons_told(question, codes), room),
            *_cautions(question, codes, indent),
            *elsewhere_lines(question.elsewhere, room),
            *claim_lines(question, room),
            *what_if_lines(question.overrides, indent, has_signs=room.has_keys),
            *description_lines(tool, room),
        ],
    )


def _namesakes(question: AboutCall, indent: int) -> Iterator[SheetLine]:
    """Name the other servers that have a tool of this name: one could be taken for another."""
    if question.also_on:
        names = ", ".join(visible(name) for name in question.also_on)
        yield labelled("", indent, (f"{ALSO_ON} {names}", "noticed"))


def _cautions(question: AboutCall, codes: Collection[str], indent: int) -> Iterator[SheetLine]:
    effect = question.tool.effect
    role = EFFECT_ROLES[effect]
    if not meaning_told(question, codes):
        yield labelled("", indent, (effect.meaning, ""))
    if question.is_strong:
        caution = DESTROYS if effect.may_destroy else OTHER_CAUTION
        yield labelled("", indent, (caution, role))
    if is_strongest(question):
        yield labelled("", indent, ("Its definition changed, too: approve with the button.", role))
    if question.lets_later_calls_run:
        yield labelled("", indent, (LETS_RUN, "noticed"))


ELSEWHERE: Final = "elsewhere"
HOSTS: Final = "hosts"
"""The label of the same line where the other one is too long."""


def elsewhere_lines(groups: Sequence[HostGroup], room: Room) -> Iterator[SheetLine]:
    """What hosts do before they run the tool: on one row, or a line for each group in full view."""
    if not groups:
        return
    label = ELSEWHERE if room.indent > len(ELSEWHERE) else HOSTS
    if room.in_full:
        for at, group in enumerate(groups):
            yield labelled("" if at else label, room.indent, *group_pieces(group))
        return
    cells = room.columns - (room.indent or len(label) + 1)

    def fits(pieces: list[Piece]) -> bool:
        return sum(cell_len(text) for text, _ in pieces) <= cells

    yield labelled(label, room.indent, *fitted_hosts(groups, fits))


def _as_task(question: AboutCall, indent: int) -> Iterator[SheetLine]:
    """Show the `task` param, if it goes as a task."""
    ttl = question.snapshot.task_ttl
    if ttl is not None:
        kept = f"runs as a task; result kept for {seconds(ttl / 1_000)} (ttl {ttl:,} ms)"
        yield labelled("task", indent, (kept, ""))


PREVIEW_IS_THEIRS: Final = "by the server's template"


def _preview(question: AboutCall, indent: int) -> Iterator[SheetLine]:
    """The line of the server's template, behind the gutter, and the arguments that it hides.

    It is below the arguments, whatever the effect of the tool: these are approved.
    """
    if question.template is None:
        return
    preview = preview_of(question.template, question.snapshot.arguments())
    pieces = preview.pieces or (("(an empty line)", "dim"),)
    yield SheetLine(pieces, label="preview", indent=indent, gutter=True, exact=True)
    if preview.omission:
        yield labelled("", indent, (f"▲ {preview.omission}", "noticed"))
    else:
        yield labelled("", indent, (PREVIEW_IS_THEIRS, "dim"))


def _although_invalid(question: AboutCall, indent: int) -> Iterator[SheetLine]:
    if question.although_invalid:
        yield labelled("invalid", indent, (visible(question.although_invalid), "warning"))


SENT_FOR_IT: Final = "the arguments were sent for resolution, before your decision"
NOT_COUNTED: Final = "the server is not trusted, so it makes no decision milder"


def _resolution_lines(question: AboutCall, room: Room) -> Iterator[SheetLine]:
    """Both kinds of hints, what differs, and that the arguments have left already."""
    found = question.resolution
    if found is None:
        return
    words = found.words(question.tool.hints)
    role = "" if found.hints is None else EFFECT_ROLES[found.hints.hints.effect]
    yield labelled("resolved", room.indent, (words, role))
    if found.was_sent:
        yield labelled("", room.indent, (SENT_FOR_IT, "noticed"))
    if found.is_resolved and question.trust is not Trust.TRUSTED:
        yield labelled("", room.indent, (NOT_COUNTED, "dim"))


WHAT_IT_IS: Final = "reads a resource of this server"
NO_CLAIMS: Final = "none: a resource has no hints"
READ_CAUTION: Final = "Reading should be harmless, but nothing guarantees it."
NOT_FETCHED: Final = "the server reads it; Signoff does not open it"
GETS_A_PROMPT: Final = "gets a prompt of this server"
NO_CLAIMS_OF_PROMPTS: Final = "none: a prompt has no hints"
CAUTION_OF_PROMPTS: Final = "Getting a prompt should be harmless, but nothing guarantees it."
NOT_USED: Final = "not sent to a model; the response is only shown"


def read_parts(question: AboutRead, room: Room) -> Parts:
    """The whole content of a read's request."""
    indent, verdict = room.indent, question.verdict
    # If the reasons mention the missing hints, a line about hints adds nothing.
    is_said = nothing_said(question.request.method) in verdict.reasons
    is_prompt = isinstance(question.request, PromptGet)
    caution = CAUTION_OF_PROMPTS if is_prompt else READ_CAUTION
    return Parts(
        first=request_lines(question, room),
        noticed=odd_lines(question, room),
        changes=[],
        subject=list(argument_lines(question.snapshot, {})),
        rest=[
            asked_line(question, verdict.reasons, room),
            *([labelled("", indent, (caution, "noticed"))] if question.is_strong else []),
            *(() if is_said else no_claims(question.request, room)),
            not_fetched(question.request, room),
        ],
    )


def request_lines(question: AboutRead | AboutAnswer, room: Room) -> list[SheetLine]:
    """The server, the request, and its target."""
    request = question.request
    if isinstance(request, PromptGet):
        asks = ((GETS_A_PROMPT, "strong"), (" ", ""), *quoted(request.prompt))
        method: Piece = (f"   {PROMPT_METHOD}", "dim")
        return [*server_lines(question, room), labelled("request", room.indent, *asks, method)]
    return [
        *server_lines(question, room),
        labelled("request", room.indent, (WHAT_IT_IS, "strong"), (f"   {READ_METHOD}", "dim")),
        *host_lines(_facts(question), room.indent),
    ]


def odd_lines(question: AboutRead | AboutAnswer, room: Room) -> list[SheetLine]:
    """Problems of the server and the URI."""
    runs = question.snapshot.runs
    if isinstance(question.request, PromptGet):
        return [*not_known_lines(runs, room.indent)]
    return [*not_known_lines(runs, room.indent), *caution_lines(_facts(question), room.indent)]


def no_claims(request: Unclaimed, room: Room) -> Iterator[SheetLine]:
    words = NO_CLAIMS_OF_PROMPTS if isinstance(request, PromptGet) else NO_CLAIMS
    yield labelled("hints", room.indent, (words, ""))


def not_fetched(request: Unclaimed, room: Room) -> SheetLine:
    """The line on actions that do not follow: no fetching, no use."""
    words = NOT_USED if isinstance(request, PromptGet) else NOT_FETCHED
    return labelled("", room.indent, (words, "dim"))


def _facts(question: AboutRead | AboutAnswer) -> LinkFacts:
    return look_at(str(question.snapshot.arguments().get("uri")))


TEXT_LIMIT = 200_000
"""Characters shown of one part; a cut one has a mark."""
_URI_LIMIT = 2_000


def answer_parts(question: AboutAnswer, room: Room) -> Parts:
    """The whole content of a request on a result, which comes last, after any length."""
    match question.request:
        case ResourceRead() | PromptGet() as request:
            first, noticed = request_lines(question, room), odd_lines(question, room)
            claims = [*no_claims(request, room), not_fetched(request, room)]
        case ToolCall(tool):
            findings, more = noticed_in(tool, room.is_roomy)
            runs = question.snapshot.runs
            known = definition_pieces(question) if room.is_roomy else ()
            first = [*server_lines(question, room), tool_line(tool, room.indent, known)]
            noticed = [
                *not_known_lines(runs, room.indent),
                *finding_lines(findings, more, room.indent),
            ]
            claims = list(claim_lines(question, room))
    rest = [*claims, *_asked(question, room.indent)]
    return Parts(first, noticed, [], list(answer_lines(question.answer)), rest, is_last=True)


def _asked(question: AboutAnswer, indent: int) -> Iterator[SheetLine]:
    """Lines on the reason for the approval, and on the call that was already made."""
    reason = (
        "open world: anyone may have written this response"
        if question.request.hints.is_open_world
        else "the policy reviews this response before it is used"
    )
    yield labelled("why", indent, (reason, ""), aside=((policy_words(question.verdict), "dim"),))
    sha = question.snapshot.arguments_digest[:8]
    yield labelled("sent", indent, (f"call sent, arguments sha256 {sha}", ""))
    done = "The call is already done. If you withhold the response, Calls and Response hide it."
    yield labelled("", indent, (done, "dim"))


def answer_lines(answer: Answer) -> Iterator[SheetLine]:
    """The whole answer, in the order of its parts, then the structured one."""
    yield SheetLine((("Response   ", "strong"), (_summary(answer), "dim")))
    if answer.is_error:
        yield SheetLine((("isError: ", "error"), ("the tool failed", "")))
    for number, part in enumerate(answer.parts, 1):
        if role := answer.role(number - 1):
            yield SheetLine(((role, "strong"),))
        yield from _part_lines(number, len(answer.parts), part)
    if answer.more_parts:
        yield SheetLine(((f"and {count(answer.more_parts, 'more part')}, not shown", "noticed"),))
    if answer.has_structured:
        yield SheetLine((("structuredContent", "label"),))
        for answer_parts in pretty_spans(answer.structured):
            yield SheetLine(pieces_of(answer_parts), gutter=True, exact=True)
    for finding in answer.findings:
        yield brief(finding)


def _summary(answer: Answer) -> str:
    words = [count(len(answer.parts) + answer.more_parts, "part")]
    if characters := sum(len(part.text) for part in answer.parts if isinstance(part, TextPart)):
        words.append(f"{count(characters, 'character')} of text")
    if answer.has_structured:
        words.append("structured")
    return " · ".join(words)


def _part_lines(number: int, total: int, part: Part) -> Iterator[SheetLine]:
    text, about = _text_of(part), _about(part)
    if about or total > 1:
        place = f"{number} of {total}  " if total > 1 else ""
        yield SheetLine(((place, "label"), *(about or (("text", "label"),))))
    if text is None:
        return
    short = cut(text, TEXT_LIMIT)
    for pieces in text_lines(short.text):
        yield SheetLine(pieces, gutter=True, exact=True)
    if short.is_cut:
        yield SheetLine(((short.notice, "noticed"),))


def _text_of(part: Part) -> str | None:
    return part.text if isinstance(part, TextPart | TextResourcePart) else None


def _about(part: Part) -> tuple[Piece, ...]:
    """Describe a part that is not plain text."""
    match part:
        case TextPart():
            return ()
        case ImagePart(data, mime) | AudioPart(data, mime):
            kind = "image" if isinstance(part, ImagePart) else "audio"
            return ((f"{kind} ", "label"), *quoted(mime), (f"  {size(len(data) * 3 // 4)}", "dim"))
        case TextResourcePart(uri, mime):
            return (("resource ", "label"), *quoted(uri, _URI_LIMIT), ("  ", ""), *quoted(mime))
        case BlobResourcePart(uri, mime, blob):
            amount = size(len(blob) * 3 // 4)
            return (
                *(("resource ", "label"), *quoted(uri, _URI_LIMIT), ("  ", "")),
                *(*quoted(mime), (f"  {amount}", "dim")),
            )
        case LinkPart(uri, name):
            return (("link ", "label"), *quoted(uri, _URI_LIMIT), ("  ", ""), *quoted(name))
        case _:
            return ((part.reason, "noticed"),)


_ROLES: Mapping[Weight, str] = {
    Weight.BREAKING: "error",
    Weight.WEAKENED: "error",
    Weight.WORSENED: "error",
    Weight.OUTPUT: "warning",
    Weight.REWORDED: "warning",
}
_SIGN_ROLES: Mapping[str, str] = {"-": "error", "+": "success"}


def diff_lines(diff: DefinitionDiff, since: str) -> Iterator[SheetLine]:
    """A heading, and each change with its old and new value.

    `since` is in Signoff's words, such as `approved on 2026-11-20`.
    """
    total = count(len(diff.changes) + diff.more, "change")
    digests = f"was {diff.old_digest[:8]}, is {diff.new_digest[:8]}"
    yield SheetLine(
        (("Changes    ", "strong"), (changed_words(since), "warning")),
        aside=((f"{total} · {digests}", "dim"),),
    )
    for line in definition_lines(diff):
        yield _sheet_line(line)


def _sheet_line(line: DiffLine) -> SheetLine:
    if line.is_theirs:
        sign = (f"{line.sign} ", _SIGN_ROLES.get(line.sign, "dim"))
        return SheetLine((sign, *line.pieces), gutter=True, exact=True)
    return SheetLine(((f"{line.sign} ", _ROLES.get(line.weight, "success")), *line.pieces))


CAUTION: Final = "Every such call would then run without asking, and it may be destructive."
REVOKED_BY: Final = "signoff grants revoke"


@frozen
class ScopeWords:
    """Words on a scope, safe to show.

    `caution` is empty unless destructive calls would run without asking.
    """

    what: str
    """The calls that it covers, without the server."""
    lasts: str
    kept: str
    caution: str = ""
    where: str = ""
    """The server that this holds for, and what of it has to stay as it is."""

    @property
    def covers(self) -> str:
        return f"{self.what} of {self.where}" if self.where else self.what


NOTHING: Final = ScopeWords("Not remembered. The same call will ask again.", "", "")
BY_POLICY: Final = ScopeWords("Not remembered; the policy runs later calls of the tool.", "", "")


def stepped(chosen: Remember, step: int, choices: Sequence[Remember] = FOR_A_CALL) -> Remember:
    """The next choice, or the one before; the ends do not join."""
    at = choices.index(chosen) + step
    return choices[min(max(at, 0), len(choices) - 1)]


def scope_words(
    question: Question,
    remember: Remember,
    *,
    now: float,
    folder: str,
    command_most: int = 200,
    revoked_by: str = f"`{REVOKED_BY}`",
) -> ScopeWords:
    """Describe the calls that an approval would cover, its time, its file and its revocation.

    `now`: seconds since the epoch; `folder`: of the grants, safe to show; `command_most`: room for
    the server's command, in characters; `revoked_by`: the command or the key that revokes it.
    """
    if isinstance(question, AboutCall) and question.lets_later_calls_run:
        nothing = BY_POLICY
    else:
        nothing = NOTHING
    if remember.scope is Scope.ONCE or not isinstance(question, AboutCall | AboutRead):
        return nothing
    snapshot = question.snapshot
    is_narrow = remember.scope is Scope.ARGUMENTS
    server = visible(question.server_name)
    command = shortened(visible(question.server_command), command_most)
    digest = snapshot.arguments_digest[:8]
    match question:
        case AboutRead(request=PromptGet()):
            what = f"exactly this prompt with exactly these arguments ({digest})"
        case AboutRead():
            what = f"exactly this URI ({digest})"
        case AboutCall(request=call):
            with_what = f"exactly these arguments ({digest})" if is_narrow else "any arguments"
            definition = snapshot.definition_digest[:8]
            what = f"{exact_name(call.name)} with {with_what}, definition {definition},"
    covered = covered_words(snapshot.runs)
    return ScopeWords(
        what=f"Covers {what}",
        where=f"{server}: {command}" + (f", {covered}" if covered else ""),
        lasts=_lasts(remember, now),
        kept=_kept(remember, folder, revoked_by),
        caution="" if is_narrow or not may_destroy(question) else CAUTION,
    )


def _kept(remember: Remember, folder: str, revoked_by: str) -> str:
    if remember.scope is not Scope.UNTIL:
        return f"revoke it earlier with {revoked_by}"
    return f"kept in {folder}; revoke it with {revoked_by}"


def _lasts(remember: Remember, now: float) -> str:
    """Until when; a date with the time and the offset of this place."""
    if remember.scope is not Scope.UNTIL:
        return "Until this session ends"
    end = datetime.fromtimestamp(now + remember.days * DAY, UTC).astimezone()
    return f"Until {end.isoformat(sep=' ', timespec='minutes')}"
