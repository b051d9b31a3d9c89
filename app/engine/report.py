"""The session report: one HTML page without script or remote parts, light and dark, printable.

`session_of` collects an engine's values, `session_page` draws them, `all_findings` lists all
findings with their subjects.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..analysis.evidence.claims import ClaimStatus, ClaimVerdict, Watched, judge, seen_lines
from ..analysis.matrix.matrix import Matrix, build_matrix, cell_word, column_title
from ..approval.policies.policy import Policy
from ..approval.policies.verdicts import Verdict, VerdictAnswer
from ..calls.call import Call, Outcome
from ..content.html import PAGE_END, page_block, page_head, page_text
from ..content.json.jsonio import JsonValue, pretty
from ..content.labels import stamp
from ..content.text import count, cut, seconds
from ..protocol.findings.findings import Finding, Severity, rank
from ..protocol.hints import Claim, Effect
from ..protocol.resources.offers import Kind
from ..protocol.server import Server
from ..protocol.tool import ToolDefinition
from ..schemas.schema import Answer as SchemaAnswer
from ..schemas.secrets.commands import mask_command
from ..storage.auditing.fields import look_at
from .engine import Engine

CALLS_MAX = 1_000
"""Calls that are told, the newest; the others are counted."""


@dataclass(frozen=True, slots=True)
class Session:
    """One server and what happened on it. `at` is seconds since the epoch."""

    server: Server
    command: str
    """The command line or the URL, without secrets."""
    policy: str
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
        """Tool -> how its hints stand after all its watched calls."""
        watched: dict[str, list[Call]] = {}
        for call in self.calls:
            if call.evidence is not None and call.tool is not None:
                watched.setdefault(call.tool.name, []).append(call)
        return {tool: _stand(calls) for tool, calls in watched.items()}


def _stand(calls: Sequence[Call]) -> tuple[ClaimVerdict, ...]:
    """Calls with other arguments are no repetition, so that each set is judged by itself."""
    newest = calls[-1]
    assert newest.tool is not None
    sets: dict[str, list[Watched]] = {}
    for call in calls:
        if call.evidence is not None:
            of_same = sets.setdefault(call.snapshot.arguments_digest, [])
            of_same.append(Watched(call.evidence, call.outcome is Outcome.OK))
    return _worst(judge(newest.tool.hints, of_same) for of_same in sets.values())


def _worst(verdicts: Iterable[tuple[ClaimVerdict, ...]]) -> tuple[ClaimVerdict, ...]:
    """Of each hint the verdict that says most: contradicted before consistent before nothing."""
    order = ("contradicted", "consistent with what was seen", "not exercised")
    return tuple(
        min(of_hint, key=lambda one: order.index(one.standing.value))
        for of_hint in zip(*verdicts, strict=True)
    )


VERDICT_CLASSES: Final = {
    VerdictAnswer.ALLOW: "run",
    VerdictAnswer.ASK: "ask",
    VerdictAnswer.REFUSE: "refused",
    VerdictAnswer.HIDE: "hidden",
    VerdictAnswer.UNKNOWN: "unknown",
}


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
    parts = [
        *page_head(title, _STYLE.read_text(encoding="utf-8")),
        f"<h1>{page_text(title)}</h1>",
        f"<p>{page_text(summary(session))}</p>",
        *_server(session),
        *_tools(session),
        *_calls(session),
        *_evidence(session.evidence),
        *_findings(session),
        *_matrix(session),
        '<p class="dim">Secrets of arguments and of the command are masked as in the audit log; of'
        " answers only what came of them is told. What a server says of itself is a claim, never a"
        " fact; nothing that was seen proves that a tool never does otherwise.</p>",
        *PAGE_END,
    ]
    return "\n".join(parts) + "\n"


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
    parts += [f"{count(against, 'hint')} contradicted by what was seen"] if against else []
    return f"{stamp(session.at)}  {'; '.join(parts)}"


def _server(session: Session) -> Iterator[str]:
    server = session.server
    rows = [
        ("command", session.command),
        ("calls itself", server.calls_itself or "nothing"),
        ("protocol", server.protocol_words or "not known"),
        ("trust", server.trust.value),
        ("policy", session.policy),
    ]
    yield "<h2>Server</h2>"
    yield from _list(rows)


def _list(rows: list[tuple[str, str]]) -> Iterator[str]:
    yield "<dl>"
    for name, words in rows:
        yield f"<dt>{page_text(name)}</dt><dd>{page_text(words)}</dd>"
    yield "</dl>"


def _tools(session: Session) -> Iterator[str]:
    yield "<h2>Tools by effect</h2>"
    for effect in Effect:
        tools = [tool for tool in session.tools if tool.effect is effect]
        if tools:
            words = f"{effect.sign} {effect.value} {len(tools)}: {effect.meaning}"
            yield f"<h3>{page_text(words)}</h3>"
            yield '<div class="wide"><table><tbody>'
            for tool in tools:
                yield _tool(tool)
            yield "</tbody></table></div>"


def _tool(tool: ToolDefinition) -> str:
    claims = ", ".join(
        f"{hint.name} {hint.claim.value}" for hint in tool.hints if hint.claim is not Claim.UNSAID
    )
    codes = ", ".join(dict.fromkeys(one.code for one in tool.findings))
    name, title = page_text(tool.display_name), page_text(tool.title_shown)
    return (
        f"<tr><td><code>{name}</code></td><td>{title}</td>"
        f"<td>{page_text(claims or 'claims nothing')}</td><td>{page_text(codes)}</td></tr>"
    )


def _calls(session: Session) -> Iterator[str]:
    yield "<h2>What was asked, decided and sent</h2>"
    if session.more_calls:
        yield f"<p>The first {session.more_calls:,} calls are not kept.</p>"
    if not session.calls:
        yield "<p>Nothing was called.</p>"
    for call in session.calls:
        yield from _call(call)


def _call(call: Call) -> Iterator[str]:
    is_good = call.outcome is Outcome.OK
    role = "good" if is_good else "hidden" if not call.sent else "bad"
    sent = "" if call.sent else " · nothing was sent"
    yield "<details><summary>"
    yield f"{call.id} <code>{page_text(call.request.display_name)}</code>"
    yield f'<span class="word {role}">{page_text(call.status)}</span>{sent}</summary>'
    look = look_at(call.snapshot, call.request)
    decision = call.decision
    rows = [
        ("effect", f"{call.request.effect.sign} {call.request.effect.value}"),
        ("verdict", "; ".join([call.verdict.words, *call.verdict.reasons])),
        ("rule", f"{call.verdict.rule} ({call.verdict.policy}) {call.verdict.source}".strip()),
    ]
    if decision is not None:
        waited = f" after {seconds(decision.seconds)}" if decision.seconds is not None else ""
        words = f"{decision.answer.value} by {decision.by_words}{waited}"
        rows.append(("decision", f"{words}: {decision.reason}" if decision.reason else words))
    rows.append(("sent", "yes, as it was approved" if call.sent else "no"))
    rows.append(("outcome", f"{call.status}: {look.conceal(call.reason)}".rstrip(": ")))
    if call.schema is not None and call.schema.answer is not SchemaAnswer.NO_SCHEMA:
        rows.append(("structured", call.schema.answer.value))
    if call.sent_at and call.ended_at:
        rows.append(("took", seconds(call.ended_at - call.sent_at)))
    rows.append(("approval", f"sha256 {call.snapshot.digest}"))
    yield from _list(rows)
    yield f"<pre>{_arguments(look.fields)}</pre>"
    if call.findings:
        yield from _list([(one.code, look.conceal(one.message)) for one in call.findings])
    if call.evidence is not None:
        lines = [look.conceal(words) for words in seen_lines(call.evidence)]
        seen = "\n".join(lines) or "no file, program or address was seen"
        yield f"<pre>{page_block(seen)}</pre>"
    yield "</details>"


def _arguments(fields: Mapping[str, JsonValue]) -> str:
    shown = cut(pretty(dict(fields)), ARGUMENTS_MAX)
    return page_block("\n".join([shown.text, *([shown.notice] if shown.is_cut else [])]))


def _evidence(evidence: Mapping[str, tuple[ClaimVerdict, ...]]) -> Iterator[str]:
    if not evidence:
        return
    yield "<h2>Evidence: hints against what was seen</h2>"
    yield '<div class="wide"><table><tbody>'
    for tool, verdicts in evidence.items():
        for one in verdicts:
            if one.claim is Claim.UNSAID and one.standing is not ClaimStatus.CONTRADICTED:
                continue
            word = f'<span class="word {_STANDINGS[one.standing]}">{one.standing.value}</span>'
            name = f"<code>{page_text(cut(tool, 128).text)}</code>"
            claim = page_text(f"{one.hint} {one.claim.value}")
            cells = (name, claim, word, page_text(one.why))
            yield f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
    yield "</tbody></table></div>"


def _findings(session: Session) -> Iterator[str]:
    yield "<h2>Findings</h2>"
    if not session.findings:
        yield "<p>Nothing is odd about it.</p>"
        return
    counted = Counter(one.severity for _, one in session.findings)
    words = [count(counted[one], one.value) for one in reversed(Severity) if counted[one]]
    yield f"<p>{page_text(', '.join(words))}</p>"
    yield '<div class="wide"><table><tbody>'
    for where, one in session.findings:
        yield _finding(where, one)
    yield "</tbody></table></div>"


def _finding(where: str, one: Finding) -> str:
    role = {Severity.ERROR: "bad", Severity.WARNING: "ask"}.get(one.severity, "hidden")
    return (
        f'<tr><td><span class="word {role}">{one.severity.value}</span></td>'
        f"<td><code>{page_text(one.code)}</code></td><td>{page_text(where)}</td>"
        f"<td>{page_text(one.message)}</td></tr>"
    )


def _matrix(session: Session) -> Iterator[str]:
    matrix = session.matrix
    yield "<h2>What policies and hosts would do</h2>"
    yield "<p>Going by what each tool claims; two words: untrusted, then trusted.</p>"
    yield '<div class="wide"><table class="matrix"><thead><tr><td></td>'
    yield "".join(f"<th>{page_text(column_title(column))}</th>" for column in matrix.columns)
    yield "</tr></thead><tbody>"
    for row in matrix:
        cells = "".join(f"<td>{_cell(cell.untrusted, cell.trusted)}</td>" for cell in row.cells)
        yield f"<tr><td><code>{page_text(row.own_tool.display_name)}</code></td>{cells}</tr>"
    yield "</tbody></table></div>"


def _cell(untrusted: Verdict, trusted: Verdict) -> str:
    words = [(cell_word(one), VERDICT_CLASSES[one.answer]) for one in (untrusted, trusted)]
    return " ".join(
        f'<span class="word {role}">{page_text(word)}</span>' for word, role in dict.fromkeys(words)
    )


def session_of(engine: Engine, columns: Sequence[Policy]) -> Session:
    """The session as it is now; `columns` are the policies and hosts of its matrix."""
    calls = sorted(engine.calls.values(), key=lambda call: call.id)
    newest = calls[-CALLS_MAX:]
    return Session(
        engine.server,
        mask_command(engine.server.command),
        engine.policy.name,
        time.time(),
        engine.tools,
        newest,
        [(one.where, one.finding) for one in in_order(all_findings(engine))],
        build_matrix(engine.tools, tuple(columns), server=engine.server.name),
        more_calls=(newest[0].id - 1 if newest else 0),
    )


@dataclass(frozen=True, slots=True)
class LocatedFinding:
    """A finding and its subject, safe to show: `tool NAME`, `the connection`."""

    where: str
    finding: Finding


def all_findings(engine: Engine) -> list[LocatedFinding]:
    """On the connection, the definitions and whatever else the server offers."""
    found = [LocatedFinding("the connection", one) for one in engine.observed.all()]
    found += [LocatedFinding("the lists", one) for one in engine.offers.findings]
    for tool in engine.tools:
        found += [LocatedFinding(f"tool {tool.display_name}", one) for one in tool.findings]
    for kind in Kind:
        for offer in engine.offers.of(kind):
            where = f"{kind.word} {offer.display_name}"
            found += [LocatedFinding(where, one) for one in offer.findings]
    return found


def in_order(found: list[LocatedFinding]) -> list[LocatedFinding]:
    """Those that matter most first."""
    return sorted(found, key=lambda one: -rank(one.finding.severity))
