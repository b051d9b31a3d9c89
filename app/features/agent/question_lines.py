"""Lines about a permission request of an agent: its own words, the known and the missing facts.

Text of the agent's and of the server's is behind the gutter, or in quotes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ...approval.questions.definition_lines import (
    claimed,
    description_lines,
    finding_lines,
    noticed_in,
    tool_line,
)
from ...approval.questions.sheet import Room, pieces_of, quoted, text_lines
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, pretty_spans
from ...content.text import count, cut, visible
from ...content.texts.sheet_line import Piece, SheetLine, labelled
from ...protocol.acp import OptionKind, PermissionOption, PermissionRequest, text_of, texts_of
from ...protocol.tool import ToolDefinition
from .stories import Flaw, NamePlace, Naming

TEXT_LIMIT: Final = 20_000
TITLE_LIMIT: Final = 2_000
_KINDS: Final = {
    OptionKind.ALLOW_ONCE: "Allow once",
    OptionKind.ALLOW_ALWAYS: "Allow always",
    OptionKind.REJECT_ONCE: "Reject once",
    OptionKind.REJECT_ALWAYS: "Reject always",
    OptionKind.OTHER: "Other answer",
}
_PLACES: Final = {
    NamePlace.TITLE: "in its title",
    NamePlace.TEXT: "in its text",
    NamePlace.INPUT: "in rawInput, which clients need not show",
    NamePlace.EARLIER: "in an earlier update, not in the request",
    NamePlace.OPTION: "in the names of its answers, not in the request",
    NamePlace.CALL_ID: "in toolCallId, which no client shows",
}
FLAW_WORDS: Final[Mapping[Flaw, str]] = {
    Flaw.RAN_UNASKED: "ran without asking",
    Flaw.RAN_REJECTED: "ran although it was rejected",
    Flaw.RAN_EARLY: "ran before the answer",
    Flaw.ASKED_LATE: "had reached the server when the question came",
    Flaw.OTHER_ARGUMENTS: "ran with other arguments than those in the request",
    Flaw.OTHER_TOOL: "another tool ran than the one in the request",
    Flaw.NOT_NAMED: "the request does not name the tool",
    Flaw.NO_ARGUMENTS: "the request does not show the arguments",
    Flaw.HARM_UNASKED: "the tool is not declared read-only",
    Flaw.NO_REFUSAL: "the request has no option that rejects",
}
"""Sentences of the findings on an agent's questions and calls, without a full stop."""
DECLARES_NO_TOOL: Final = "not a tool of the MCP server: one of the agent's own, perhaps"


@frozen(kw_only=True)
class AgentQuestion:
    """All that is known when an agent asks."""

    request: PermissionRequest
    naming: Naming
    tool: ToolDefinition | None
    """The definition that the MCP server declared; None if no tool was recognised."""
    decisions: Mapping[str, tuple[str, ...]]
    """What hosts would decide about it: the titles of the hosts by their decision."""
    agent: str
    """The name of the host, or the program."""
    calls_itself: str
    server: str
    ran: JsonValue = None
    """The arguments of the call, if it reached the server before the answer."""
    has_run: bool = False
    is_listed: bool = True
    """Whether the agent has listed the tools of the server, so that one can be recognised."""

    @property
    def options(self) -> tuple[PermissionOption, ...]:
        return self.request.options


def option_words(options: tuple[PermissionOption, ...]) -> dict[str, str]:
    """Signoff's own words for each answer, by its id: the agent's may claim anything.

    Several answers of one kind are numbered.
    """
    kinds = [one.kind for one in options]
    found, seen = {}, dict.fromkeys(kinds, 0)
    for one in options:
        seen[one.kind] += 1
        number = f" {seen[one.kind]}" if kinds.count(one.kind) > 1 else ""
        found[one.option_id] = f"{_KINDS[one.kind]}{number}"
    return found


def agent_question_lines(question: AgentQuestion, room: Room) -> Iterator[SheetLine]:
    """The whole content of the dialog, for a sheet of so many columns."""
    indent, request = room.indent, question.request
    calls_itself = question.calls_itself
    itself: tuple[Piece, ...] = (
        (("   calls itself ", "dim"), *quoted(calls_itself)) if calls_itself else ()
    )
    yield labelled("agent", indent, (visible(question.agent), "strong"), *itself)
    if question.has_run:
        words = "This call reached the server already: the answer cannot stop it."
        yield labelled("", indent, (f"▲ {words}", "error"))
    yield from _own_words(request, indent)
    yield from _naming_lines(question, indent)
    yield SheetLine()
    yield from _argument_lines(question)
    yield SheetLine()
    yield from _tool_lines(question, room)
    yield from _decision_lines(question, indent)
    yield from _option_lines(request, indent)


