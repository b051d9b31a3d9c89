"""The session report: one HTML page without script or remote parts, light and dark, printable.

`session_of` collects an engine's values, `session_page` draws them, `all_findings` lists all
findings with their subjects.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from ...approval.matrix import Cell, Matrix, build_matrix, cell_word, column_title
from ...approval.policies.policy import Policy
from ...calls.call import Call, Outcome
from ...calls.effects.claims import ClaimStatus, ClaimVerdict, Watched, evidence_lines, judge
from ...cli.output.printing import Hiding
from ...content import html
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, pretty
from ...content.labels import stamp
from ...content.text import count, cut
from ...content.texts.facts import Fact
from ...engine.all_findings import all_findings, in_order
from ...engine.engine import Engine
from ...presentation.calls import facts as call_facts
from ...presentation.calls import outcome_words
from ...presentation.pages import VERDICT_CLASSES
from ...presentation.server import facts as server_facts
from ...protocol.findings.findings import Finding, Severity, facts
from ...protocol.hints import Claim, Effect
from ...protocol.server import Server
from ...protocol.tool import ToolDefinition
from ...storage.auditing.fields import Arguments, look_at

CALLS_MAX = 1_000
"""Calls in the report, the newest; the others are counted."""


@frozen
class Session:
    """One server and what happened on it. `at` is seconds since the epoch."""

    server: Server
    facts: Sequence[Fact]
    """On the server, without secrets."""
    at: float
    tools: Sequence[ToolDefinition]
    calls: Sequence[Call]
    findings: Sequence[tuple[str, Finding]]
    """What each is about, in words that are safe to show, and the finding."""
    matrix: Matrix
    more_calls: int = 0
    """Calls before these, which are not kept."""

    @property
    def evidence(self) -> Mapping[str, tuple[ClaimVerdict, ...]]:
        """Tool -> the verdicts on its hints after all its watched calls."""
        watched: dict[str, list[Call]] = {}
        for call in self.calls:
            if call.evidence is not None and call.tool is not None:
                watched.setdefault(call.tool.name, []).append(call)
        return {tool: _stand(calls) for tool, calls in watched.items()}


def _stand(calls: Sequence[Call]) -> tuple[ClaimVerdict, ...]:
    """The verdicts on the hints of one tool, by all its watched calls.

    Only calls with the same arguments count as repeated, so each set of them is judged by itself.
    """
    newest = calls[-1]
    assert newest.tool is not None
    sets: dict[str, list[Watched]] = {}
    for call in calls:
        if call.evidence is not None:
            of_same = sets.setdefault(call.snapshot.arguments_digest, [])
            of_same.append(Watched(call.evidence, call.outcome is Outcome.OK))
    return _worst(judge(newest.tool.hints, of_same) for of_same in sets.values())


def _worst(verdicts: Iterable[tuple[ClaimVerdict, ...]]) -> tuple[ClaimVerdict, ...]:
    """The strongest verdict on each hint: contradicted before consistent before not exercised."""
    order = list(ClaimStatus)
    return tuple(
        min(of_hint, key=lambda one: order.index(one.standing))
        for of_hint in zip(*verdicts, strict=True)
    )


_STYLE: Final = Path(__file__).with_suffix(".css")
_STANDINGS: Final = {
    ClaimStatus.CONTRADICTED: "bad",
    ClaimStatus.CONSISTENT: "good",
    ClaimStatus.NOT_EXERCISED: "hidden",
}
ARGUMENTS_MAX: Final = 10_000
"""Characters of the arguments of one call."""


def session_page(session: Session) -> str:
    """The whole page."""
    title = f"Signoff report: {session.server.name}"
    return html.page(title, page_style(), session_body(title, session))


def page_style() -> str:
    """The style sheet of a page with sessions."""
    return _STYLE.read_text(encoding="utf-8")


def session_body(title: str, session: Session) -> Iterator[str]:
    """The elements of a session, the first of which is its title."""
    yield html.element("h1", html.text(title))
    yield html.paragraph(summary(session))
    yield from _server(session)
    yield from _tools(session)
    yield from _calls(session)
    yield from _evidence(session.evidence)
    yield from _findings(session)
    yield from _matrix(session)
    yield (
        '<p class="dim">Secrets in arguments and in the command are masked as in the audit log. Of'
        " responses only the outcome is included. Statements of a server about itself are claims,"
        " not facts. No observation proves that a tool never behaves differently.</p>"
    )


def summary(session: Session) -> str:
    """Summarize the session in one line."""
    sent = sum(call.sent for call in session.calls)
    denied = sum(call.outcome is Outcome.DENIED for call in session.calls)
    against = sum(
        one.standing is ClaimStatus.CONTRADICTED
        for verdicts in session.evidence.values()
        for one in verdicts
    )
    parts = [
        count(len(session.tools), "tool"),
        f"{count(len(session.calls) + session.more_calls, 'call')}: {sent} sent, {denied} denied",
        count(len(session.findings), "finding"),
    ]
    parts += [f"{count(against, 'hint')} contradicted by observed effects"] if against else []
    return f"{stamp(session.at)}  {'; '.join(parts)}"


def _server(session: Session) -> Iterator[str]:
    yield "<h2>Server</h2>"
    yield html.facts([(one.label, one.words) for one in session.facts])


def _tools(session: Session) -> Iterator[str]:
    yield "<h2>Tools by effect</h2>"
    for effect in Effect:
        tools = [tool for tool in session.tools if tool.effect is effect]
        if tools:
            words = f"{effect.sign} {effect.value} {len(tools)}: {effect.meaning}"
            yield html.element("h3", html.text(words))
            yield html.table((), map(_tool, tools), is_wide=True)


def _tool(tool: ToolDefinition) -> str:
    claims = ", ".join(
        f"{hint.name} {hint.claim.value}" for hint in tool.hints if hint.claim is not Claim.NOT_SET
    )
    codes = ", ".join(dict.fromkeys(one.code for one in tool.findings))
    texts = (tool.title_shown, claims or "no hints set", codes)
    return html.row([html.code(tool.display_name), *map(html.text, texts)])


def _calls(session: Session) -> Iterator[str]:
    yield "<h2>Approvals and calls</h2>"
    if session.more_calls:
        yield f"<p>The first {session.more_calls:,} calls are not kept.</p>"
    if not session.calls:
        yield "<p>No calls were made.</p>"
    for call in session.calls:
        yield _call(call)


def _call(call: Call) -> str:
    is_good = call.outcome is Outcome.OK
    role = "good" if is_good else "hidden" if not call.sent else "bad"
    look = look_at(call.snapshot, call.request)
    name = html.code(look.conceal(call.request.display_name))
    words = html.word(look.conceal(outcome_words(call)), role)
    return html.details(f"{call.id} {name}\n{words}", _told(call, look))


def _told(call: Call, look: Arguments) -> Iterator[str]:
    yield html.facts([(one.label, look.conceal(one.words)) for one in call_facts(call)])
    yield html.quote(_arguments(look.fields))
    if call.findings:
        yield html.facts([(one.code, look.conceal(one.message)) for one in call.findings])
    if call.evidence is not None:
        yield html.quote("\n".join(map(look.conceal, evidence_lines(call))))


def _arguments(fields: Mapping[str, JsonValue]) -> str:
    shown = cut(pretty(dict(fields)), ARGUMENTS_MAX)
    return "\n".join([shown.text, *([shown.notice] if shown.is_cut else [])])


def _evidence(evidence: Mapping[str, tuple[ClaimVerdict, ...]]) -> Iterator[str]:
    if not evidence:
        return
    yield "<h2>Evidence: hints compared with observed effects</h2>"
    yield html.table((), _standings(evidence), is_wide=True)


def _standings(evidence: Mapping[str, tuple[ClaimVerdict, ...]]) -> Iterator[str]:
    for tool, verdicts in evidence.items():
        for one in verdicts:
            if one.claim is Claim.NOT_SET and one.standing is not ClaimStatus.CONTRADICTED:
                continue
            claim = html.text(f"{one.hint} {one.claim.value}")
            standing = html.word(one.standing.value, _STANDINGS[one.standing])
            yield html.row([html.code(cut(tool, 128).text), claim, standing, html.text(one.why)])


def _findings(session: Session) -> Iterator[str]:
    yield "<h2>Findings</h2>"
    if not session.findings:
        yield "<p>No findings.</p>"
        return
    counted = Counter(one.severity for _, one in session.findings)
    words = [count(counted[one], one.value) for one in reversed(Severity) if counted[one]]
    yield html.paragraph(", ".join(words))
    yield html.table((), (_finding(where, one) for where, one in session.findings), is_wide=True)


def _finding(where: str, one: Finding) -> str:
    role = {Severity.ERROR: "bad", Severity.WARNING: "ask"}.get(one.severity, "hidden")
    shown = {fact.label: html.text(fact.words) for fact in facts(one, where)}
    shown |= {"severity": html.word(one.severity.value, role), "code": html.code(one.code)}
    return html.row(list(shown.values()))


def _matrix(session: Session) -> Iterator[str]:
    matrix = session.matrix
    yield "<h2>Verdicts of policies and hosts</h2>"
    yield "<p>From each tool's hints. Two words: untrusted, then trusted.</p>"
    headings = ["", *(html.text(column_title(column)) for column in matrix.columns)]
    rows = (
        html.row([html.code(row.own_tool.display_name), *map(_cell, row.cells)]) for row in matrix
    )
    yield html.table(headings, rows, role="matrix", is_wide=True)


def _cell(cell: Cell) -> str:
    sides = (cell.untrusted, cell.trusted)
    words = dict.fromkeys((cell_word(one), VERDICT_CLASSES[one.answer]) for one in sides)
    return " ".join(html.word(*one) for one in words)


def session_of(engine: Engine, columns: Sequence[Policy]) -> Session:
    """The session as it is now; `columns` are the policies and hosts of its matrix."""
    calls = sorted(engine.calls.values(), key=lambda call: call.id)
    newest = calls[-CALLS_MAX:]
    return Session(
        engine.server,
        server_facts(engine, Hiding(False, engine.server)),
        time.time(),
        engine.tools,
        newest,
        [(one.where, one.finding) for one in in_order(all_findings(engine))],
        build_matrix(engine.tools, tuple(columns), server=engine.server.name),
        more_calls=(newest[0].id - 1 if newest else 0),
    )
