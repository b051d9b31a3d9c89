"""The tables of measurements: what “always” covers, and the question itself."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.app.features.measure.lasting_words import lasting_lines
from signoff.app.features.measure.words import overview_markdown
from signoff.app.hosts.measured.values import (
    ALONE,
    EARLIER,
    LASTING,
    Did,
    MeasuredCell,
    Measurement,
)


def cell(probe: str, did: Did = Did.ASKED, **more: Any) -> MeasuredCell:
    return MeasuredCell(probe, {}, did, "", **more)


def measurement(*cells: MeasuredCell) -> Measurement:
    return Measurement("host", "Host", "1", "mode", "acp", "linux", "2026-11-27", "0", cells)


def row(table: str, *cells: MeasuredCell) -> list[str] | None:
    """The words of the row below the head that begins with these."""
    lines = iter(overview_markdown([measurement(*cells)]).splitlines())
    for line in lines:
        if line.startswith(f"| {table}"):
            next(lines)
            return [word.strip() for word in next(lines).strip("|").split("|")]
    return None


def test_always_is_told_by_what_it_covers() -> None:
    words = row(
        "“always” covers",
        cell("remembered/first"),
        cell("remembered/same", Did.RAN),
        cell("remembered/other-tool", Did.ASKED),
        cell("remembered/renamed-server", Did.UNKNOWN),
    )
    assert words is not None
    assert words[:3] == ["host:mode", "1", "acp"]
    assert words[3:] == ["covered", "-", "asks", "-", "-", "-", "-", "unknown"]


@pytest.mark.parametrize("did", [Did.RAN, Did.HIDDEN, Did.REFUSED, Did.UNKNOWN])
def test_a_host_that_asked_nothing_has_no_always(did: Did) -> None:
    assert row("“always” covers", cell("remembered/first", did)) is None


def test_a_host_is_told_with_what_always_covers() -> None:
    found = measurement(
        cell("remembered/first"),
        cell("remembered/same", Did.RAN),
        cell("remembered/changed-hints", Did.RAN),
        cell("remembered/other-tool", Did.ASKED),
        cell("remembered/new-session", Did.UNKNOWN),
    )
    assert list(lasting_lines(found)) == [
        "“always” covers: the same call, declared destructive later",
        "“always” does not cover: another tool",
    ]
    assert not list(lasting_lines(measurement(cell("remembered/first", Did.RAN))))


def test_a_plain_yes_is_no_always() -> None:
    assert row("“always” covers", cell("remembered/first", facts={LASTING: False})) is None
    assert row("“always” covers", cell("remembered/first", facts={LASTING: True})) is not None


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        ({"characters of the argument": "2,012 of 2,012", "beginning": True}, "all"),
        ({"characters of the argument": "80 of 2,012", "beginning": True}, "80 of 2,012"),
        (
            {"characters of the argument": "80 of 2,012", "beginning": True, "end": True},
            "80 of 2,012, and the end",
        ),
        ({"characters of the argument": "0 of 2,012", "beginning": False}, "no"),
        (
            {
                "characters of the argument": "0 of 2,012",
                "beginning": False,
                EARLIER: ["beginning"],
            },
            EARLIER,
        ),
    ],
)
def test_the_share_of_a_long_argument(shown: dict[str, Any], words: str) -> None:
    found = row("the question of", cell("shown/long", shown=shown))
    assert found is not None
    assert found[6] == words


def test_parts_of_a_question() -> None:
    shown = {"name": True, "description": False, "argument": False, EARLIER: ["argument"]}
    found = row("the question of", cell("shown/short", shown=shown))
    assert found is not None
    assert found[3:7] == ["shown", "no", EARLIER, "-"]


@pytest.mark.parametrize(
    ("probe", "facts", "words"),
    [
        ("enter-held", {"the call came": True}, "approves"),
        ("enter-early", {"the call came": False}, "does not approve"),
        ("resize", {"the call came": False, "the question stays open": False}, "closes"),
        ("silence", {"the call came": False, "the question stays open": True}, "stays open"),
        ("enter-later", {"the question opened": False}, "no question"),
        ("two-at-once", {"questions": 2, ALONE: True}, "each names its call"),
        ("two-at-once", {"questions": 2, ALONE: False}, "look the same"),
        ("two-at-once", {"questions": 1, ALONE: False}, "one question"),
        ("two-at-once", {"questions": 0}, "no question"),
    ],
)
def test_effects_on_a_question(probe: str, facts: dict[str, Any], words: str) -> None:
    found = row("the question of", cell(f"dialog/{probe}", facts=facts))
    assert found is not None
    assert [one for one in found[7:] if one != "-"] == [words]
