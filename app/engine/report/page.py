"""A session as one page of HTML: no script, nothing fetched, light and dark, fit to be printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from ...analysis.evidence.claims import ClaimVerdict, Standing, seen_lines
from ...analysis.matrix.matrix import cell_word, column_title
from ...approval.policies.verdicts import Verdict
from ...calls.call import Call, Outcome
from ...content.html import PAGE_END, page_block, page_head, page_text
from ...content.json.jsonio import JsonValue, pretty
from ...content.labels import stamp
from ...content.text import count, cut, seconds
from ...protocol.findings import Finding, Severity
from ...protocol.hints import Claim, Effect
from ...protocol.tool import ToolDefinition
from ...schemas.schema import Answer as SchemaAnswer
from ...storage.auditing.audit_arguments import look_at
from .session import Session
from .verdict_classes import VERDICT_CLASSES

_STYLE: Final = Path(__file__).with_suffix(".css")
_STANDINGS: Final = {
    Standing.CONTRADICTED: "bad",
    Standing.CONSISTENT: "good",
    Standing.NOT_EXERCISED: "hidden",
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
    """What it comes to, in one line."""
    sent = sum(call.sent for call in session.calls)
    denied = sum(call.outcome is Outcome.DENIED for call in session.calls)
    against = sum(
        one.standing is Standing.CONTRADICTED
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
    name, title = page_text(tool.name_shown), page_text(tool.title_shown)
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
    yield f"{call.id} <code>{page_text(call.request.name_shown)}</code>"
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
            if one.claim is Claim.UNSAID and one.standing is not Standing.CONTRADICTED:
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
        yield f"<tr><td><code>{page_text(row.own_tool.name_shown)}</code></td>{cells}</tr>"
    yield "</tbody></table></div>"


def _cell(untrusted: Verdict, trusted: Verdict) -> str:
    words = [(cell_word(one), VERDICT_CLASSES[one.answer]) for one in (untrusted, trusted)]
    return " ".join(
        f'<span class="word {role}">{page_text(word)}</span>' for word, role in dict.fromkeys(words)
    )
