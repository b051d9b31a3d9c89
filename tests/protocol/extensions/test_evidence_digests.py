"""Digests of evidence, with vectors of the two RFCs and the cases of the draft."""

from __future__ import annotations

import hashlib
import json
import struct
from typing import Any

import pytest
from hypothesis import given

from signoff.app.protocol.extensions.evidence_digests import (
    CANONICALIZATIONS,
    RECORD_LIMITS,
    RECORDS_MAX,
    DigestAnswer,
    DigestCheck,
    DigestClaim,
    NotDerived,
    canonical_digest,
    check_digests,
    resource_texts,
)
from tests.content.json_values import json_values, nested

JCS, CBOR = "jcs/rfc8785", "cbor/rfc8949"
ADVISORY = {
    "class": "confidential",
    "container_visibility": "public",
    "origin": "open_world",
    "resource_kind": "security_advisory_draft",
}
ROSTER = {**ADVISORY, "origin": "first_party", "resource_kind": "collaborator_roster"}
README = {**ADVISORY, "class": "public", "resource_kind": "readme"}
MIXED = {"class": "unknown", "origin": "unestablished", "resource_kind": "mixed"}
DECISION = {
    "decision": "deny",
    "reasons": ["sink_not_in_allowlist", "input_marked_untrusted"],
    "rule": "egress.block_unverified_sink",
    "stage": "pre_call",
    "subject": "tool:web.fetch",
}
SEQUENCE = {"flagged_step": 2, "sequence": ["search", "open_document", "send_email"], "window": 3}
OF_DRAFT = [
    ("A1", ADVISORY, JCS, "c509d629b2ab94b573c44ac10acb4941ab3949ff3cf857983c643bb0a476cefb"),
    ("A2", README, JCS, "363f86281f3e7c0996573bd26b65099dd03c893666a6ad51752194c8bad75bcf"),
    ("A3", ROSTER, CBOR, "a920a4da0a92c06841f9ae11f91aceb29f8d169da18554b386d809142bae9b56"),
    ("A4", MIXED, JCS, "32926e4d78fe95aea10e44c1557da6304afe2468d8d5ecc3df949135af3cd34b"),
    ("B1", DECISION, CBOR, "48dce5db5820f4a6069c659b99075c4881184827fdb27af82079a96d5929f46d"),
    ("B2", SEQUENCE, JCS, "0503307fcfdc6dd705dfe161a8442a31f167a0396ddeeac68883dad72f1944b7"),
    ("B3 cbor", ADVISORY, CBOR, "6a1836c14764e8326ba9eb8e7231b45b93580889732f08523db3fa11e5635ed1"),
    ("B3 jcs", ADVISORY, JCS, "c509d629b2ab94b573c44ac10acb4941ab3949ff3cf857983c643bb0a476cefb"),
]
"""`examples.json` of the draft's conformance folder."""
REF = "audit://decisions/1"


def embedded(record: Any, uri: str = REF) -> dict[str, Any]:
    text = record if isinstance(record, str) else json.dumps(record)
    return {"type": "resource", "resource": {"uri": uri, "text": text}}


def checked(
    claim: DigestClaim, *blocks: Any, earlier: dict[str, str] | None = None, **more: Any
) -> DigestCheck:
    result: Any = {"content": list(blocks), **more}
    (found,) = check_digests((claim,), result, earlier or {})
    return found


def claim(record: Any, canonicalization: str = JCS, ref: str = "") -> DigestClaim:
    return DigestClaim(
        canonical_digest(json.dumps(record), canonicalization), canonicalization, ref
    )


@pytest.mark.parametrize(
    ("record", "form", "digest"), [pytest.param(*one, id=name) for name, *one in OF_DRAFT]
)
def test_the_cases_of_the_draft(record: Any, form: str, digest: str) -> None:
    turned = dict(reversed(record.items()))
    for one in (record, turned):
        assert canonical_digest(json.dumps(one, indent=3), form) == f"sha256:{digest}"
    held = checked(DigestClaim(f"sha256:{digest}", form, REF), embedded(turned))
    assert held.answer is DigestAnswer.MATCHED


