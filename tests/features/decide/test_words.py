"""The outputs of `signoff decide`, and that nothing a server wrote is acted on in any of them."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from signoff.app.approval.draft_effects import effects_of
from signoff.app.approval.draft_tools import DraftSubject
from signoff.app.approval.policies.policy_text import built_ins
from signoff.app.content.text import visible
from signoff.app.features.decide.baseline import baseline_of
from signoff.app.features.decide.changes import ChangeKind, compare
from signoff.app.features.decide.decisions import decision_of
from signoff.app.features.decide.lines import report_lines
from signoff.app.features.decide.page import (
    LONGEST_COMMENT,
    badge_json,
    comment_markdown,
    marker,
    report_page,
)
from signoff.app.features.decide.reports import report_json, report_junit, report_sarif
from signoff.app.features.decide.words import Report
from signoff.app.presentation.report_pages import page_html, page_markdown
from signoff.app.protocol.clients.session import ClientProblem
from signoff.app.protocol.clients.table import rules
from signoff.app.protocol.extensions.on_tools import with_drafts
from signoff.app.protocol.extensions.register import EXTENSIONS
from signoff.app.protocol.tool_reading import read_tools
from tests.approved import approved
from tests.decision_cases import KEPT, columns, decide, entry
from tests.features.lint.test_lint_formats import check_sarif
from tests.features.matrix.test_matrix import HOSTILE

PROSE = approved("decide")
READS = entry("read_file", readOnly=True, openWorld=False)
DROPS = entry("delete_file", readOnly=False, destructive=True, openWorld=False)
SILENT = entry("list_items")
ADDS = entry("delete_file", readOnly=False, destructive=False, openWorld=False)


def report(
    old: list[Any] | None,
    new: list[Any],
    failing: tuple[ChangeKind, ...] = (),
    mask: Callable[[str], str] = str,
    **given: Any,
) -> Report:
    decisions = decide(*new, **given)
    difference = None if old is None else compare(baseline_of(decide(*old)), decisions)
    file = "" if old is None else "decisions.txt"
    return Report("files", decisions, difference, file, frozenset(failing), mask)


def lines(one: Report) -> str:
    return "\n".join(line for line, _ in report_lines(one))


def test_without_a_baseline_the_decisions_are_listed() -> None:
    PROSE.holds("decisions", lines(report(None, [READS, DROPS, SILENT])))


def test_a_change_of_one_hint_is_a_sentence_with_its_rule_and_the_way_back() -> None:
    one = report([READS, DROPS, SILENT], [READS, ADDS, SILENT], (ChangeKind.STOPS_ASKING,))
    PROSE.holds("a hint changed", lines(one))
    assert one.failed == (ChangeKind.STOPS_ASKING,)


def test_a_hint_that_is_added_or_removed_has_every_kind_of_sentence() -> None:
    declared = entry("list_items", readOnly=True)
    one = report([READS, SILENT], [entry("read_file", openWorld=False), declared])
    PROSE.holds("hints added and removed", lines(one))


def test_a_description_alone_is_one_line() -> None:
    changed = entry("delete_file", "Other", readOnly=False, destructive=True, openWorld=False)
    one = report([READS, DROPS], [READS, changed], tuple(ChangeKind))
    PROSE.holds("a description changed", lines(one))
    assert one.failed == ()


def test_new_gone_and_lost_have_sentences() -> None:
    problem = ClientProblem(
        next(one for one in rules().values() if one.lost_in), "tool b", "$.title"
    )
    lost = (replace(KEPT[0], takes=False, problem=problem), KEPT[1])
    other = entry("list_items", "Lists")
    PROSE.holds("new, gone and lost", lines(report([READS], [other], libraries=lost)))
    PROSE.holds("lost, without a baseline", lines(report(None, [READS], libraries=lost)))
    found = compare(baseline_of(decide(READS, libraries=lost)), decide(READS))
    again = Report("files", decide(READS), found, "decisions.txt", frozenset(), str)
    PROSE.holds("taken again", lines(again))


def test_a_tool_with_another_name_is_one_sentence() -> None:
    back = entry("tidy", readOnly=True, openWorld=False)
    PROSE.holds("renamed, and stops asking", lines(report([READS, DROPS], [READS, back])))
    moved = report(
        [READS, DROPS], [READS, {**DROPS, "name": "drop\x1b[1m_file"}], tuple(ChangeKind)
    )
    PROSE.holds("renamed", lines(moved))
    assert moved.failed == (ChangeKind.RENAMED,)
    assert json.loads(badge_json(moved))["color"] == "yellow"
    for made in outputs(moved):
        assert "\x1b" not in made


def test_a_response_that_no_longer_asks_and_a_doubt_have_sentences() -> None:
    before, after = entry("a", readOnly=True, openWorld=True), entry("a", readOnly=True)
    PROSE.holds("a response no longer asks", lines(report([before], [after])))
    PROSE.holds("hints together", lines(report([ADDS], [entry("delete_file")])))


def test_a_baseline_that_contradicts_itself_is_told_everywhere() -> None:
    decisions = decide(DROPS, hosts=("vscode", "codex"))
    baseline = baseline_of(decide(DROPS, hosts=("vscode", "zed")))
    tool = baseline.tools[0]
    edited = replace(baseline, tools=(replace(tool, decisions=(decision_of("runs"),) * 2),))
    one = Report(
        "files", decisions, compare(edited, decisions), "d.txt", frozenset(ChangeKind), str
    )
    PROSE.holds("a baseline edited by hand", lines(one))
    PROSE.holds("a comment on a baseline edited by hand", comment_markdown(one))
    assert one.failed == (ChangeKind.OTHER,)
    for made in outputs(one):
        assert "own hints give" in made


def test_a_default_that_is_no_longer_declared_is_one_line() -> None:
    one = report([DROPS], [entry("delete_file", readOnly=False, openWorld=False)])
    words = "delete_file: destructiveHint is no longer declared; the default is true"
    assert words in lines(one)
    assert words.replace("_", "&#95;") in page_markdown(report_page(one))
    assert comment_markdown(one) == ""


def test_the_comment_is_empty_unless_a_decision_changes() -> None:
    assert comment_markdown(report(None, [DROPS])) == ""
    assert comment_markdown(report([DROPS], [entry("delete_file", "x", destructive=True)])) == (
        comment_markdown(report([DROPS], [DROPS]))
    )
    PROSE.holds("comment", comment_markdown(report([READS, DROPS], [READS, ADDS])))


def test_a_comment_begins_with_a_marker_of_its_baseline_and_is_bounded() -> None:
    many = [entry(f"tool_{at}") for at in range(400)]
    body = comment_markdown(report([], many))
    assert body.startswith("<!-- signoff-decide decisions.txt -->\n")
    assert len(body) <= LONGEST_COMMENT
    assert "The rest is in the summary of the job." in body
    wide = [entry(f"{'ü' * 80}{at}") for at in range(400)]
    body = comment_markdown(report([], wide))
    assert LONGEST_COMMENT - 2_000 < len(body.encode()) <= LONGEST_COMMENT
    assert marker("a --> <b>--.txt").count("-->") == 1


def test_the_badge_counts_hosts_that_ask_before_harm() -> None:
    badge = json.loads(badge_json(report(None, [DROPS])))
    assert (badge["schemaVersion"], badge["message"]) == (1, "10 of 12 hosts")
    assert badge["color"] == "yellow"
    badge = json.loads(badge_json(report(None, [DROPS], hosts=("vscode", "cursor"))))
    assert (badge["message"], badge["color"]) == ("2 of 2 hosts", "brightgreen")
    badge = json.loads(badge_json(report(None, [DROPS], hosts=("vscode", "vscode:full-access"))))
    assert (badge["message"], badge["color"]) == ("1 of 2 hosts", "yellow")
    assert "nothing" in json.loads(badge_json(report(None, [READS])))["message"]


def test_sarif_has_a_place_in_the_baseline_for_each_difference() -> None:
    one = report([READS, DROPS], [READS, ADDS, SILENT], (ChangeKind.STOPS_ASKING,))
    log = json.loads(json.dumps(report_sarif(one, 4)))
    check_sarif(log)
    results = log["runs"][0]["results"]
    assert {result["ruleId"]: result["level"] for result in results} == {
        "stops-asking": "error",
        "new": "note",
    }
    place = results[0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "decisions.txt"
    assert place["region"]["startLine"] >= 1


def test_junit_fails_for_the_kinds_of_fail_on() -> None:
    one = report([READS, DROPS], [READS, ADDS, SILENT], (ChangeKind.STOPS_ASKING,))
    root = ElementTree.fromstring(report_junit(one).encode())
    assert (root.get("tests"), root.get("failures")) == ("2", "1")
    assert [case.get("name") for case in root.iter("testcase")] == ["delete_file", "list_items"]
    nothing = ElementTree.fromstring(report_junit(report([READS], [READS])).encode())
    assert (nothing.get("tests"), nothing.get("failures")) == ("1", "0")


def test_json_has_every_decision_and_every_change() -> None:
    one = report([READS, DROPS], [READS, ADDS, SILENT], (ChangeKind.STOPS_ASKING,))
    whole = json.loads(json.dumps(report_json(one, 4)))
    assert whole["failed"] == ["stops-asking"]
    assert len(whole["tools"]) == 3
    assert all(len(tool["decisions"]) == 12 for tool in whole["tools"])
    change = whole["difference"]["changes"][0]
    assert change["hints"] == {"destructiveHint": {"before": True, "after": False}}
    assert change["ways_back"] == [{"destructiveHint": True}]
    assert whole["difference"]["counts"] == {"stops-asking": 1, "new": 1}


def test_a_secret_in_a_name_is_masked_everywhere() -> None:
    secret = entry("tool_hunter2")
    one = report([], [secret], mask=lambda text: text.replace("hunter2", "****"))
    for made in outputs(one):
        assert "hunter2" not in made
        assert "****" in made.replace("&#42;", "*")


def outputs(one: Report) -> tuple[str, ...]:
    return (
        lines(one),
        comment_markdown(one),
        page_markdown(report_page(one)),
        page_html(report_page(one)),
        report_junit(one),
        json.dumps(report_sarif(one, 0), ensure_ascii=False),
        json.dumps(report_json(one, 0), ensure_ascii=False),
    )


NAMES = st.sampled_from([*HOSTILE, "@org/team", "#12", "https://e.org", "www.e.org"]) | st.text(
    max_size=30
)


@pytest.mark.parametrize("is_new", [True, False])
@example("@org/team #12 www.e.org https://e.org")
@given(NAMES)
def test_nothing_in_a_name_is_acted_on(is_new: bool, name: str) -> None:
    tool, other = entry(name, readOnly=True), entry(name)
    one = report([] if is_new else [tool], [other])
    for line in lines(one).split("\n"):
        assert visible(line, max_blanks=10_000) == line
    ElementTree.fromstring(report_junit(one).encode())
    page = page_html(report_page(one))
    assert set(re.findall(r"<([a-z0-9]+)", page)) <= ALLOWED
    parser = MarkdownIt("gfm-like", {"linkify": True})
    for body in (comment_markdown(one), page_markdown(report_page(one))):
        found = [token for block in parser.parse(body) for token in (block.children or [block])]
        assert {token.type for token in found} <= TOKENS
        assert all(token.content in HTML for token in found if token.type.startswith("html"))
        rendered = parser.render(body).replace("&#", "")
        assert "@" not in rendered
        assert "#" not in rendered


ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "strong", "div", "ul"),
    *("li", "table", "thead", "tbody", "tr", "th", "td", "br", "code"),
}
HTML = (
    "<!-- signoff-decide decisions.txt -->\n",
    "<details><summary>All decisions</summary>\n",
    "</details>\n",
)
TOKENS = {
    *("html_block", "heading_open", "heading_close", "text", "paragraph_open", "softbreak"),
    *("paragraph_close", "bullet_list_open", "bullet_list_close", "list_item_open"),
    *("list_item_close", "strong_open", "strong_close", "em_open", "em_close", "code_inline"),
    "text_special",
}


def marked(name: str, **hints: Any) -> Any:
    meta = {"io.modelcontextprotocol/tool-resolution": {"resolvable": True}}
    return {**entry(name, **hints), "_meta": meta}


def test_with_tool_resolution_it_has_the_most_that_hosts_could_run() -> None:
    decisions = decide(marked("manage", destructive=True), DROPS)
    assert report_json(replace(report(None, []), decisions=decisions), 0)["if_resolved"] is None
    using = replace(report(None, []), decisions=replace(decisions, is_resolving=True))
    found = report_json(using, 0)["if_resolved"]
    assert found["tools"] == ["manage"]
    assert "VS Code" in found["hosts_that_could_run"]
    assert "Cursor" not in found["hosts_that_could_run"]


def with_drafts_on(*entries: Any, mask: Callable[[str], str] = str) -> Report:
    """The report on a server that uses each draft that it can declare."""
    drafts = frozenset(EXTENSIONS)
    tools = with_drafts(read_tools(list(entries)), drafts)
    declared: Any = {"extensions": {one.identifier: {} for one in EXTENSIONS.values()}}
    hosts = columns(("vscode", "cursor", "gemini-cli"))
    subject = DraftSubject(tools, drafts, declared, True, (*hosts, *built_ins()))
    decisions = decide(*entries, hosts=("vscode", "cursor", "gemini-cli"))
    return Report("files", replace(decisions, drafts=effects_of(subject)), None, "", NONE, mask)


NONE: frozenset[ChangeKind] = frozenset()
PAYS = {
    **entry("send_invoice", readOnly=False, destructive=True, openWorld=True),
    "_meta": {
        "io.modelcontextprotocol/action-metadata": {"outcome": "benign", "requiresReview": True},
        "io.modelcontextprotocol/display-templates": {"template": "send {to}"},
        "io.modelcontextprotocol/tool-resolution": {"resolvable": True},
    },
}
ASKS_IN_WORDS = entry("publish_post", "Requires approval by the user.", readOnly=True)


def test_each_draft_has_its_gains_and_losses() -> None:
    one = with_drafts_on(PAYS, READS, ASKS_IN_WORDS)
    text = lines(one)
    PROSE.holds("gains and losses", text[text.index("draft ") :])
    found = report_json(one, 0)["drafts"]
    assert [draft["name"] for draft in found] == list(EXTENSIONS)
    asked = {
        effect["words"]: {tool["name"]: tool["decisions"] for tool in effect["tools"]}
        for effect in found[-1]["gains"]
    }
    reviewed = asked["each call asks by `requiresReview`, as its description requires"]
    change = {"policy": "cautious", "now": "run", "then": "ask"}
    assert change in reviewed["publish_post"]


def test_gains_and_losses_are_in_every_output_and_masked() -> None:
    secret = {**ASKS_IN_WORDS, "name": "send_hunter2"}
    one = with_drafts_on(secret, READS, mask=lambda text: text.replace("hunter2", "****"))
    check_sarif(json.loads(json.dumps(report_sarif(one, 0))))
    assert not ElementTree.fromstring(report_junit(one).encode()).findall(".//failure")
    for made in outputs(one):
        assert "hunter2" not in made
        if made:
            assert "trust-annotations" in made


def test_without_drafts_no_output_has_a_word_of_them() -> None:
    for made in outputs(report(None, [PAYS])):
        assert "draft" not in made
