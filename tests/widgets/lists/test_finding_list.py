from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from signoff.app.protocol.findings.findings import Finding, Severity, error, note, warning
from signoff.widgets.lists.finding_list import MOST, FindingList, finding_lines, wrap
from tests.approved import approved
from tests.showing import showing
from tests.tiers import examples
from tests.widgets.tool_samples import HOSTILE, assert_inert

PROSE = approved("widgets")

SAMPLE = (
    error("unknown-content", "a content block without a type", "$.content[0]"),
    warning("duplicate-name", "2 tools have this name", "$.name"),
    note("empty-answer", "the answer is empty"),
)


def plain(findings: tuple[Finding, ...], width: int) -> list[str]:
    return [line.plain for line in finding_lines(findings, width)]


@pytest.mark.parametrize(
    ("findings", "width", "key"),
    [(SAMPLE, 100, "wide"), (SAMPLE[:2], 40, "narrow"), ((), 40, "none")],
)
def test_all_lines(findings: tuple[Finding, ...], width: int, key: str) -> None:
    PROSE.holds(f"findings: {key}", "\n".join(plain(findings, width)))


def test_many_findings_are_cut_and_counted() -> None:
    lines = plain(SAMPLE[1:2] * (MOST + 1_234), 100)
    assert len(lines) == MOST + 1
    assert lines[-1] == "and 1,234 more"


@pytest.mark.parametrize("width", [30, 40, 71, 72, 120])
def test_no_line_is_wider_than_asked_and_no_word_is_lost(width: int) -> None:
    message = " ".join(f"word{i}" for i in range(60))
    lines = plain((warning("a-code", message, "$.a.long.path[3].to.somewhere"),), width)
    assert all(cell_len(line) <= width for line in lines)
    assert [word for line in lines for word in line.split() if word.startswith("word")] == (
        message.split()
    )


@given(st.text(max_size=200), st.integers(1, 60))
@examples(100)
def test_wrapping_loses_nothing_but_blanks(text: str, width: int) -> None:
    assert "".join(wrap(text, width)).replace(" ", "") == text.replace(" ", "")


async def test_hostile_texts_are_literal() -> None:
    findings = [Finding(text, Severity.WARNING, text, text) for text in HOSTILE]
    async with showing(FindingList(findings), size=(120, 60)) as stage:
        for width in (120, 80, 30):
            await stage.resize(width, 60)
            assert_inert(stage.widget)
            assert "[@click=app.quit]x[/]" in stage.text
            for y in range(1, 8, 2):
                await stage.click(12, y)
        assert stage.app.is_running


async def test_the_height_follows_the_findings_and_the_width() -> None:
    async with showing(FindingList(SAMPLE), size=(100, 20)) as stage:
        assert stage.widget.size.height == 3
        await stage.resize(40, 20)
        assert stage.widget.size.height == 6
        stage.widget.show(())
        await stage.pause()
        PROSE.holds("findings: none", "\n".join(stage.drawn))


async def test_without_colour_the_severity_is_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with showing(FindingList(SAMPLE), size=(100, 20)) as stage:
        assert [line.split()[1] for line in stage.drawn] == ["error", "warning", "note"]
