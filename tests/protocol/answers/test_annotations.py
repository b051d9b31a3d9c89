from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from signoff.app.protocol.answers.blocks import Annotations, annotation_words, read_annotations
from signoff.app.protocol.answers.content import read_answer
from signoff.app.protocol.findings.findings import Finding
from tests.content.json_values import json_values
from tests.widgets.hostile import PAYLOADS


def read(said: Any, **block: Any) -> tuple[Annotations, list[tuple[str, str]]]:
    """What was read, and the place and message of each finding."""
    findings: list[Finding] = []
    found = read_annotations({"annotations": said, **block}, "$.content[0]", findings)
    assert {one.code for one in findings} <= {"malformed-annotations"}
    return found, [(one.path.removeprefix("$.content[0]"), one.message) for one in findings]


def test_all_of_it() -> None:
    said = {"audience": ["user", "assistant"], "priority": 0.9, "lastModified": "2026-01-12"}
    assert read(said) == (Annotations(("user", "assistant"), 0.9, "2026-01-12"), [])


@pytest.mark.parametrize("priority", [0, 1, 0.5])
def test_priorities(priority: float) -> None:
    assert read({"priority": priority}) == (Annotations(priority=priority), [])


def test_what_is_not_known_is_ignored() -> None:
    assert read({"colour": "red", "audience": ["user"]}) == (Annotations(("user",)), [])
    assert read({}) == (Annotations(), [])


@pytest.mark.parametrize(
    ("said", "path"),
    [
        (None, ".annotations"),
        ("user", ".annotations"),
        ([], ".annotations"),
        ({"audience": "user"}, ".annotations.audience"),
        ({"audience": None}, ".annotations.audience"),
        ({"audience": [["user"]]}, ".annotations.audience"),
        ({"audience": ["everyone"]}, ".annotations.audience"),
        ({"priority": 7}, ".annotations.priority"),
        ({"priority": -0.1}, ".annotations.priority"),
        ({"priority": True}, ".annotations.priority"),
        ({"priority": "high"}, ".annotations.priority"),
        ({"lastModified": 5}, ".annotations.lastModified"),
    ],
)
def test_what_is_malformed_is_left_out_and_found(said: Any, path: str) -> None:
    found, findings = read(said)
    assert found == Annotations()
    assert [where for where, _ in findings] == [path]


def test_one_malformed_member_does_not_hide_the_others() -> None:
    found, findings = read({"audience": ["user", "system", "user"], "priority": 2})
    assert found == Annotations(("user",))
    assert [where for where, _ in findings] == [".annotations.audience", ".annotations.priority"]
    assert "“system”" in findings[0][1]


@pytest.mark.slow
@given(json_values())
def test_nothing_raises(said: Any) -> None:
    found, _ = read(said)
    assert set(found.audience) <= {"user", "assistant"}
    assert found.priority is None or 0 <= found.priority <= 1


def test_every_kind_of_block_may_have_them() -> None:
    said: Any = {"annotations": {"audience": ["assistant"]}, "_meta": {"any": "thing"}}
    blocks: list[Any] = [
        *({"type": "text", "text": "x"}, {"type": "image", "data": "", "mimeType": ""}),
        {"type": "audio", "data": "", "mimeType": ""},
        {"type": "resource", "resource": {"uri": "x:", "text": "x"}},
        {"type": "resource", "resource": {"uri": "x:", "blob": ""}},
        *({"type": "resource_link", "uri": "x:", "name": "x"}, {"type": "hologram"}),
    ]
    answer = read_answer({"content": [{**block, **said} for block in blocks]})
    assert answer is not None
    assert {part.annotations.audience for part in answer.parts} == {("assistant",)}
    unknown = "unknown-content"
    assert [one.code for one in answer.findings if one.code != "media-not-whole"] == [unknown]


def test_inside_a_resource_they_are_read_where_the_block_has_none() -> None:
    resource = {"uri": "x:", "text": "x", "annotations": {"priority": 0.3}}
    inside: Any = {"type": "resource", "resource": resource}
    answer = read_answer({"content": [inside, {**inside, "annotations": {"priority": 0.6}}]})
    assert answer is not None
    assert [part.annotations.priority for part in answer.parts] == [0.3, 0.6]


def test_words() -> None:
    assert annotation_words(Annotations()) == ()
    assert annotation_words(Annotations(("user",), 0.9, "2026-01-12T15:00:58Z")) == (
        "for the user",
        "priority 0.9",
        "changed 2026-01-12T15:00:58Z",
    )
    assert annotation_words(Annotations(("assistant", "user"), 1.0)) == ("for both", "priority 1")


@pytest.mark.parametrize("payload", PAYLOADS)
def test_words_are_safe(payload: str) -> None:
    (words,) = annotation_words(Annotations(last_modified=payload))
    assert words.isprintable()
    words.encode()
    _, findings = read({"audience": [payload]})
    assert findings[0][1].isprintable()
