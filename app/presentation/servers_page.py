"""The sessions of several servers as one page: an overview, what they could do together, and each.

A page without script or remote parts, as that of one session. Combinations of tools are also made
as lines and as JSON here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import methodcaller
from typing import Any, Final, TypeAlias

from ..analysis.combinations import Combinations, Part, ServerTool, namesakes, tainted
from ..approval.policies.verdicts import Verdict, VerdictAnswer
from ..content import html
from ..content.frozen import frozen
from ..content.text import count, shortened
from ..content.texts.sheet_line import SheetLine, labelled
from ..engine.report import Session, page_style, session_body

INDENT: Final = 18
MOST: Final = 40
"""Tools that are listed of each part; the others are counted."""
CAUTION: Final = (
    "Guessed from hints, names and parameters: no proof. A tool may do less than its name promises,"
    " or more."
)
TAINTED: Final = "Once a response has brought text from outside, these would ask"
_WHOLE: Final = (
    "Together these tools can read private data, read text from outside, and send data away. Such "
    "a text could make a model do so."
)
_SEVERAL: Final = "No server has all three alone; together they have."

Judge: TypeAlias = Callable[[ServerTool], Verdict]
"""The verdict of a server's policy on one of its tools, as the session is now."""


def combination_lines(found: Combinations, judge: Judge) -> Iterator[SheetLine]:
    """The three parts with their tools and reasons, and what would ask in a tainted session."""
    first, *more = whole_words(found)
    yield SheetLine(((first, "warning" if found.is_whole else ""),))
    yield from (SheetLine(((words, "strong"),)) for words in more)
    for part in Part:
        yield SheetLine()
        yield from _tools(part.value, found.of(part), methodcaller("reason", part))
    yield SheetLine()
    asking = tools_that_would_ask(found, judge)
    yield labelled("what if", INDENT, (f"{TAINTED}:" if asking else _nothing(found), "strong"))
    yield from _tools("", asking, lambda one: f"now: {judge(one).words}")
    yield SheetLine()
    yield SheetLine(((CAUTION, "dim"),))


def whole_words(found: Combinations) -> list[str]:
    """Whether all three parts are there, in a sentence or two."""
    if found.is_whole:
        return [_WHOLE, _SEVERAL] if found.needs_several else [_WHOLE]
    absent = [f"no {part.value.removeprefix('a ')}" for part in Part if not found.of(part)]
    return [f"The three parts are not complete: there is {' and '.join(absent)}."]


def tools_that_would_ask(found: Combinations, judge: Judge) -> list[ServerTool]:
    """The tools that run without a question now, and would ask in a tainted session."""
    return [one for one in tainted(found) if judge(one).answer is VerdictAnswer.ALLOW]


def _nothing(found: Combinations) -> str:
    if not found.of(Part.EXIT):
        return "No tool has a way out."
    return "No change: every tool with a way out asks already, or is refused."


def _tools(
    label: str, tools: Sequence[ServerTool], words: Callable[[ServerTool], str]
) -> Iterator[SheetLine]:
    if label and not tools:
        yield labelled(label, INDENT, ("none", "dim"))
    for at, one in enumerate(tools[:MOST]):
        yield labelled(
            label if not at else "",
            INDENT,
            (one.tool.display_name, "strong"),
            (f" on {shortened(one.server, 60)}: ", ""),
            (words(one), ""),
        )
    if len(tools) > MOST:
        yield labelled("", INDENT, (f"and {count(len(tools) - MOST, 'more tool')}", "dim"))


def combinations_json(found: Combinations, judge: Judge) -> dict[str, Any]:
    """The same as JSON."""
    return {
        "complete": found.is_whole,
        "across_servers": found.needs_several,
        "parts": {
            part.name.lower(): [
                {"server": one.server, "tool": one.tool.name, "reason": one.reason(part)}
                for one in found.of(part)
            ]
            for part in Part
        },
        "after_text_from_outside": [
            {
                "server": one.server,
                "tool": one.tool.name,
                "now": judge(one).answer.value,
                "then": "ask",
            }
            for one in tools_that_would_ask(found, judge)
        ],
        "note": CAUTION,
    }


TITLE = "Signoff report: all servers"


@frozen
class ReportedServer:
    """One server of the page: its session, or why there is none. Texts are safe to show."""

    name: str
    shown: str
    session: Session | None
    problem: str = ""


def servers_page(
    servers: Sequence[ReportedServer], combinations: Combinations, judge: Judge
) -> str:
    """The whole page."""
    return html.page(TITLE, page_style(), _body(servers, combinations, judge))


def _body(
    servers: Sequence[ReportedServer], combinations: Combinations, judge: Judge
) -> Iterator[str]:
    yield html.element("h1", html.text(TITLE))
    yield html.paragraph(pages_summary(servers))
    yield html.table(("server", "command", "tools", "findings"), map(_row, servers), is_wide=True)
    found = [(one.name, one.session.tools) for one in servers if one.session is not None]
    if same := namesakes(found):
        yield "<h2>Tools of the same name</h2>"
        rows = (html.row([html.code(name), html.text(", ".join(on))]) for name, on in same.items())
        yield html.table(("tool", "servers"), rows, is_wide=True)
    yield "<h2>What they could do together</h2>"
    yield from _together(combinations, judge)
    for one in servers:
        if one.session is not None:
            yield from session_body(f"Server {one.name}", one.session)


def _together(combinations: Combinations, judge: Judge) -> Iterator[str]:
    for words in whole_words(combinations):
        yield html.paragraph(words)
    for part in Part:
        tools = combinations.of(part)
        yield html.element("h3", html.text(f"{part.value} ({len(tools)})"))
        yield html.table((), (_tool(one, one.reason(part)) for one in tools), is_wide=True)
    asking = tools_that_would_ask(combinations, judge)
    yield html.element("h3", html.text(f"{TAINTED} ({len(asking)})"))
    yield html.table((), (_tool(one, f"now: {judge(one).words}") for one in asking), is_wide=True)
    yield html.paragraph(CAUTION, "dim")


def _tool(one: ServerTool, words: str) -> str:
    return html.row([html.code(one.tool.display_name), html.text(one.server), html.text(words)])


def pages_summary(servers: Sequence[ReportedServer]) -> str:
    """Count servers, tools and servers without a session."""
    sessions = [one.session for one in servers if one.session is not None]
    parts = [
        count(len(servers), "server"),
        count(sum(len(one.tools) for one in sessions), "tool"),
        count(sum(len(one.findings) for one in sessions), "finding"),
    ]
    if missing := len(servers) - len(sessions):
        parts.append(f"{missing} without a result")
    return "; ".join(parts)


def _row(one: ReportedServer) -> str:
    session = one.session
    numbers = (
        (html.word(one.problem, "bad"), "")
        if session is None
        else (f"{len(session.tools):,}", f"{len(session.findings):,}")
    )
    return html.row([html.text(one.name), html.code(one.shown), *numbers])
