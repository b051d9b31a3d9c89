"""What a SARIF viewer makes of the text of a server."""

from __future__ import annotations

import pytest

from signoff.app.presentation.junit import Ending, TestCase, TestSuite
from signoff.app.presentation.sarif import SarifResult, SarifRule, file_uri, sarif_run, suites_sarif


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain", "plain"),
        ("[a](https://example.com)", r"\[a\](https:／／example.com)"),
        ("C:\\[x]", r"C:\\\[x\]"),
    ],
)
def test_a_message_has_no_links(text: str, written: str) -> None:
    result = SarifResult(SarifRule("code", "A title"), "note", text)
    run = sarif_run("lint", [result], source="s", tools=1, status=0)
    assert [one["message"]["text"] for one in run["results"]] == [written]


def test_each_rule_stands_once_and_a_finding_is_known_again() -> None:
    first, second = SarifRule("b", "B", url="https://example.com"), SarifRule("a", "A")
    found = [
        SarifResult(first, "error", "one", "tool x", file=file_uri("a b\\c.json"), same=("x",)),
        SarifResult(second, "note", "two"),
        SarifResult(first, "error", "reworded", "tool x", same=("x",)),
    ]
    run = sarif_run("doctor", found, source="s", tools=1, status=4)
    assert [one["id"] for one in run["tool"]["driver"]["rules"]] == ["b", "a"]
    assert [one["ruleIndex"] for one in run["results"]] == [0, 1, 0]
    prints = [one["partialFingerprints"]["signoffDoctor/v1"] for one in run["results"]]
    assert prints[0] == prints[2] != prints[1]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "a%20b/c.json"}}
    assert "locations" not in run["results"][1]


def test_cases_that_failed_are_results_with_the_rule_of_their_kind() -> None:
    cases = (
        TestCase("c", "delete", Ending.FAILED, "asked-undeclared", "ask @team"),
        TestCase("c", "read"),
        TestCase("c", "lost", Ending.ERROR, message="not reached"),
        TestCase("c", "other", Ending.SKIPPED, "kind", "skipped"),
    )
    log = suites_sarif("consent", [TestSuite("my server", cases)], tools=2, status=1)
    (run,) = log["runs"]
    assert [one["ruleId"] for one in run["results"]] == ["asked-undeclared", "consent"]
    assert [one["message"]["text"] for one in run["results"]] == [
        "delete: ask ＠team",
        "lost: not reached",
    ]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "my%20server"}}
