"""The sections that findings cite are sections that the specification has."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from signoff.app.protocol.findings.codes import CODES, OURS
from signoff.app.protocol.findings.codes_of_servers import PAGES
from signoff.app.protocol.findings.explanations import of_drafts
from signoff.app.protocol.findings.spec_sections import FIELDS, SECTIONS, section_behind

HEADINGS = Path(__file__).with_name("spec_headings.txt")
"""The pages of two revisions, each with its headings."""

QUOTED = re.compile("“([^”]+)”")


def headings() -> dict[str, set[str]]:
    found = defaultdict[str, set[str]](set)
    page = ""
    for line in HEADINGS.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            found[page].add(line.strip())
        else:
            page = line
            found[page].add("")
    return found


CITED = sorted(
    {one for by in (SECTIONS, FIELDS) for sections in by.values() for one in sections if one}
)


def test_what_is_cited_is_there() -> None:
    there = headings()
    assert [one for one in CITED if one.heading not in there[one.words]] == []


def test_the_reasons_of_findings_on_drafts_name_sections_of_them() -> None:
    drafts = {
        one for page, found in headings().items() if page.startswith("draft ") for one in found
    }
    named = {one for each in of_drafts.EXPLANATIONS.values() for one in QUOTED.findall(each.why)}
    assert named - drafts == set()
    assert len(named) > 20


@pytest.mark.parametrize("code", sorted(of_drafts.EXPLANATIONS.keys() & SECTIONS.keys()))
def test_the_reason_names_the_section_that_the_finding_cites(code: str) -> None:
    section = section_behind(code)
    assert section is not None
    why = of_drafts.EXPLANATIONS[code].why
    is_named = section.heading in QUOTED.findall(why)
    assert is_named or section.heading == "Security Considerations" or "schema.ts" in why


def test_only_codes_of_the_register_cite() -> None:
    assert set(SECTIONS) <= set(CODES)


def test_what_is_no_matter_of_the_protocol_cites_nothing() -> None:
    assert not set(SECTIONS) & {*OURS, *PAGES}


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("2026-07-28", "2026-07-28 basic/patterns/progress"),
        ("2025-11-25", "2025-11-25 basic/utilities/progress"),
        ("2024-11-05", "2025-11-25 basic/utilities/progress"),
        ("", "2025-11-25 basic/utilities/progress"),
    ],
)
def test_the_era_of_the_server_is_cited(version: str, words: str) -> None:
    section = section_behind("progress-late", version)
    assert section is not None
    assert section.words == words


def test_an_era_without_the_rule_cites_the_other() -> None:
    section = section_behind("unknown-result-type", "2025-11-25")
    assert section is not None
    assert section.revision == "2026-07-28"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/result/serverInfo/name", "2025-11-25 basic/lifecycle"),
        ("/result/capabilities/tools/listChanged", "2025-11-25 basic/lifecycle"),
        ("/error/data/supported", "2025-11-25 basic"),
        ("/result/unheard-of", "2025-11-25 schema"),
        ("", "2025-11-25 schema"),
    ],
)
def test_a_field_cites_the_section_that_wants_it(path: str, words: str) -> None:
    section = section_behind("missing-field", "2025-11-25", path)
    assert section is not None
    assert section.words == words


def test_the_address_is_that_of_the_site() -> None:
    section = section_behind("input-not-declared")
    assert section is not None
    site = "https://modelcontextprotocol.io/specification/2026-07-28"
    anchor = "server-requirements-basic-workflow"
    assert section.url == f"{site}/basic/patterns/mrtr#{anchor}"
