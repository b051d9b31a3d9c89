"""What came of flows as one page of HTML: no script, nothing fetched, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...content.html import PAGE_END, page_block, page_head, page_text
from ...content.text import seconds
from ..results import (
    Check,
    FlowResult,
    Status,
    StepResult,
    totals,
)
from .readable_report import WORDS

_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1c2128; --paper: #fff; --dim: #57606a; --line: #d0d7de;
  --bad: #a40e26; --good: #1a6b33; --box: #f6f8fa; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --dim: #8d96a0;
  --line: #30363d; --bad: #ff9492; --good: #7ee2a0; --box: #161b22; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .3rem; overflow-wrap: anywhere; }
summary { cursor: pointer; padding: .25rem .3rem; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; }
summary small, p { color: var(--dim); }
b.failed { color: var(--bad); } b.passed { color: var(--good); } b.idle { color: var(--dim); }
table { border-collapse: collapse; width: 100%; table-layout: fixed; margin: .6rem 0; }
th, td { text-align: left; vertical-align: top; padding: .25rem .5rem; overflow-wrap: anywhere;
  border-bottom: 1px solid var(--line); }
th:first-child { width: 11rem; }
pre { background: var(--box); border: 1px solid var(--line); padding: .6rem; overflow: auto;
  white-space: pre-wrap; overflow-wrap: anywhere; }
"""
_CLASSES: Final = {Status.PASSED: "passed", Status.FAILED: "failed", Status.NOT_RUN: "idle"}


def html_page(results: tuple[FlowResult, ...], took: float) -> str:
    """The whole page."""
    return "\n".join(_page(results, took)) + "\n"


def _page(results: tuple[FlowResult, ...], took: float) -> Iterator[str]:
    failed = any(one.status is Status.FAILED for one in results)
    title = f"Flows: {'failed' if failed else 'passed'}"
    yield from page_head(title, _STYLE)
    yield f"<h1>{title}</h1>"
    yield f"<p>{page_text(totals(results))} in {page_text(seconds(took))}. Secrets are masked.</p>"
    for one in results:
        yield from _flow(one)
    yield from PAGE_END


def _flow(result: FlowResult) -> Iterator[str]:
    title = f" &nbsp; {page_text(result.title)}" if result.title else ""
    yield f"<h2>{page_text(result.file)}{title}</h2>"
    person = f", person {page_text(result.person)}" if result.person else ""
    rules = f"{page_text(result.server)}, {page_text(result.rules)}{person}"
    yield f"<p>{rules}; {seconds(result.seconds)}</p>"
    if result.unreachable:
        yield f"<pre>{page_block(result.unreachable)}</pre>"
    for step in result.steps:
        yield from _step(step)
    if result.findings:
        yield f"<pre>{page_block(chr(10).join(result.findings))}</pre>"


def _step(step: StepResult) -> Iterator[str]:
    is_open = " open" if step.status is Status.FAILED else ""
    facts = [*step.facts, *([step.proof.words] if step.proof is not None else [])]
    if step.status is Status.NOT_RUN:
        facts = [step.reason]
    if step.earlier:
        facts.append(f"try {step.tries}")
    word = f'<b class="{_CLASSES[step.status]}">{WORDS[step.status]}</b>'
    line = f"line {step.spot.line}, {seconds(step.seconds)}"
    said = f"{page_text(step.title)} <small>{page_text('; '.join(facts))} - {line}</small>"
    yield f"<details{is_open}><summary>{word} {said}</summary>"
    for number, one in enumerate(step.earlier, 1):
        yield f"<p>Try {number} failed:</p>"
        yield from _told(one)
    yield from _told(step)
    yield "</details>"


def _told(step: StepResult) -> Iterator[str]:
    if step.checks:
        yield "<table><tr><th>what</th><th>expected</th><th>seen</th></tr>"
        yield from (_row(one) for one in step.checks)
        yield "</table>"
    if step.dialog:
        yield f"<p>The dialog said:</p><pre>{page_block(chr(10).join(step.dialog))}</pre>"
    if step.wire:
        lines = "\n".join(f"{one.row}\n  {one.message}" for one in step.wire)
        yield f"<p>The wire of this step:</p><pre>{page_block(lines)}</pre>"
    elif step.status is Status.FAILED:
        yield "<p>Nothing went over the wire meanwhile.</p>"


def _row(one: Check) -> str:
    status = Status.PASSED if one.passed else Status.FAILED
    name = f'<b class="{_CLASSES[status]}">{WORDS[status]}</b> {page_text(one.name)}'
    expected, seen = page_block(one.expected), page_block(one.seen)
    return f"<tr><th>{name}</th><td>{expected}</td><td>{seen}</td></tr>"