def _own_words(request: PermissionRequest, indent: int) -> Iterator[SheetLine]:
    title = text_of(request.tool_call, "title")
    kind = text_of(request.tool_call, "kind")
    pieces = quoted(title, TITLE_LIMIT) if title else (("(no title)", "dim"),)
    aside: tuple[Piece, ...] = ((f"kind {visible(cut(kind, 40).text)}", "dim"),) if kind else ()
    yield labelled("asks", indent, *pieces, aside=aside, exact="  " in title)
    text = "\n".join(texts_of(request.tool_call))
    short = cut(text, TEXT_LIMIT)
    for pieces in text_lines(short.text) if text else ():
        yield labelled("", indent, *pieces, gutter=True, exact=True)
    if short.is_cut:
        yield labelled("", indent, (short.notice, "noticed"))
    if request.dropped:
        words = f"{count(request.dropped, 'answer')} of the agent left out: invalid, or too many"
        yield labelled("", indent, (f"▲ {words}", "noticed"))


def _naming_lines(question: AgentQuestion, indent: int) -> Iterator[SheetLine]:
    naming = question.naming
    if naming.tool is None or naming.place is None:
        words = "▲ The request does not name a tool of the MCP server."
        if not question.is_listed:
            words = "▲ Not known: the tools of the MCP server were not listed yet."
        yield labelled("names", indent, (words, "warning"))
        return
    name = quoted(naming.tool)
    where = _PLACES[naming.place]
    if naming.is_named:
        yield labelled("names", indent, *name, (f" {where}", "dim"))
        return
    yield labelled("names", indent, ("▲ The request does not name the tool. ", "warning"))
    yield labelled("", indent, ("Recognised: ", ""), *name, (f" {where}", "dim"))


def _argument_lines(question: AgentQuestion) -> Iterator[SheetLine]:
    naming = question.naming
    if naming.arguments is None:
        yield SheetLine(
            (
                ("Arguments  ", "strong"),
                ("▲ neither the request nor an update shows any", "warning"),
            )
        )
    else:
        shown: Piece = ("as the request shows them", "dim")
        if not naming.shows_arguments:
            shown = ("▲ not in the request: from an earlier update", "warning")
        yield SheetLine((("Arguments  ", "strong"), shown))
        yield from json_lines(naming.arguments)
    if question.has_run:
        yield SheetLine((("Sent       ", "strong"), ("what reached the server", "dim")))
        yield from json_lines(question.ran)


def json_lines(value: JsonValue) -> Iterator[SheetLine]:
    """A value as lines of JSON behind the gutter."""
    for pieces in pretty_spans(value):
        yield SheetLine(pieces_of(pieces), gutter=True, exact=True)


def _tool_lines(question: AgentQuestion, room: Room) -> Iterator[SheetLine]:
    tool, indent = question.tool, room.indent
    yield labelled("server", indent, (visible(question.server), "strong"))
    if tool is None:
        yield labelled("tool", indent, (DECLARES_NO_TOOL, "warning"))
        return
    yield tool_line(tool, indent)
    findings, more = noticed_in(tool, room.is_roomy)
    yield from finding_lines(findings, more, indent)
    yield labelled("hints", indent, *claimed(tool))
    yield labelled("", indent, (tool.effect.meaning, ""))
    yield from description_lines(tool, room)


def _decision_lines(question: AgentQuestion, indent: int) -> Iterator[SheetLine]:
    for at, (word, titles) in enumerate(question.decisions.items()):
        names = ", ".join(map(visible, titles))
        yield labelled("" if at else "hosts", indent, (f"{word}: ", "strong"), (names, ""))


def _option_lines(request: PermissionRequest, indent: int) -> Iterator[SheetLine]:
    words = option_words(request.options)
    for at, one in enumerate(request.options):
        own = f"{words[one.option_id]}: "
        lasts = "  kept by the agent" if one.lasts else ""
        label = "" if at else "answers"
        yield labelled(label, indent, (own, "strong"), *quoted(one.name), (lasts, "dim"))
    if not request.options:
        yield labelled("answers", indent, ("▲ the agent offers none: cancel only", "warning"))
