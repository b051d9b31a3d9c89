"""The report of doctor as SARIF: a rule for each code, a result for each finding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from ...cli.output.printing import Hiding
from ...engine.all_findings import LocatedFinding
from ...engine.engine import Engine
from ...presentation.sarif import SarifResult, SarifRule, sarif_log, sarif_run
from ...protocol.findings.codes import meaning_of
from ...protocol.findings.explanations.every import EXPLANATIONS
from ...protocol.findings.findings import reported
from ...protocol.findings.spec_sections import MODERN, section_behind


def doctor_sarif(
    engine: Engine, hiding: Hiding, seen: Sequence[LocatedFinding], status: int
) -> dict[str, Any]:
    """A log with one run. A finding has the server as its place, and its subject in it."""
    name = hiding.text(engine.server.name)
    version = engine.server.version or MODERN
    found = [_result(one, name, hiding, version) for one in seen]
    run = sarif_run("doctor", found, source=name, tools=len(engine.tools), status=status)
    return sarif_log([run])


def _rule(code: str, url: str) -> SarifRule:
    known = EXPLANATIONS.get(code)
    why, fix = ("", "") if known is None else (known.why, known.fix)
    return SarifRule(code, meaning_of(code), why, fix, url=url)


def _result(one: LocatedFinding, name: str, hiding: Hiding, version: str) -> SarifResult:
    finding, where = one.finding, hiding.text(one.where)
    section = section_behind(finding.code, version)
    url = "" if section is None else section.url
    message = hiding.text(reported(finding))
    return SarifResult(
        _rule(finding.code, url),
        finding.severity.value,
        message,
        where,
        "object",
        file=quote(name, safe=""),
        same=(where, finding.path, hiding.text(finding.message)),
    )
