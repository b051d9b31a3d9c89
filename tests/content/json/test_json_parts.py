"""Answers of which a part breaks a limit: the part is flagged, the rest is read as ever."""

from __future__ import annotations

import copy
import json
import pickle
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.calls.checks import schema_findings, verdict_without_checking
from signoff.app.content.json.jsonio import parse
from signoff.app.content.json.limits import JsonError, JsonLimitError, Limits, container_end
from signoff.app.content.json.parts import Flawed, parse_answer
from signoff.app.protocol.answers.content import TextPart, UnknownPart, read_answer, read_contents
from signoff.app.protocol.tool_reading import read_tool, read_tools
from signoff.app.schemas.schema import SchemaAnswer
from tests.content.json_values import json_values
from tests.tiers import first_quick

LIMITS = Limits(size=64_000_000)
DEEP = b"[" * 5_000 + b"]" * 5_000
GOOD = b'{"name":"good","inputSchema":{"type":"object"}}'
TEXT = b'{"type":"text","text":"fine"}'


def answer(result: bytes, more: bytes = b"") -> bytes:
    return b'{"jsonrpc":"2.0","id":7,"result":' + result + more + b"}"


def listed(*entries: bytes) -> bytes:
    return answer(b'{"tools":[' + b",".join(entries) + b'],"nextCursor":"x"}')


def result_of(data: bytes | bytearray | str) -> Any:
    found: Any = parse_answer(data, LIMITS).value
    return found["result"]


BROKEN = {
    "deep": (b'{"name":"odd","x":' + DEEP + b"}", "nested more than 100 levels deep"),
    "deep before its name": (b'{"x":' + DEEP + b',"name":"odd"}', "nested more than 100"),
    "digits": (b'{"name":"odd","x":' + b"9" * 5_000 + b"}", "more than 1,000 digits"),
    "NaN": (b'{"name":"odd","x":NaN}', "NaN is not JSON"),
    "endless": (b'{"name":"odd","x":-1e999}', "too large for a double"),
    "nodes": (b'{"name":"odd","x":[' + b"1," * 1_000_000 + b"1]}", "more than 1,000,000 values"),
}


@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.parametrize("make", [bytes, bytearray, lambda data: data.decode()])
def test_an_entry_that_breaks_a_limit_hides_no_other(kind: str, make: Any) -> None:
    entry, reason = BROKEN[kind]
    found = result_of(make(listed(GOOD, entry, GOOD)))
    first, odd, last = found["tools"]
    assert first == last == json.loads(GOOD)
    assert found["nextCursor"] == "x"
    assert isinstance(odd, Flawed)
    assert not odd.is_whole
    assert odd == {"name": "odd"}
    assert reason in odd.flaw
    tools = read_tools(found["tools"])
    assert [(tool.name, tool.callable) for tool in tools] == [
        *(("good", True), ("odd", False), ("good", True))
    ]
    assert [one.code for one in tools[1].findings] == ["definition-unreadable"]
    assert type(tools[1].raw) is dict


def test_what_is_odd_and_bearable_stays_as_it_is() -> None:
    half = b'{"name":"half","description":"\\ud83d"}'
    found = result_of(listed(half, b'{"x":' + DEEP + b"}"))
    assert found["tools"][0] == {"name": "half", "description": "\ud83d"}


def test_a_name_that_an_unreadable_entry_has_too_is_no_name_of_one_tool() -> None:
    odd = BROKEN["deep"][0].replace(b"odd", b"good")
    good, other = read_tools(result_of(listed(GOOD, odd))["tools"])
    assert good.has_duplicate_name
    assert good.callable
    assert not other.callable


def test_keys_given_twice_are_said_of_the_entry_that_has_them() -> None:
    twice = b'{"name":"twice","annotations":{"readOnlyHint":false,"readOnlyHint":true}}'
    assert parse_answer(listed(GOOD, twice), LIMITS).duplicates == ("readOnlyHint",)
    good, odd = read_tools(result_of(listed(GOOD, twice))["tools"])
    assert "duplicate-key" not in [one.code for one in good.findings]
    assert odd.findings[0].code == "duplicate-key"
    assert "readOnlyHint" in odd.findings[0].message
    assert odd.callable
    assert odd.raw == {"name": "twice", "annotations": {"readOnlyHint": True}}


