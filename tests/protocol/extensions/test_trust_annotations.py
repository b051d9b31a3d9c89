"""Labels of results, with the emitter's cases of the draft's conformance folder."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.extensions.trust_annotations import (
    BLOCKS_MAX,
    KEY,
    TrustLabel,
    label_words,
    read_labels,
)
from tests.content.json_values import json_values

SENSITIVE, UNTRUSTED = TrustLabel.SENSITIVE, TrustLabel.UNTRUSTED
ADVISORY = "c509d629b2ab94b573c44ac10acb4941ab3949ff3cf857983c643bb0a476cefb"


def evidence(digest: str, canonicalization: str = "jcs/rfc8785", **more: str) -> dict[str, str]:
    return {
        "type": "data-class.v1",
        "digest": f"sha256:{digest}",
        "canonicalization": canonicalization,
        **more,
    }


def result(held: object = None, *blocks: object) -> dict[str, Any]:
    content: list[Any] = []
    for one in blocks:
        block: dict[str, Any] = {"type": "text", "text": "a"}
        content.append(block if one is None else {**block, "_meta": {KEY: one}})
    return {"content": content, **({} if held is None else {"_meta": {KEY: held}})}


@pytest.mark.parametrize(
    ("read", "labels", "references"),
    [
        pytest.param(
            result({"sensitive": True, "evidenceRef": evidence(ADVISORY, schema="https://e/d")}),
            {SENSITIVE}, 1, id="A1"),
        pytest.param(result({"evidenceRef": evidence("3" * 64)}), set(), 1, id="A2"),
        pytest.param(
            result({"sensitive": True, "evidenceRef": evidence("a" * 64, "cbor/rfc8949")}),
            {SENSITIVE}, 1, id="A3"),
        pytest.param(
            result({"sensitive": True, "evidenceRef": evidence("2" * 64)}),
            {SENSITIVE}, 1, id="A4"),
        pytest.param(
            result({}, {"sensitive": True, "evidenceRef": evidence(ADVISORY)}),
            {SENSITIVE}, 1, id="A5"),
    ],
)  # fmt: skip
def test_the_cases_of_the_draft(
    read: dict[str, Any], labels: set[TrustLabel], references: int
) -> None:
    found, findings = read_labels(read)
    assert found.labels == labels
    assert len(found.evidence) == references
    codes = [one.code for one in findings]
    assert codes == ["trust-labels"] * bool(labels) + ["trust-evidence"] * references
    assert "sha256:" in found.evidence[0].words


def test_a_block_adds_and_never_takes_back() -> None:
    found, findings = read_labels(result({"sensitive": True}, {"sensitive": False}, None))
    assert found.labels == {SENSITIVE}
    assert [one.code for one in findings] == ["trust-labels", "trust-label-weakened"]
    both, _ = read_labels(result({"sensitive": True}, {"untrusted": True}))
    assert both.labels == {SENSITIVE, UNTRUSTED}
    assert label_words(both.labels) == "sensitive and untrusted"


def test_an_embedded_resource_may_have_labels() -> None:
    labelled: JsonValue = {KEY: {"untrusted": True}}
    resource: JsonValue = {"uri": "a:b", "text": "c", "_meta": labelled}
    found, _ = read_labels({"content": [{"type": "resource", "resource": resource}]})
    assert found.labels == {UNTRUSTED}


def test_absence_is_no_claim() -> None:
    for one in (result(), result({}), result({"sensitive": False, "untrusted": False})):
        found, findings = read_labels(one)
        assert (found.labels, findings) == (frozenset(), [])


@pytest.mark.parametrize(
    "held",
    [
        *(True, [], {"sensitive": "true"}, {"untrusted": 1}, {"sensitive": None}),
        *({"evidenceRef": "x"}, {"evidenceRef": {}}),
        {"evidenceRef": {"type": "a", "digest": "sha256:zz", "canonicalization": "c"}},
        {"evidenceRef": {"type": "a", "digest": "sha256:" + "0" * 64}},
        {"evidenceRef": {"type": 1}},
    ],
)
def test_what_is_malformed_is_no_claim_and_a_finding(held: object) -> None:
    found, findings = read_labels(result(held))
    assert found.labels == frozenset()
    assert findings[0].code == "malformed-trust-annotations"


def test_more_blocks_than_are_read_count_as_labelled() -> None:
    found, _ = read_labels({"content": [None] * (BLOCKS_MAX + 1)})
    assert found.labels == set(TrustLabel)


def test_findings_are_few_and_safe() -> None:
    hostile = {"type": "\x1b[31m" + "x" * 10_000, "ref": "\u202e"}
    many: list[object] = [{"sensitive": 1, "evidenceRef": hostile} for _ in range(1_000)]
    _, findings = read_labels(result(None, *many))
    assert len(findings) < 30
    assert all(one.message.isprintable() for one in findings)


@given(json_values())
def test_anything_is_read(value: Any) -> None:
    for one in (value, {"_meta": value}, {"content": value}, result(value, value)):
        found, _ = read_labels(one)
        assert found.as_json() is not None
