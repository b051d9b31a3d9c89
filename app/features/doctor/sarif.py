"""The report of doctor as SARIF: a rule for each code, a result for each finding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import quote

from ...cli.output.printing import Hiding
from ...engine.all_findings import LocatedFinding
from ...engine.engine import Engine
from ...presentation.sarif import sarif_log, sarif_run
from ...protocol.findings.codes import meaning_of
from ...protocol.findings.findings import Severity
from ...protocol.findings.spec_sections import MODERN, section_behind

_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def doctor_sarif(
    engine: Engine, hiding: Hiding, seen: Sequence[LocatedFinding], status: int
) -> dict[str, Any]:
    """A log with one run. A finding has the server as its place, and its subject in it."""
    codes = list(dict.fromkeys(one.finding.code for one in seen))
    name = hiding.text(engine.server.name)
    run = sarif_run(
        [_rule(code, engine.server.version or MODERN) for code in codes],
        [_result(one, codes.index(one.finding.code), name, hiding) for one in seen],
        source=name,
        tools=len(engine.tools),
        status=status,
    )
    return sarif_log([run])


def _rule(code: str, version: str) -> dict[str, Any]:
    rule: dict[str, Any] = {"id": code, "shortDescription": {"text": meaning_of(code)}}
    if (section := section_behind(code, version)) is not None:
        rule["helpUri"] = section.url
    return rule


def _result(one: LocatedFinding, rule: int, name: str, hiding: Hiding) -> dict[str, Any]:
    return {
        "ruleId": one.finding.code,
        "ruleIndex": rule,
        "level": _LEVELS[one.finding.severity],
        "message": {"text": hiding.text(one.finding.message)},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": {"uri": quote(name, safe="")}},
                "logicalLocations": [{"name": hiding.text(one.where), "kind": "object"}],
            }
        ],
    }
