"""The lines and the JSON of a model's view: lost parts first, and nothing hostile gets through."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.hosts.model_view.table import model_hosts
from signoff.app.hosts.model_view.view import model_view
from signoff.app.presentation.model_view import (
    TEXT_MAX,
    groups_lines,
    groups_of,
    sign_of,
    summary,
    totals,
    view_json,
    view_lines,
)
from tests.approved import approved
from tests.content.json_values import json_values

PROSE = approved("model-view")
HERO: dict[str, Any] = {
    "content": [{"type": "text", "text": "Mira, an elf"}, {"type": "image", "data": "aGk="}],
    "structuredContent": {"name": "Mira", "level": 3},
}
PARTS: dict[str, Any] = {
    "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}],
    "isError": True,
}


def plain(host: str, result: JsonValue) -> str:
    lines = view_lines(model_view(model_hosts()[host], result))
    return "\n".join(f"{one.label:<{one.indent}}{one.plain}".rstrip() for one in lines)


def test_losses_and_unknown_facts_come_before_the_texts() -> None:
    PROSE.holds("a summary, structuredContent and an image: codex", plain("codex", HERO))
    PROSE.holds("a summary, structuredContent and an image: cline", plain("cline", HERO))
    PROSE.holds("a summary, structuredContent and an image: kilo", plain("kilo", HERO))


def test_two_texts_of_an_error() -> None:
    PROSE.holds("two texts of an error: kimi-code", plain("kimi-code", PARTS))
    PROSE.holds("two texts of an error: agent-framework", plain("agent-framework", PARTS))
    PROSE.holds("two texts of an error: langchain", plain("langchain", PARTS))
    PROSE.holds("two texts of an error: gemini-cli", plain("gemini-cli", PARTS))


def test_glued_parts_are_glued_on_the_screen() -> None:
    assert "\nonetwo\n" in plain("kimi-code", PARTS)


def grouped(result: JsonValue, *hosts: str) -> str:
    every = [model_view(model_hosts()[one], result) for one in hosts or model_hosts()]
    lines = groups_lines(groups_of(every))
    return "\n".join(f"{one.label:<{one.indent}}{one.plain}".rstrip() for one in lines)


def test_hosts_that_lose_the_same_are_one_row() -> None:
    PROSE.holds("groups: two texts of an error", grouped(PARTS, "kimi-code", "cline", "continue"))
    whole: dict[str, Any] = {"content": [{"type": "text", "text": "three"}]}
    PROSE.holds("groups: nothing is lost", grouped(whole, "codex", "opencode", "kilo"))
    PROSE.holds("groups: the result of one", grouped(HERO, "codex", "kilo", "opencode"))


@given(json_values())
def test_each_host_is_in_one_group_with_its_own_loss(value: JsonValue) -> None:
    besides: dict[str, JsonValue] = {"content": [{"type": "text", "text": "a"}]}
    results: list[JsonValue] = [value, {**besides, "structuredContent": value}]
    for result in results:
        views = [model_view(one, result) for one in model_hosts().values()]
        groups = groups_of(views)
        assert sorted(one.host.id for group in groups for one in group) == sorted(model_hosts())
        for group in groups:
            assert len({(summary(one.losses, one.unknown)) for one in group}) == 1
        assert list(groups_lines(groups))


def test_a_phrase_and_a_sign_for_each_row() -> None:
    fates = []
    for host in model_hosts().values():
        found = model_view(host, HERO)
        fates.append((found.losses, found.unknown))
        has_loss, is_known = bool(found.losses), not found.unknown
        assert (sign_of(*fates[-1]) == "▲") is has_loss
        assert summary(*fates[-1]).startswith("loses ") is has_loss
        assert ("not measured" in summary(*fates[-1])) is not is_known
    PROSE.holds("totals", totals(fates))


@given(st.lists(st.text(), max_size=3), json_values())
def test_nothing_is_shown_as_it_came_that_could_do_harm(
    texts: list[str], structured: JsonValue
) -> None:
    blocks: JsonValue = [{"type": "text", "text": one} for one in texts]
    result: JsonValue = {"content": blocks, "structuredContent": structured}
    for host in model_hosts().values():
        view = model_view(host, result)
        for line in view_lines(view):
            assert all(text.isprintable() for text, _ in line.pieces if text)
        json.dumps(view_json(view))


@pytest.mark.slow
def test_many_parts_are_counted_and_not_all_shown() -> None:
    many: JsonValue = [{"type": "text", "text": str(at)} for at in range(5_000)]
    result: JsonValue = {"content": many, "structuredContent": {"a": 1}}
    for host in model_hosts().values():
        assert len(list(view_lines(model_view(host, result)))) < TEXT_MAX
    assert len(list(view_lines(model_view("codex", result)))) < 200
    assert "and 4,950 more, not shown" in plain("langchain", result)


@pytest.mark.slow
def test_a_large_text_is_cut_with_its_size() -> None:
    result: JsonValue = {"content": [{"type": "text", "text": "x\n" * TEXT_MAX}] * 50}
    for host in model_hosts().values():
        shown = sum(len(line.plain) for line in view_lines(model_view(host, result)))
        assert shown < TEXT_MAX * 1.2
    assert f"shown here: the first {TEXT_MAX:,} of " in plain("opencode", result)
