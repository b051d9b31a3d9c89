"""Findings of a command as SARIF (OASIS SARIF 2.1.0): rules, results and their places."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from typing import Any, Final
from urllib.parse import quote

from .. import __version__
from ..content.frozen import frozen
from ..content.text import visible
from .escapes import unlinked
from .junit import Ending, TestCase, TestSuite

SARIF_SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

_LINK_MARKS: Final = re.compile(r"[\\\[\]]")


@frozen
class SarifRule:
    """What several results have in common; empty texts are left out."""

    code: str
    title: str
    why: str = ""
    fix: str = ""
    level: str = ""
    """Of its results by default."""
    url: str = ""


@frozen
class SarifResult:
    """One finding, safe to show; `level` is error, warning or note."""

    rule: SarifRule
    level: str
    message: str
    subject: str = ""
    """The tool or the like that it is about."""
    kind: str = "function"
    whole: str = ""
    """The subject with the place in it."""
    file: str = ""
    """The path of the file that has the subject, or a text in its place."""
    line: int = 0
    same: tuple[str, ...] = ()
    """By these texts the same finding is known again in a later run."""


def sarif_log(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A log of these runs."""
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": list(runs)}


def sarif_run(
    command: str, found: Sequence[SarifResult], *, source: str, tools: int, status: int
) -> dict[str, Any]:
    """One run of a command that ended with an exit status, on a source with a number of tools."""
    rules = list({one.rule.code: one.rule for one in found}.values())
    places = {rule.code: at for at, rule in enumerate(rules)}
    described = [_rule(one) for one in rules]
    driver = {"name": "Signoff", "semanticVersion": __version__, "rules": described}
    return {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "exitCode": status}],
        "results": [_result(command, one, places[one.rule.code]) for one in found],
        "properties": {"source": source, "tools": tools},
    }


def suites_sarif(
    command: str,
    suites: Sequence[TestSuite],
    mask: Callable[[str], str] = str,
    *,
    tools: int,
    status: int,
) -> dict[str, Any]:
    """The cases that failed, of a command whose findings have no places in a file: a log."""
    runs = []
    for suite in suites:
        failed = [one for one in suite.cases if one.ending in (Ending.FAILED, Ending.ERROR)]
        found = [_of_case(command, one, mask(suite.name), mask) for one in failed]
        source = visible(mask(suite.name))
        runs.append(sarif_run(command, found, source=source, tools=tools, status=status))
    return sarif_log(runs)


def _of_case(command: str, one: TestCase, source: str, mask: Callable[[str], str]) -> SarifResult:
    code, name, message = one.kind or command, mask(one.name), mask(one.message)
    return SarifResult(
        SarifRule(visible(mask(code)), f"signoff {command}: {visible(mask(code))}", level="error"),
        "error",
        f"{name}: {message}",
        visible(name),
        "object",
        file=(one.file and file_uri(one.file)) or quote(visible(source), safe=""),
        line=one.line,
        same=(name, message),
    )


def file_uri(path: str) -> str:
    """The path of a file as a relative address."""
    return quote(path.replace("\\", "/").encode("utf-8", "surrogateescape"))


def _rule(rule: SarifRule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "shortDescription": {"text": rule.title},
        **({"fullDescription": {"text": rule.why}} if rule.why else {}),
        **({"help": {"text": rule.fix}} if rule.fix else {}),
        **({"defaultConfiguration": {"level": rule.level}} if rule.level else {}),
        **({"helpUri": rule.url} if rule.url else {}),
    }


def _result(command: str, one: SarifResult, rule_index: int) -> dict[str, Any]:
    location = _location(one)
    same = "\x00".join((one.rule.code, *one.same)).encode("utf-8", "surrogatepass")
    return {
        "ruleId": one.rule.code,
        "ruleIndex": rule_index,
        "level": one.level,
        "message": {"text": _without_links(one.message)},
        **({"locations": [location]} if location else {}),
        "partialFingerprints": {f"signoff{command.title()}/v1": hashlib.sha256(same).hexdigest()},
    }


def _location(one: SarifResult) -> dict[str, Any]:
    location: dict[str, Any] = {}
    if one.file:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": one.file},
            **({"region": {"startLine": one.line}} if one.line else {}),
        }
    if one.subject:
        named = {"fullyQualifiedName": one.whole} if one.whole else {}
        location["logicalLocations"] = [{"name": one.subject, **named, "kind": one.kind}]
    return location


def _without_links(message: str) -> str:
    """A message that has no links: brackets in it are escaped (section 3.11.6)."""
    return _LINK_MARKS.sub(r"\\\g<0>", unlinked(visible(message)))