@pytest.mark.slow
def test_it_is_the_largest_parts_that_have_no_room() -> None:
    def entry(name: bytes, values: int) -> bytes:
        return b'{"name":"' + name + b'","x":[' + b"1," * values + b"1]}"

    found = result_of(listed(entry(b"a", 700_000), entry(b"b", 900_000), entry(b"c", 10)))
    assert [isinstance(one, Flawed) for one in found["tools"]] == [False, True, False]
    assert "one of the largest parts of more than 1,000,000 values" in found["tools"][1].flaw


def test_one_block_is_flagged_and_the_others_are_shown() -> None:
    deep = b'{"type":"text","text":"x","y":' + DEEP + b"}"
    found = read_answer(result_of(answer(b'{"content":[' + TEXT + b"," + deep + b"]}")))
    assert found is not None
    fine, odd = found.parts
    assert fine == TextPart("fine")
    assert isinstance(odd, UnknownPart)
    assert "nested more than 100 levels" in odd.reason
    assert [(one.code, one.path) for one in found.findings] == [
        ("unreadable-content", "$.content[1]")
    ]


def test_one_of_the_contents_of_a_resource_is_flagged_alone() -> None:
    uri = "demo://x"
    good = b'{"uri":"demo://x","text":"fine"}'
    deep = b'{"uri":"demo://x","text":' + DEEP + b"}"
    raw = result_of(answer(b'{"contents":[' + deep + b"," + good + b"]}"))
    found = read_contents(raw, uri)
    assert found is not None
    assert isinstance(found.parts[0], UnknownPart)
    assert [(one.code, one.path) for one in found.findings] == [
        ("unreadable-content", "$.contents[0]")
    ]


def test_structured_content_that_cannot_be_read_is_not_called_missing_or_valid() -> None:
    raw = result_of(answer(b'{"content":[' + TEXT + b'],"structuredContent":{"a":' + DEEP + b"}}"))
    found = read_answer(raw)
    assert found is not None
    tool = read_tool(0, {"name": "x", "outputSchema": {"type": "object"}})
    verdict = verdict_without_checking(tool, found)
    assert verdict is not None
    assert verdict.answer is SchemaAnswer.NOT_VALIDATED
    assert "nested more than 100 levels" in verdict.reason
    assert [one.code for one in schema_findings(tool, found, verdict)] == ["not-validated"]
    assert [one.code for one in found.findings] == ["unreadable-content"]


@pytest.mark.parametrize("inside", [b'{"a":1,"a":2}', b'[{"b":{"a":1,"a":1}}]'])
def test_structured_content_with_a_name_twice_is_not_called_valid(inside: bytes) -> None:
    raw = result_of(answer(b'{"content":[' + TEXT + b'],"structuredContent":' + inside + b"}"))
    found = read_answer(raw)
    assert found is not None
    verdict = verdict_without_checking(
        read_tool(0, {"name": "x", "outputSchema": {"type": "object"}}), found
    )
    assert verdict is not None
    assert verdict.answer is SchemaAnswer.NOT_VALIDATED


def test_a_block_with_a_name_twice_is_shown_as_neither_of_its_readings() -> None:
    twice = b'{"type":"image","data":"aaaa","mimeType":"image/png","type":"text","text":"b"}'
    found = read_answer(result_of(answer(b'{"content":[' + TEXT + b"," + twice + b"]}")))
    assert found is not None
    fine, odd = found.parts
    assert fine == TextPart("fine")
    assert isinstance(odd, UnknownPart)
    assert [(one.code, one.path) for one in found.findings] == [("duplicate-key", "$.content[1]")]


@pytest.mark.parametrize(
    ("text", "doubled"),
    [
        (b'{"jsonrpc":"2.0","id":1,"id":2,"result":{"tools":[{"x":NaN}]}}', {"id"}),
        (
            b'{"jsonrpc":"2.0","id":1,"result":{"isError":true,"isError":false,"a":NaN}}',
            {"isError"},
        ),
        (b'{"jsonrpc":"2.0","id":1,"result":{},"result":{"a":NaN}}', {"result"}),
    ],
)
def test_names_given_twice_are_known_of_a_message_that_breaks_a_limit(
    text: bytes, doubled: set[str]
) -> None:
    read = parse_answer(text, LIMITS)
    assert {one.rpartition(".")[2] for one in read.doubled} == doubled
    assert set(read.duplicates) == doubled