@pytest.mark.parametrize(
    ("bits", "written"),
    [
        ("0000000000000000", "0"),
        ("8000000000000000", "0"),
        ("0000000000000001", "5e-324"),
        ("8000000000000001", "-5e-324"),
        ("7fefffffffffffff", "1.7976931348623157e+308"),
        ("ffefffffffffffff", "-1.7976931348623157e+308"),
        ("4340000000000000", "9007199254740992"),
        ("c340000000000000", "-9007199254740992"),
        ("4430000000000000", "295147905179352830000"),
        ("44b52d02c7e14af5", "9.999999999999997e+22"),
        ("44b52d02c7e14af6", "1e+23"),
        ("44b52d02c7e14af7", "1.0000000000000001e+23"),
        ("444b1ae4d6e2ef4e", "999999999999999700000"),
        ("444b1ae4d6e2ef4f", "999999999999999900000"),
        ("444b1ae4d6e2ef50", "1e+21"),
        ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
        ("3eb0c6f7a0b5ed8d", "0.000001"),
        ("41b3de4355555553", "333333333.3333332"),
        ("41b3de4355555554", "333333333.33333325"),
        ("41b3de4355555555", "333333333.3333333"),
        ("41b3de4355555556", "333333333.3333334"),
        ("41b3de4355555557", "333333333.33333343"),
        ("becbf647612f3696", "-0.0000033333333333333333"),
        ("43143ff3c1cb0959", "1424953923781206.2"),
    ],
)
def test_numbers_of_rfc_8785_appendix_b(bits: str, written: str) -> None:
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    assert CANONICALIZATIONS[JCS](number).decode() == written


def test_names_are_ordered_by_utf_16_as_in_rfc_8785_section_3_2_3() -> None:
    record = {
        "\u20ac": "Euro Sign",
        "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "\U0001f600": "Emoji: Grinning Face",
        "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis",
    }
    names = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
    value: Any = record
    assert list(json.loads(CANONICALIZATIONS[JCS](value))) == names


def test_the_sample_of_rfc_8785_section_3_2_2() -> None:
    text = (
        '{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],'
        '"string": "\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/",'
        '"literals": [null, true, false]}'
    )
    expected = (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )
    digest = hashlib.sha256(expected.encode()).hexdigest()
    assert canonical_digest(text, JCS) == f"sha256:{digest}"


@pytest.mark.parametrize(
    ("text", "encoded"),
    [
        ("0", "00"),
        ("1", "01"),
        ("10", "0a"),
        ("23", "17"),
        ("24", "1818"),
        ("25", "1819"),
        ("100", "1864"),
        ("1000", "1903e8"),
        ("1000000", "1a000f4240"),
        ("1000000000000", "1b000000e8d4a51000"),
        ("18446744073709551615", "1bffffffffffffffff"),
        ("-18446744073709551616", "3bffffffffffffffff"),
        ("-1", "20"),
        ("-10", "29"),
        ("-100", "3863"),
        ("-1000", "3903e7"),
        ("1.1", "fb3ff199999999999a"),
        ("1.5", "f93e00"),
        ("5.960464477539063e-8", "f90001"),
        ("0.00006103515625", "f90400"),
        ("-4.1", "fbc010666666666666"),
        ("false", "f4"),
        ("true", "f5"),
        ("null", "f6"),
        ('""', "60"),
        ('"a"', "6161"),
        ('"IETF"', "6449455446"),
        ('"\\"\\\\"', "62225c"),
        ('"\\u00fc"', "62c3bc"),
        ('"\\u6c34"', "63e6b0b4"),
        ('"\\ud800\\udd51"', "64f0908591"),
        ("[]", "80"),
        ("[1, 2, 3]", "83010203"),
        ("[1, [2, 3], [4, 5]]", "8301820203820405"),
        (json.dumps([*range(1, 26)]), f"9819{bytes(range(1, 24)).hex()}18181819"),
        ("{}", "a0"),
        ('{"a": 1, "b": [2, 3]}', "a26161016162820203"),
        ('["a", {"b": "c"}]', "826161a161626163"),
        (
            '{"e": "E", "a": "A", "d": "D", "b": "B", "c": "C"}',
            "a56161614161626142616361436164614461656145",
        ),
        ('{"b": 1, "aa": 3, "a": 2}', "a361610261620162616103"),
    ],
)  # fmt: skip
def test_values_of_rfc_8949_appendix_a(text: str, encoded: str) -> None:
    digest = hashlib.sha256(bytes.fromhex(encoded)).hexdigest()
    assert canonical_digest(text, CBOR) == f"sha256:{digest}"


