"""What `signoff lint` found, for other programs: Markdown, SARIF 2.1.0, JUnit XML.

Names and texts come from servers: each format gets them through its own escapes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote

from ... import __version__
from ...analysis.lint.rule import Rule
from ...content.text import count, visible
from ...protocol.findings import Severity
from .lint_report import LintReport, Told, alike, grouped

SARIF_SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_ACTIVE: Final = re.compile(r"[^A-Za-z0-9 ,.;:/()'“”\u0080-\U0010ffff-]")
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_XML: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}


def report_markdown(report: LintReport) -> str:
    """A heading, then each rule with the tools that it is about."""
    lines = [
        f"# Lint: {_text(report.source)}",
        "",
        f"{count(report.tools, 'tool')}: {report.summary}.",
    ]
    for first, group in grouped(report.found):
        rule = first.rule
        lines += ["", f"## {first.severity.value}: {rule.code}", "", f"{_text(rule.title)}."]
        lines += ["", _text(rule.why), "", f"*Fix:* {_text(rule.fix)}", ""]
        for one, names in alike(group, report.tools):
            lines.append(f"- **{_text(names)}**: {_text(one.message)}")
            if one.hosts:
                lines.append(f"  - hosts {_text(one.hosts)}")
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    """Text with nothing in it that Markdown acts on."""
    return _ACTIVE.sub(lambda found: f"&#{ord(found.group())};", visible(text))


def report_sarif(report: LintReport) -> dict[str, Any]:
    """A log with one run (OASIS SARIF 2.1.0). A finding in a file has a place in it."""
    rules = list({one.rule.code: one.rule for one in report.found}.values())
    places = {rule.code: at for at, rule in enumerate(rules)}
    driver = {
        "name": "Signoff",
        "semanticVersion": __version__,
        "rules": [_sarif_rule(rule) for rule in rules],
    }
    results = [_sarif_result(report, one, places[one.rule.code]) for one in report.found]
    return {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "invocations": [{"executionSuccessful": True, "exitCode": int(report.status)}],
                "results": results,
                "properties": {"source": report.source, "tools": report.tools},
            }
        ],
    }


def _sarif_rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": rule.fix},
        "defaultConfiguration": {"level": rule.severity.value},
    }


def _sarif_result(report: LintReport, one: Told, rule_index: int) -> dict[str, Any]:
    hosts = f" (hosts {one.hosts})" if one.hosts else ""
    location: dict[str, Any] = {}
    if report.file:
        place = report.file.replace("\\", "/").encode("utf-8", "surrogateescape")
        location["physicalLocation"] = {
            "artifactLocation": {"uri": quote(place)},
            **({"region": {"startLine": one.line}} if one.line else {}),
        }
    if one.tool:
        whole = f"{one.tool}{one.path.removeprefix('$')}"
        location["logicalLocations"] = [
            {"name": one.tool, "fullyQualifiedName": whole, "kind": "function"}
        ]
    same = "\x00".join((one.rule.code, one.name or "", one.path, one.message))
    fingerprint = hashlib.sha256(same.encode("utf-8", "surrogatepass")).hexdigest()
    return {
        "ruleId": one.rule.code,
        "ruleIndex": rule_index,
        "level": one.severity.value,
        "message": {"text": f"{one.about}: {one.message}{hosts}"},
        **({"locations": [location]} if location else {}),
        "partialFingerprints": {"signoffLint/v1": fingerprint},
    }


def report_junit(report: LintReport, *, is_strict: bool) -> str:
    """One test case for each finding; it failed where it would end the command otherwise than well.

    What is no failure is a case that passed, with its words as output. Without findings there is
    one case that passed, so that no reader takes the report for an empty one.
    """
    failing = {Severity.ERROR, Severity.WARNING} if is_strict else {Severity.ERROR}
    failures = sum(one.severity in failing for one in report.found)
    tests = len(report.found) or 1
    numbers = f'tests="{tests}" failures="{failures}" errors="0"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="signoff lint" {numbers}>',
        f'  <testsuite name="{_xml(report.source)}" {numbers} skipped="0">',
    ]
    if not report.found:
        lines.append('    <testcase classname="signoff.lint" name="all rules"/>')
    for one in report.found:
        lines += _junit_case(report, one, is_failure=one.severity in failing)
    return "\n".join((*lines, "  </testsuite>", "</testsuites>")) + "\n"


def _junit_case(report: LintReport, one: Told, *, is_failure: bool) -> Iterator[str]:
    place = f"{one.tool or 'the list'}{one.path.removeprefix('$')}"
    where = f' file="{_xml(report.file)}" line="{one.line}"' if report.file and one.line else ""
    name = f'classname="signoff.lint.{one.rule.code}" name="{_xml(place)}"{where}'
    words = [f"{one.severity.value}: {one.message}", one.rule.why, f"fix: {one.rule.fix}"]
    words += [f"hosts {one.hosts}"] if one.hosts else []
    said = _xml("\n".join(words))
    yield f"    <testcase {name}>"
    if is_failure:
        head = f'type="{one.rule.code}" message="{_xml(one.message)}"'
        yield f"      <failure {head}>{said}</failure>"
    else:
        yield f"      <system-out>{said}</system-out>"
    yield "    </testcase>"


def _xml(text: str) -> str:
    """Text for an element or an attribute, without what XML 1.0 has no room for."""
    plain = _NOT_XML.sub("\ufffd", text)
    return "".join(_XML.get(character, character) for character in plain)
