"""A finding is worded once: line, list, sheet and page have the same words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from signoff.app.protocol.findings.explanations.every import EXPLANATIONS
from signoff.app.protocol.findings.findings import (
    EXPLAINED,
    SIGNS,
    Finding,
    Severity,
    brief,
    facts,
    lines,
    warning,
    words,
)
from signoff.app.tui.text.sections import finding_lines as section_lines
from signoff.widgets.lists.finding_list import finding_lines as listed

FOUND = warning("duplicate-name", "2 tools have this name", "$.name")


def test_a_line_has_all_its_parts() -> None:
    first, *below = lines(FOUND, "tool x", "2025-11-25")
    assert first.plain == "warning  duplicate-name  tool x: 2 tools have this name  $.name"
    assert [one.plain.strip() for one in below] == [
        one.words for one in facts(FOUND, version="2025-11-25") if one.label == "specification"
    ]
    assert brief(FOUND).plain == "▲ 2 tools have this name"


def test_lists_and_pages_have_each_fact() -> None:
    shown = "\n".join(line.plain for line in listed([FOUND], 120))
    page = "\n".join("".join(span.text for span in line) for line in section_lines([FOUND]))
    for fact in facts(FOUND):
        assert fact.words in shown
        assert fact.words in page


def test_a_page_has_the_reason_and_the_fix_of_each_code_once() -> None:
    found = [warning("batch", "one"), warning("batch", "two"), FOUND]
    page = ["".join(span.text for span in line) for line in section_lines(found)]
    one = EXPLANATIONS["batch"]
    assert page.count(f"  why  {one.why}") == page.count(f"  fix  {one.fix}") == 1
    assert page[-1] == EXPLAINED
    assert len(section_lines([])) == 1


@given(st.sampled_from(Severity), st.text(), st.text(), st.text())
def test_nothing_in_it_acts_on_a_terminal(
    severity: Severity, code: str, message: str, path: str
) -> None:
    found = Finding(code, severity, message, path)
    for line in (words(found), brief(found).plain):
        assert line.isprintable()
    assert brief(found).plain.startswith(SIGNS[severity])
