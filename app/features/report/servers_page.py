"""The sessions of several servers as one page: an overview, what they could do together, and each.

A page without script or remote parts, as that of one session. Combinations of tools are also made
as lines and as JSON here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...approval.combinations import CombinationPart, Combinations, ServerTool, namesakes
from ...content import html
from ...content.frozen import frozen
from ...content.text import count
from ...presentation.combinations import CAUTION, TAINTED, Judge, tools_that_would_ask, whole_words
from .page import Session, page_style, session_body

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
    for part in CombinationPart:
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
