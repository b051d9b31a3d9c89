"""A report of findings as Markdown and HTML: all of the cases is in both, and nothing acts."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from signoff.app.presentation.junit import Ending, TestCase, TestSuite
from signoff.app.presentation.report_pages import (
    Name,
    ReportEntry,
    ReportPage,
    ReportRow,
    ReportSection,
    Strong,
    joined_pages,
    named_entry,
    page_html,
    page_markdown,
    page_of_suites,
)

PIECES = (
    "https://x.example",
    "www.x",
    "@team",
    "a#1",
    "<script>",
    "`",
    "|",
    "](",
    "\n",
    "-",
    "]]>",
)
anything = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)


@given(anything, anything, anything, anything)
def test_nothing_acts(name: str, message: str, words: str, suite: str) -> None:
    case = TestCase("c", name, Ending.FAILED, message=message, words=words)
    page = page_of_suites("doctor", [TestSuite(suite, (case,))])
    text = re.sub(r"&#\d+;", "", page_markdown(page))
    assert not re.search(
        r"[<>`|@#]|\]\(|://|www\.", text.replace("# signoff", "").replace("## ", "")
    )
    assert not re.search(
        r"<(?!/?(?:h1|h2|p|ul|li|strong)\b)", page_html(page).partition("<body>")[2][:-17]
    )


def test_failures_are_first_and_counted() -> None:
    cases = (
        TestCase("c", "one"),
        TestCase("c", "two", Ending.SKIPPED, message="not tried"),
        TestCase("c", "three", Ending.FAILED, message="first line", words="first line\nmore"),
    )
    text = page_markdown(page_of_suites("compat", [TestSuite("s", cases)]))
    assert text == (
        "# signoff compat\n\n3 checks: 1 failed, 1 skipped, 1 passed\n\n## s\n\n"
        "- failed **three**: first line\n  - more\n- skipped **two**: not tried\n- passed **one**\n"
    )


def test_secrets_are_masked_before_anything_is_escaped() -> None:
    entry = named_entry("a_key", "a_key", ("a_key",))
    row = ReportRow(("a_key",), (("a_key",), ("a_key", "a_key")))
    sections = (ReportSection("a_key", (entry,)), ReportSection("a_key", (), rows=(row,)))
    page = ReportPage("a_key", ("a_key", Strong("a_key")), sections, "a_key")
    for write in (page_markdown, page_html):
        text = write(page, lambda words: words.replace("a_key", "hidden"))
        assert text.count("hidden") >= 13
        assert "key" not in text


def test_addresses_of_our_own_stay_links_and_pages_can_be_joined() -> None:
    section = ReportSection("error: x", (), (("Clause", "https://a.example/b"),))
    one = ReportPage("Lint: a", ("1 tool.",), (section,))
    assert joined_pages([one]) is one
    text = page_markdown(joined_pages([one, one]))
    assert text.startswith("# signoff: 2 servers\n")
    assert text.count("*Clause:* https://a.example/b") == 2
    assert text.count("## Lint: a\n\n1 tool.") == 2


def test_rows_are_a_table_in_html_and_a_folded_list_in_markdown() -> None:
    rows = (ReportRow(("a", "b c"), (("none",), ("runs: x", "asks: y"), ())),)
    section = ReportSection("All", heads=("tools", "hints", "decisions", "advice"), rows=rows)
    page = ReportPage("T", ("One.", Strong("Main.")), (section,), "Small.")
    assert page_markdown(page, level=3) == (
        "### T\n\nOne.\n\n**Main.**\n\n<details><summary>All</summary>\n\n"
        "- `a`, b c: none\n  - runs: x\n  - asks: y\n\n</details>\n\n*Small.*\n"
    )
    body = page_html(page)
    assert '<th scope="row"><code>a</code>, <code>b c</code></th><td>none</td>' in body
    assert "<td>runs: x<br>asks: y</td><td></td>" in body
    assert '<p class="dim">Small.</p>' in body


def test_a_sentence_has_names_and_strong_words() -> None:
    entry = ReportEntry(("Today ", Name("drop_file"), " ", Strong("runs"), "."), ("Why.",))
    page = ReportPage("T", (), (ReportSection("S", (entry,)),))
    assert page_markdown(page).endswith("- Today `drop_file` **runs**.\n  - Why.\n")
    assert (
        "<li>Today <code>drop_file</code> <strong>runs</strong>.<ul><li>Why.</li></ul></li>"
        in page_html(page)
    )