def test_a_part_that_is_no_entry_is_told_by_its_name() -> None:
    read = parse_answer(answer(b'{"tools":[' + GOOD + b'],"_meta":' + DEEP + b"}"), LIMITS)
    assert read.flaws == (
        "“_meta” of a response cannot be read: nested more than 100 levels deep (10.0 kB)",
    )


@pytest.mark.parametrize(
    "data",
    [
        answer(DEEP),
        b'{"jsonrpc":"2.0","id":' + b"9" * 5_000 + b',"result":{}}',
        b'{"jsonrpc":"2.0","id":null,"result":{"a":NaN}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + DEEP + b"}",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","result":{"a":NaN}}',
        b"[" + answer(b'{"a":NaN}') + b"]",
        b'{"id":1,"result":{"a":NaN}}',
        DEEP,
    ],
)
def test_what_is_no_answer_or_has_nothing_left_is_refused_as_a_whole(data: bytes) -> None:
    with pytest.raises(JsonLimitError):
        parse_answer(data, LIMITS)


@pytest.mark.parametrize("tail", [b"]", b"", b"}}", b" x}", b',"a"}', b',"a":}', b',"a" 1}'])
def test_brackets_that_do_not_fit_are_refused(tail: bytes) -> None:
    data = b'{"jsonrpc":"2.0","id":7,"result":{"tools":[' + DEEP + b"]}" + tail
    with pytest.raises(JsonError):
        parse_answer(data, LIMITS)


def test_no_json_makes_itself_flawed_and_a_flawed_part_survives_being_handed_on() -> None:
    odd = result_of(listed(BROKEN["deep"][0]))["tools"][0]
    for other in (pickle.loads(pickle.dumps(odd)), copy.deepcopy(odd)):
        assert (other, other.flaw, other.is_whole) == (odd, odd.flaw, False)
    assert json.loads(json.dumps(odd)) == {"name": "odd"}


@pytest.mark.slow
@given(st.lists(json_values(), max_size=5), st.sampled_from(sorted(BROKEN)), st.data())
def test_whatever_stands_beside_it_is_read_as_ever(
    entries: list[Any], kind: str, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(entries)))
    indent = data.draw(st.sampled_from([None, 1, "\t"]))
    texts = [json.dumps(one, indent=indent).encode() for one in entries]
    texts.insert(place, BROKEN[kind if kind != "nodes" else "deep"][0])
    found = result_of(listed(*texts))["tools"]
    assert isinstance(found.pop(place), Flawed)
    assert repr(found) == repr([parse(json.dumps(one)).value for one in entries])


@given(st.lists(st.sampled_from([*(bytes([one]) for one in b'[]{}",:\\'), b"a", b" "])))
def test_the_end_of_a_container_is_where_python_sees_it(pieces: list[bytes]) -> None:
    inner = json.dumps([b"".join(pieces).decode(), {"k": b"".join(pieces).decode()}]).encode()
    for padding in (0, 300, 70_000):
        data = b"[" * 3 + b'"' + b"x" * padding + b'",' + inner + b"]" * 3 + b"]]]"
        assert container_end(data, 0) == len(data) - 3


@pytest.mark.parametrize(
    "filling",
    first_quick(
        [
            b"[" * 2_000_000 + b"]" * 2_000_000,
            b"[" * 200 + b"[]," * 1_000_000 + b"[]" + b"]" * 200,
            b"[" * 200 + b'"[",' * 1_000_000 + b"1" + b"]" * 200,
            b'["' + b'\\"' * 2_000_000 + b'",NaN]',
        ],
        2,
    ),
    ids=["deep", "wide", "strings", "escapes"],
)
def test_megabytes_of_brackets_take_no_time(filling: bytes) -> None:
    start = time.process_time()
    found = result_of(listed(GOOD, b'{"name":"odd","x":' + filling + b"}"))
    assert time.process_time() - start < 20
    assert isinstance(found["tools"][1], Flawed)


@pytest.mark.parametrize("count", [199, 200, 201, 500])
def test_an_entry_of_many_members_hides_no_other(count: int) -> None:
    members = b"".join(b'"m%d":"text",' % at for at in range(count))
    entry = b"{" + members + b'"x":NaN}'
    first, odd, last = result_of(listed(GOOD, entry, GOOD))["tools"]
    assert first == last == json.loads(GOOD)
    assert isinstance(odd, Flawed)
