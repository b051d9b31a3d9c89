"""Any JSON as a result: a view never fails, is the same each time, and names only true losses."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.hosts.model_view.fates import halves_findings
from signoff.app.hosts.model_view.table import model_hosts
from signoff.app.hosts.model_view.view import model_view
from signoff.app.protocol.answers.content import read_answer
from tests.content.json_values import json_values
from tests.tiers import examples

HOSTS = tuple(model_hosts().values())
MARKS = st.integers(10_000, 99_999).map(lambda number: f"§{number}§")
NAMED = st.sampled_from(["text", "data", "uri", "resource", "blob", "mimeType", "type"])
BLOCKS = st.one_of(
    json_values(),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["text", "image", "audio", "resource", "resource_link", "x"])},
        optional={
            "text": st.text(),
            "data": st.text(),
            "uri": st.text(),
            "resource": st.dictionaries(NAMED, st.text()) | json_values(),
        },
    ),
)
RESULTS = st.one_of(
    json_values(),
    st.fixed_dictionaries(
        {},
        optional={
            "content": st.lists(BLOCKS, max_size=4) | json_values(),
            "structuredContent": json_values(),
            "isError": st.booleans() | json_values(),
        },
    ),
)


@given(RESULTS)
@examples(200)
def test_any_result_has_a_view_in_each_host(result: JsonValue) -> None:
    for host in HOSTS:
        found = model_view(host, result)
        assert found == model_view(host, result)
        assert found.items or [one.name for one in found.losses] == ["result"]
        assert all(isinstance(one, str) for one in found.texts)
        assert found.matches(list(found.texts))
    answer = read_answer(result)
    if answer is not None:
        halves_findings(result, answer.copies)


@given(
    st.lists(MARKS, unique=True, min_size=1, max_size=3),
    st.none() | MARKS.map(lambda mark: mark.replace("§", "¤")),
    st.booleans(),
    st.sampled_from(["text", "resource"]),
)
@examples(100)
def test_a_lost_part_is_absent_and_any_other_is_there(
    texts: list[str], inside: str | None, is_error: bool, last: str
) -> None:
    blocks: list[Any] = [{"type": "text", "text": one} for one in texts]
    if last == "resource":
        blocks[-1] = {"type": "resource", "resource": {"uri": "x:y", "text": texts[-1]}}
    result: dict[str, Any] = {"content": blocks, "isError": is_error}
    if inside is not None:
        result["structuredContent"] = {"in": f"structured {inside}"}
    for host in HOSTS:
        found = model_view(host, result)
        whole = "".join(found.texts)
        for loss in found.losses:
            match loss.name:
                case "text":
                    assert not any(str(one) in whole for one in loss.raw), host.id
                case "structuredContent":
                    assert f"structured {inside}" not in whole, host.id
                case "isError":
                    assert "isError" not in whole, host.id
                case name:
                    assert name == "resource"
                    assert texts[-1] not in whole, host.id
        if found.is_whole:
            assert all(one in whole for one in texts), host.id
            assert inside is None or f"structured {inside}" in whole, host.id
