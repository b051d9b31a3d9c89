from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult

from signoff.app.protocol.findings.findings import Finding, Severity, error, note, warning
from signoff.widgets.lists.finding_list import MOST, FindingList, finding_lines, wrap
from tests.approved import approved
from tests.tiers import examples, first_quick
from tests.widgets.tool_samples import HOSTILE, assert_inert, drawn

PROSE = approved("widgets")

SAMPLE = (
    error("unknown-content", "a content block without a type", "$.content[0]"),
    warning("duplicate-name", "2 tools have this name", "$.name"),
    note("empty-answer", "the answer is empty"),
)


class Shown(App[None]):
    def __init__(self, *findings: Finding) -> None:
        super().__init__()
        self.findings = findings

    def compose(self) -> ComposeResult:
        yield FindingList(self.findings)

    @property
    def list(self) -> FindingList:
        return self.query_one(FindingList)


def plain(findings: tuple[Finding, ...], width: int) -> list[str]:
    return [line.plain for line in finding_lines(findings, width)]


def test_wide_lines_have_severity_code_message_and_place() -> None:
    lines = plain(SAMPLE, 100)
    assert len(lines) == 3
    PROSE.holds("findings: wide", "\n".join(lines))


def test_narrow_lines_put_the_message_below() -> None:
    PROSE.holds("findings: narrow", "\n".join(plain(SAMPLE[:2], 40)))


def test_nothing_to_report() -> None:
    PROSE.holds("findings: none", "\n".join(plain((), 40)))


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


@pytest.mark.parametrize("width", first_quick([30, 80, 120]))
async def test_hostile_texts_are_literal(width: int) -> None:
    app = Shown(*(Finding(text, Severity.WARNING, text, text) for text in HOSTILE))
    async with app.run_test(size=(width, 60)) as pilot:
        await pilot.pause()
        assert_inert(app.list)
        text = "\n".join(drawn(app.list))
        assert "[@click=app.quit]x[/]" in text
        for y in range(1, 8, 2):
            await pilot.click(FindingList, offset=(12, y))
        assert app.is_running


async def test_the_height_follows_the_findings_and_the_width() -> None:
    app = Shown(*SAMPLE)
    async with app.run_test(size=(100, 20)) as pilot:
        await pilot.pause()
        assert app.list.size.height == 3
        await pilot.resize_terminal(40, 20)
        await pilot.pause()
        assert app.list.size.height == 6
        app.list.show(())
        await pilot.pause()
        PROSE.holds("findings: none", "\n".join(drawn(app.list)))


async def test_without_colour_the_severity_is_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = Shown(*SAMPLE)
    async with app.run_test(size=(100, 20)) as pilot:
        await pilot.pause()
        assert [line.split()[1] for line in drawn(app.list)] == ["error", "warning", "note"]
