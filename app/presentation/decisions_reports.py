"""Decisions of hosts as SARIF 2.1.0 and JUnit XML."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote

from ..analysis.decisions.changes import Kind
from .decisions import Report, Told
from .escapes import xml
from .sarif import sarif_log, sarif_run

KIND_WORDS: Final = {
    Kind.STOPS_ASKING: "A tool runs without a question, and did not before",
    Kind.STARTS_ASKING: "A tool asks, and did not before",
    Kind.HIDDEN: "A tool is hidden from the model now",
    Kind.REFUSED: "A tool is refused now",
    Kind.LOST: "A client library loses the list of tools now",
    Kind.NEW: "A tool is new",
    Kind.GONE: "A tool is gone",
    Kind.OTHER: "A decision changed in another way",
}

HELP: Final = (
    "If the change is intended, write the baseline again with --write-baseline. "
    "If it is not, restore the hint."
)


def report_sarif(report: Report, status: int) -> dict[str, Any]:
    """A log with one run. A difference has its place in the baseline."""
    told = report.told
    kinds = [kind for kind in Kind if any(one.kind is kind for one in told)]
    run = sarif_run(
        [_rule(report, kind) for kind in kinds],
        [_result(report, one, kinds.index(one.kind)) for one in told],
        source=report.server,
        tools=len(report.decisions.rows),
        status=status,
    )
    return sarif_log([run])


def _rule(report: Report, kind: Kind) -> dict[str, Any]:
    words = {"text": f"{KIND_WORDS[kind]}."}
    return {
        "id": kind.value,
        "shortDescription": {"text": KIND_WORDS[kind]},
        "fullDescription": words,
        "help": {"text": HELP},
        "defaultConfiguration": {"level": _level(report, kind)},
    }


def _level(report: Report, kind: Kind) -> str:
    return "error" if kind in report.failing else "note"


def _result(report: Report, one: Told, rule: int) -> dict[str, Any]:
    place = report.file.replace("\\", "/").encode("utf-8", "surrogateescape")
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(place)},
            "region": {"startLine": max(one.line, 1)},
        }
    }
    if one.shown:
        location["logicalLocations"] = [{"name": one.shown, "kind": "function"}]
    advice = f" {one.advice}" if one.advice else ""
    same = "\x00".join((one.kind, one.name or "", one.whole))
    fingerprint = hashlib.sha256(same.encode("utf-8", "surrogatepass")).hexdigest()
    return {
        "ruleId": one.kind.value,
        "ruleIndex": rule,
        "level": _level(report, one.kind),
        "message": {"text": f"{one.whole}{advice}"},
        "locations": [location],
        "partialFingerprints": {"signoffDecide/v1": fingerprint},
    }


def report_junit(report: Report) -> str:
    """One test case for each difference; it fails if `--fail-on` has its kind.

    Without differences there is one case that passes.
    """
    told = report.told
    failures = sum(one.kind in report.failing for one in told)
    numbers = f'tests="{len(told) or 1}" failures="{failures}" errors="0"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="signoff decide" {numbers}>',
        f'  <testsuite name="{xml(report.server)}" {numbers} skipped="0">',
    ]
    if not told:
        summary = xml(report.summary)
        lines.append('    <testcase classname="signoff.decide" name="decisions">')
        lines += [f"      <system-out>{summary}</system-out>", "    </testcase>"]
    for one in told:
        lines += _case(report, one)
    return "\n".join((*lines, "  </testsuite>", "</testsuites>")) + "\n"


def _case(report: Report, one: Told) -> Iterator[str]:
    where = f' file="{xml(report.file)}" line="{one.line}"' if one.line else ""
    name = f'classname="signoff.decide.{one.kind}" name="{xml(one.shown or "the list")}"{where}'
    words = xml("\n".join((one.whole, *one.details, one.advice)).strip())
    yield f"    <testcase {name}>"
    if one.kind in report.failing:
        head = f'type="{one.kind}" message="{xml(one.whole)}"'
        yield f"      <failure {head}>{words}</failure>"
    else:
        yield f"      <system-out>{words}</system-out>"
    yield "    </testcase>"