@pytest.mark.parametrize(
    ("text", "form", "reason"),
    [
        ("x", JCS, "not JSON"),
        ("", JCS, "not JSON: empty"),
        ("NaN", JCS, "not JSON"),
        ("1e999", JCS, "too large for a double"),
        ('{"a": 1, "a": 1}', JCS, "the name “a” twice"),
        ("9007199254740992", JCS, "2^53"),
        ("18446744073709551616", CBOR, "64 bits"),
        ("1.0", CBOR, "as an integer or as a float"),
        ("-0.0", CBOR, "as an integer or as a float"),
        ('"\\ud800"', JCS, "half of a character"),
        ('{"\\ud800": 1}', CBOR, "half of a character"),
        (json.dumps(nested(RECORD_LIMITS.depth)), JCS, "nested more than"),
        (f'"{"x" * RECORD_LIMITS.size}"', CBOR, "too large"),
        (json.dumps([0] * (RECORD_LIMITS.nodes + 1)), CBOR, "values"),
    ],
)
def test_what_cannot_be_derived_has_a_reason(text: str, form: str, reason: str) -> None:
    with pytest.raises(NotDerived) as caught:
        canonical_digest(text, form)
    assert reason in caught.value.reason
    held = checked(DigestClaim(f"sha256:{'0' * 64}", form, REF), embedded(text))
    assert held.answer is DigestAnswer.NOT_DERIVED
    assert reason in held.words


@given(json_values())
def test_any_record_has_a_digest_or_a_reason(value: Any) -> None:
    for form in CANONICALIZATIONS:
        found = checked(DigestClaim(f"sha256:{'0' * 64}", form, REF), embedded(value))
        assert found.answer in (DigestAnswer.DIFFERS, DigestAnswer.NOT_DERIVED)
        assert bool(found.derived) == (found.answer is DigestAnswer.DIFFERS)
        assert found.words.isprintable()


def test_a_named_record_with_another_digest_differs() -> None:
    changed = {**SEQUENCE, "flagged_step": 0}
    found = checked(claim(SEQUENCE, ref=REF), embedded(changed))
    assert found.answer is DigestAnswer.DIFFERS
    assert found.derived == claim(changed).digest
    assert found.as_json() == {
        "answer": "differs",
        "reason": f"the resource “{REF}” in the response",
        "derived": found.derived,
    }


def test_a_record_that_no_reference_names_can_match_and_never_differs() -> None:
    text = {"type": "text", "text": json.dumps(SEQUENCE)}
    held: list[tuple[list[Any], dict[str, Any]]] = [
        ([text], {}),
        ([embedded(SEQUENCE, "x:y")], {}),
        ([], {"structuredContent": SEQUENCE}),
    ]
    for blocks, more in held:
        assert checked(claim(SEQUENCE), *blocks, **more).answer is DigestAnswer.MATCHED
        other = checked(claim(DECISION), *blocks, **more)
        assert (other.answer, other.derived) == (DigestAnswer.NOT_DERIVED, "")


def test_a_record_that_was_read_earlier_is_compared() -> None:
    wanted = claim(DECISION, CBOR, REF)
    assert "nor read earlier" in checked(wanted).words
    contents: Any = {"contents": [{"uri": REF, "text": json.dumps(DECISION)}]}
    read = resource_texts(contents, REF)
    held = checked(wanted, earlier=read)
    assert held.words == f"matched: the resource “{REF}”, read earlier"
    assert checked(wanted, earlier={REF: "{}"}).answer is DigestAnswer.DIFFERS
    for odd in (None, {}, {"contents": 1}, {"contents": [1, {"uri": REF, "blob": "AA=="}]}):
        assert resource_texts(odd, REF) == {}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (DigestClaim("", JCS, ""), "no digest"),
        (DigestClaim("sha256:zz", JCS, ""), "malformed"),
        (DigestClaim(f"sha256:{'0' * 64}", "", ""), "no canonicalization"),
        (DigestClaim(f"sha256:{'0' * 64}", "\x1b[31m", ""), "does not know"),
    ],
)
def test_a_claim_that_cannot_be_compared_has_a_reason(one: DigestClaim, reason: str) -> None:
    found = checked(one, embedded(DECISION))
    assert found.answer is DigestAnswer.NOT_DERIVED
    assert reason in found.words
    assert found.words.isprintable()


def test_few_records_are_looked_at_and_odd_results_have_none() -> None:
    many = [embedded({"n": at}, "x:y") for at in range(RECORDS_MAX)]
    assert checked(claim(SEQUENCE), *many, embedded(SEQUENCE)).answer is DigestAnswer.NOT_DERIVED
    for odd in (None, 1, {"content": 1}, {"content": [1, {"resource": {"uri": 1}}]}):
        (found,) = check_digests((claim(SEQUENCE),), odd, {})  # type: ignore[arg-type]
        assert found.answer is DigestAnswer.NOT_DERIVED
