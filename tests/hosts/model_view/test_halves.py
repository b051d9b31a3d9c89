"""The finding on a response whose halves differ, and when it would blame an honest server."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.app.hosts.model_view.fates import halves_findings, text_only
from signoff.app.hosts.model_view.table import Structured, model_hosts
from signoff.app.protocol.answers.content import read_answer
from signoff.app.protocol.findings.findings import Finding
from tests.approved import approved

CODE = "model-view-differs"
PROSE = approved("answers")


def findings(*texts: str, **more: Any) -> list[Finding]:
    result = {"content": [{"type": "text", "text": one} for one in texts], **more}
    answer = read_answer(result)
    assert answer is not None
    return halves_findings(result, answer.copies)


@pytest.mark.parametrize(
    ("texts", "structured"),
    [
        (['{"b":2,"a":1}'], {"a": 1, "b": 2}),
        (['{\n  "a": 1.0\n}'], {"a": 1}),
        (["the words for a person", '{"a":1}'], {"a": 1}),
        (["5"], {"result": 5}),
        (["[1, 2]"], {"result": [1, 2]}),
        (["1", "2"], {"result": [1, 2]}),
        ([], {}),
        ([], None),
        (["done"], {}),
    ],
)
def test_nothing_is_found_where_nothing_is_lost(texts: list[str], structured: Any) -> None:
    assert not findings(*texts, structuredContent=structured)
    assert not findings(*texts)


def test_a_summary_beside_more_data_is_a_note() -> None:
    (found,) = findings("Mira, an elf", structuredContent={"name": "Mira", "level": 3})
    assert (found.code, found.severity.value, found.path) == (CODE, "note", "$.content")
    PROSE.holds("halves: a summary", found.message)


def test_structured_content_alone_is_a_note() -> None:
    (found,) = findings(structuredContent={"name": "Mira"})
    assert found.severity.value == "note"
    PROSE.holds("halves: structuredContent alone", found.message)


def test_a_copy_with_another_value_has_only_the_finding_on_copies() -> None:
    text = {"type": "text", "text": '{"a":1}'}
    result: dict[str, Any] = {"content": [text], "structuredContent": {"a": 2}}
    answer = read_answer(result)
    assert answer is not None
    assert [one.code for one in answer.copies.findings] == ["text-copy-differs"]
    assert not halves_findings(result, answer.copies)


def test_an_error_with_words_only_in_structured_content_is_a_warning() -> None:
    (found,) = findings(structuredContent={"why": "not found"}, isError=True)
    assert found.severity.value == "warning"
    PROSE.holds("halves: an error", found.message)
    (other,) = findings("not found", structuredContent={"code": 404}, isError=True)
    assert other.severity.value == "note"


def test_the_counts_are_those_of_the_table() -> None:
    (found,) = findings("words", structuredContent={"a": 1})
    assert f"{len(text_only())} of {len(model_hosts())} " in found.message
    alone = [one for one in model_hosts().values() if one.structured is Structured.ALONE]
    assert f"{len(alone)} do not show it text" in found.message
