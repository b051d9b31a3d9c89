"""Lines of stdout to messages: what is meant is read, what is broken is said, nothing is lost."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.protocol.findings.findings import Finding
from signoff.app.transport.stdio.inbound import Inbound, Message, MessageReader, Unreadable, find_id
from signoff.app.transport.stdio.lines import HEAD, Overlong

ANSWER: dict[str, Any] = {"jsonrpc": "2.0", "id": 7, "result": {"content": [{"type": "text"}]}}
LINE = json.dumps(ANSWER).encode()


def read(*lines: bytes | Overlong) -> list[Inbound]:
    reader = MessageReader()
    return [item for line in lines for item in reader.read(line)]


def bodies(items: list[Inbound]) -> list[Any]:
    return [item.body for item in items if isinstance(item, Message)]


def codes(items: list[Inbound]) -> list[str]:
    return [item.code for item in items if isinstance(item, Finding)]


def unreadable(items: list[Inbound]) -> list[str | int | None]:
    return [item.id for item in items if isinstance(item, Unreadable)]


def test_a_message_is_read_and_says_nothing_else() -> None:
    assert read(LINE) == [Message(ANSWER)]


@pytest.mark.parametrize("line", [b"", b"  ", b"\t\r"])
def test_blank_lines_are_nothing(line: bytes) -> None:
    assert read(line) == []


def test_carriage_returns_are_no_part_of_a_message() -> None:
    assert read(LINE + b"\r") == [Message(ANSWER)]


@pytest.mark.parametrize("indent", [0, 1, 2, "\t"])
def test_a_pretty_printed_message_is_put_together(indent: int | str) -> None:
    tricky = {**ANSWER, "result": {"a": ["{", "}}", '"'], "b": {"c": [{}, {"d": "{{{"}]}}}
    items = read(*json.dumps(tricky, indent=indent).encode().split(b"\n"), LINE)
    assert bodies(items) == [tricky, ANSWER]
    assert codes(items) == ["message-over-lines"]


def test_messages_broken_anywhere_between_tokens_are_put_together() -> None:
    lines = [b'{"jsonrpc":"2.0",', b'"id":7,"result":', b'{"content":[{"type":', b'"text"}]}}']
    assert bodies(read(*lines)) == [ANSWER]


def test_a_long_pretty_printed_message_costs_linear_time() -> None:
    entries = [{"name": f"tool {number}", "inputSchema": {}} for number in range(8_000)]
    big = {**ANSWER, "result": {"tools": entries}}
    lines = json.dumps(big, indent=2).encode().split(b"\n")
    start = time.monotonic()
    assert bodies(read(*lines)) == [big]
    assert time.monotonic() - start < 15


def test_endless_attempts_to_put_lines_together_are_given_up() -> None:
    start = time.monotonic()
    items = read(b'{"a": "' + b"x" * 3_000_000 + b'",', *([b"}"] * 2_000), LINE)
    assert bodies(items) == [ANSWER]
    assert time.monotonic() - start < 15


def test_half_a_message_does_not_swallow_the_next_one() -> None:
    items = read(b'{"jsonrpc": "2.0", "id": 3, "result": {"cut', LINE)
    assert bodies(items) == [ANSWER]
    assert unreadable(items) == [3]


def test_half_a_message_does_not_swallow_an_unreadable_answer() -> None:
    huge = b'{"jsonrpc":"2.0","id":4,"result":' + b"9" * 5_000 + b"}"
    items = read(b"{starting up", huge)
    assert unreadable(items) == [4]


def test_a_pretty_printed_answer_that_cannot_be_read_fails_at_once() -> None:
    lines = [b"{", b'  "jsonrpc": "2.0",', b'  "id": 4,', b'  "result": ' + b"9" * 5_000, b"}"]
    items = read(*lines)
    assert unreadable(items) == [4]
    assert codes(items) == ["unreadable-message"]


def test_a_byte_order_mark_is_read_over_and_said() -> None:
    items = read(b"\xef\xbb\xbf" + LINE)
    assert bodies(items) == [ANSWER]
    assert codes(items) == ["byte-order-mark"]


def test_invalid_utf8_is_replaced_and_said() -> None:
    items = read(LINE.replace(b'"text"', b'"te\xffxt"'))
    assert bodies(items)[0]["result"]["content"] == [{"type": "te�xt"}]
    assert codes(items) == ["invalid-utf8"]


def test_duplicate_keys_are_said_with_their_names_made_visible() -> None:
    items = read(LINE[:-1] + b',"x\\u001b":1,"x\\u001b":2}')
    assert len(bodies(items)) == 1
    (found,) = [item for item in items if isinstance(item, Finding)]
    assert found.code == "duplicate-key"
    assert "\x1b" not in found.message


@pytest.mark.parametrize(
    "result",
    [b"9" * 5_000, b"[" * 5_000 + b"]" * 5_000, b"NaN", b"1e999", b'"open'],
    ids=["huge integer", "deep", "NaN", "too large", "unterminated"],
)
def test_an_unreadable_answer_names_its_call(result: bytes) -> None:
    items = read(b'{"jsonrpc":"2.0","id":5,"result":' + result + b"}", LINE)
    assert unreadable(items) == [5]
    assert bodies(items) == [ANSWER]


def test_lone_surrogates_are_data() -> None:
    items = read(b'{"jsonrpc":"2.0","id":1,"result":{"text":"half \\ud83d"}}')
    assert bodies(items)[0]["result"] == {"text": "half \ud83d"}


def test_an_overlong_line_names_its_call() -> None:
    head = b'{"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"aaaa'
    items = read(Overlong(17_000_000, head, b'aaaa"}]}}'))
    assert unreadable(items) == [9]
    assert codes(items) == ["line-too-long"]
    at_the_end = read(Overlong(17_000_000, b'{"result":{"id":1,"text":"aa', b'aa"},"id":9}'))
    assert unreadable(at_the_end) == [9]


def test_a_large_line_is_read_out_of_its_buffer() -> None:
    text = "x" * 2_000_000
    body = {"jsonrpc": "2.0", "id": 3, "result": {"content": [{"type": "text", "text": text}]}}
    line = bytearray(json.dumps(body).encode())
    items = MessageReader().read(line)
    assert bodies(items) == [body]
    assert line == b""


def test_a_large_line_that_cannot_be_read_still_names_its_call() -> None:
    padding = b"x" * 2_000_000
    for end in (b'", nothing]}}', b'"]'):
        line = bytearray(b'{"jsonrpc":"2.0","id":7,"result":{"content":["' + padding + end)
        assert unreadable(MessageReader().read(line)) == [7]
    bad = bytearray(b'{"jsonrpc":"2.0","id":8,"result":{"text":"\xff' + padding + b'"}}')
    items = MessageReader().read(bad)
    assert codes(items) == ["invalid-utf8"]
    assert bodies(items)[0]["id"] == 8
    assert codes(MessageReader().read(bytearray(b'"' + padding + b'"'))) == ["noise-on-stdout"]


def test_an_id_in_the_payload_is_not_the_id_of_the_answer() -> None:
    assert find_id(b'{"jsonrpc":"2.0","result":{"id":1,"list":[{"id":2}]},"id":3') is None
    assert find_id(b'{"result":{"id":1},"id":"x\\"y", "jsonrpc":"2.0"') == 'x"y'
    assert find_id(b'{"id":0,"result":') == 0
    assert find_id(b'{"id":0,"id":1,"result":') is None
    assert find_id(b'{"id":0,"id":0,"result":') == 0
    assert find_id(b'{"id":0,"result":{"id":1}', b'{"id":0,"result":{"id":1}') == 0
    long = b'{"id":0,"result":"' + b"a" * HEAD
    assert find_id(long[:HEAD], b'a","id":1}') is None


def test_an_unreadable_notification_ends_no_call() -> None:
    items = read(
        b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":'
        + b"9" * 5_000
        + b"}}"
    )
    assert codes(items) == ["unreadable-message"]
    assert unreadable(items) == []


@pytest.mark.parametrize(
    "line",
    [
        b'DEBUG the "result" is in',
        b'INFO received {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}',
        b"[/] \x1b[31mred",
        b'{"level":"info","id":7}',
        b"[]",
        b"17",
        b"null",
        b'"text"',
        b'{"jsonrpc":"2.0"}',
    ],
)
def test_noise_is_kept_as_a_finding_and_ends_no_call(line: bytes) -> None:
    items = read(line)
    assert codes(items) == ["noise-on-stdout"]
    assert unreadable(items) == []
    assert "\x1b" not in str(items)


def test_noise_glued_before_an_unreadable_answer_still_names_the_call() -> None:
    broken = b'{"jsonrpc":"2.0","id":7,"result":{"a":tru}}'
    assert unreadable(read(b"working..." + broken)) == [7]


@pytest.mark.parametrize(
    "body",
    [
        {"jsonrpc": "2.0", "id": 7},
        {"jsonrpc": "2.0", "id": 7, "error": "boom"},
        {"jsonrpc": "1.0", "id": 7, "result": {}},
        {"id": 7, "result": {}},
        {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "result": {}},
    ],
)
def test_an_answer_that_is_no_json_rpc_fails_its_call_at_once(body: dict[str, Any]) -> None:
    assert unreadable(read(json.dumps(body).encode())) == [7]


@pytest.mark.parametrize("identity", [True, False, None, 1.5, 1e300, [7], {"id": 7}])
def test_an_id_that_no_request_has_answers_none(identity: Any) -> None:
    results: list[dict[str, Any]] = [{"result": {}}, {"error": {"code": 1, "message": "x"}}]
    for result in results:
        items = read(json.dumps({"jsonrpc": "2.0", "id": identity, **result}).encode())
        if identity is None and "error" in result:
            assert len(bodies(items)) == 1, "that is how an unreadable request is answered"
            continue
        assert bodies(items) == []
        assert codes(items) == ["malformed-id"]
        assert 7 not in unreadable(items)


def test_an_answer_with_every_member_written_out_is_an_answer() -> None:
    empty = {"method": None, "params": None, "error": None}
    (body,) = bodies(read(json.dumps(ANSWER | empty).encode()))
    assert (body["id"], body["result"]) == (7, ANSWER["result"])
    assert not {"method", "error"} & set(body)
    failure = {"jsonrpc": "2.0", "id": 7, "result": None, "error": {"code": 1, "message": "x"}}
    (body,) = bodies(read(json.dumps(failure).encode()))
    assert "result" not in body
    ping = {"jsonrpc": "2.0", "id": 7, "method": "ping", "result": None, "error": None}
    assert bodies(read(json.dumps(ping).encode())) == [
        {"jsonrpc": "2.0", "id": 7, "method": "ping"}
    ]


def test_of_a_result_and_an_error_the_error_counts() -> None:
    items = read(json.dumps({**ANSWER, "error": {"code": 1, "message": "x"}}).encode())
    assert codes(items) == ["result-and-error"]
    assert bodies(items) == [{"jsonrpc": "2.0", "id": 7, "error": {"code": 1, "message": "x"}}]


@given(st.lists(st.binary(max_size=60)))
def test_no_bytes_make_it_raise(lines: list[bytes]) -> None:
    read(*lines)


pieces = st.sampled_from(
    [
        *(b"{", b"}", b"[", b"]", b'"', b",", b":", b"\\", b'"jsonrpc"', b'"2.0"', b'"id"'),
        *(b'"method"', b'"result"', b"\xff", b"\xef\xbb\xbf", b"null", b"{}", b"\\ud800", b"7"),
    ]
)
lines_of_pieces = st.lists(pieces, max_size=14).map(b"".join)


@given(st.lists(lines_of_pieces, max_size=6))
def test_whatever_came_before_a_message_that_stands_alone_is_read(lines: list[bytes]) -> None:
    assert ANSWER in bodies(read(*lines, LINE))


NOTE: dict[str, Any] = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"a": "}{"}}
MESSAGE = json.dumps(NOTE).encode()


def test_each_message_of_a_batch_is_taken_and_the_batch_is_reported() -> None:
    items = read(json.dumps([NOTE, ANSWER, 5]).encode())
    assert bodies(items) == [NOTE, ANSWER]
    assert codes(items) == ["batch", "noise-on-stdout"]


@pytest.mark.parametrize("line", [b"[]", b'[{"a": 1}]', b"[1, 2]"])
def test_a_list_without_a_message_is_no_batch(line: bytes) -> None:
    assert codes(read(line)) == ["noise-on-stdout"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"INFO ready " + LINE, "text-beside-message"),
        (b"\x1b[32mI (312) main: it's \x1b[0m" + LINE, "text-beside-message"),
        (LINE + b" done", "text-beside-message"),
        (b"got {} and " + LINE, "text-beside-message"),
        (b"Content-Length: 52\r" + LINE, "text-beside-message"),
        (LINE + b"\0", "nul-on-stdout"),
        (b"\0\0" + LINE, "nul-on-stdout"),
    ],
)
def test_a_message_beside_other_text_is_taken_and_the_text_is_quoted(
    line: bytes, code: str
) -> None:
    items = read(line, LINE)
    assert bodies(items) == [ANSWER, ANSWER]
    assert codes(items) == [code]
    (found,) = [item for item in items if isinstance(item, Finding)]
    assert "\x1b" not in found.message
    assert code != "text-beside-message" or "“" in found.message


@pytest.mark.parametrize("between", [b"", b" ", b"\r", b"\t"])
def test_messages_on_one_line_are_all_taken(between: bytes) -> None:
    items = read(between.join([MESSAGE, LINE, MESSAGE]))
    assert bodies(items) == [NOTE, ANSWER, NOTE]
    assert codes(items) == ["messages-on-one-line"]
    assert codes(read(MESSAGE + b"\0" + LINE)) == ["nul-on-stdout"]


def test_messages_on_several_lines_of_one_body_are_not_on_one_line() -> None:
    items = MessageReader().read(MESSAGE + b"\n" + MESSAGE)
    (found,) = [item for item in items if isinstance(item, Finding)]
    assert "2 messages in one body" in found.message


@pytest.mark.parametrize(
    "line",
    [
        b'DEBUG received {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}}',
        b'DEBUG {"level": "debug", "sent": {"jsonrpc": "2.0", "id": 7, "result": {}}}',
        b'DEBUG {"id": 7}',
    ],
)
def test_what_a_log_quotes_is_no_message(line: bytes) -> None:
    items = read(line)
    assert bodies(items) == []
    assert codes(items) in (["noise-on-stdout"], ["unreadable-message"])


@pytest.mark.slow
def test_many_messages_on_one_line_cost_linear_time() -> None:
    line = MESSAGE * 20_000
    assert len(bodies(read(line))) == 20_000
    assert bodies(read(b'{"id": ' * 50_000)) == []


def test_utf_16_is_named() -> None:
    (found,) = read(LINE.decode().encode("utf-16-le"))
    assert isinstance(found, Finding)
    assert "UTF-16" in found.message


@given(st.lists(st.sampled_from([MESSAGE, LINE]), min_size=2, max_size=6), st.text(max_size=20))
def test_whole_messages_are_found_whatever_text_stands_before_them(
    messages: list[bytes], text: str
) -> None:
    before = text.replace("{", "").replace("\n", "").encode("utf-8", "replace")
    items = read(before + b"".join(messages))
    assert bodies(items) == [json.loads(one) for one in messages]


def test_an_id_that_is_the_same_number_counts_and_is_reported() -> None:
    items = read(LINE.replace(b'"id": 7', b'"id": 7.0'))
    assert bodies(items) == [ANSWER]
    assert type(bodies(items)[0]["id"]) is int
    assert codes(items) == ["malformed-id"]


@pytest.mark.parametrize(
    ("line", "identity"),
    [
        (b'{"jsonrpc": "2.0", "id": 7, "result": {}, "result": {"a": 1}}', [7]),
        (b'{"jsonrpc": "2.0", "id": 7, "id": 8, "result": {}}', []),
        (b'{"jsonrpc": "2.0", "id": 7, "error": {"code": 1, "message": "a"}, "error": {}}', [7]),
        (b'{"jsonrpc": "2.0", "method": "a", "method": "b"}', []),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "a", "params": {}, "params": {"x": 1}}', []),
        (b'{"jsonrpc": "2.0", "id": 7, "result": {"isError": true, "isError": false}}', [7]),
        (b'{"jsonrpc": "2.0", "id": 7, "result": {"content": [], "content": []}}', [7]),
        (b'{"jsonrpc": "2.0", "id": 7, "error": {"code": 1, "code": 2, "message": "a"}}', [7]),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "a", "params": {"x": 1, "x": 2}}', []),
        (b'{"jsonrpc": "2.0", "method": "a", "params": {"x": 1, "x": 2}}', []),
    ],
)
def test_a_message_with_a_deciding_member_twice_counts_as_none_of_its_readings(
    line: bytes, identity: list[int]
) -> None:
    items = read(line)
    assert unreadable(items) == identity
    assert bodies(items) == []
    assert codes(items) == ["duplicate-key", "unreadable-message"]


def test_a_name_given_twice_further_inside_makes_no_message_ambiguous() -> None:
    items = read(b'{"jsonrpc": "2.0", "id": 7, "result": {"_meta": {"id": 1, "id": 2}}}')
    assert len(bodies(items)) == 1
    assert codes(items) == ["duplicate-key"]
