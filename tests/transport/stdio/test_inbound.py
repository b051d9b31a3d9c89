"""Lines of stdout to messages: what is meant is read, what is broken is said, nothing is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.protocol.findings.findings import Finding
from signoff.app.transport.stdio.inbound import Inbound, Message, MessageReader, Unreadable, find_id
from signoff.app.transport.stdio.lines import HEAD, Overlong

ANSWER = {"jsonrpc": "2.0", "id": 7, "result": {"content": [{"type": "text"}]}}
NOTE: dict[str, Any] = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"a": "}{"}}
ERROR = {"code": 1, "message": "x"}
MESSAGE = json.dumps(NOTE).encode()
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


def answer(text: bytes, identity: int = 5) -> bytes:
    """A response with this text as its result."""
    return b'{"jsonrpc":"2.0","id":%d,"result":' % identity + text + b"}"


HUGE, DEEP = b"9" * 5_000, b"[" * 5_000 + b"]" * 5_000
PROGRESS = b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":'
PRETTY = [b"{", b'  "jsonrpc": "2.0",', b'  "id": 4,', b'  "result": ' + HUGE, b"}"]
DUPLICATE = LINE[:-1] + b',"x\\u001b":1,"x\\u001b":2}'
NOISE: list[bytes] = [
    b'DEBUG the "result" is in',
    b'INFO received {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}',
    b"[/] \x1b[31mred",
    b'{"level":"info","id":7}',
    *(b"[]", b"17", b"null", b'"text"', b'[{"a": 1}]', b"[1, 2]"),
    b'{"jsonrpc":"2.0"}',
    b'DEBUG {"level": "debug", "sent": {"jsonrpc": "2.0", "id": 7, "result": {}}}',
    b'DEBUG {"id": 7}',
]
READ: dict[str, tuple[list[bytes], list[Any], list[str], list[Any]]] = {
    "a message": ([LINE], [ANSWER], [], []),
    "blank lines": ([b"", b"  ", b"\t\r"], [], [], []),
    "a carriage return": ([LINE + b"\r"], [ANSWER], [], []),
    "broken between tokens": (
        [b'{"jsonrpc":"2.0",', b'"id":7,"result":', b'{"content":[{"type":', b'"text"}]}}'],
        [ANSWER],
        ["message-over-lines"],
        [],
    ),
    "half a message": (
        [b'{"jsonrpc": "2.0", "id": 3, "result": {"cut', LINE],
        [ANSWER],
        ["unreadable-message"],
        [3],
    ),
    "half of it before an unreadable one": (
        *([b"{starting up", answer(HUGE, 4)], [], ["noise-on-stdout", "unreadable-message"], [4]),
    ),
    "a pretty-printed one": (PRETTY, [], ["unreadable-message"], [4]),
    "a byte order mark": ([b"\xef\xbb\xbf" + LINE], [ANSWER], ["byte-order-mark"], []),
    "invalid UTF-8": (
        [LINE.replace(b'"text"', b'"te\xffxt"')],
        [{**ANSWER, "result": {"content": [{"type": "te\ufffdxt"}]}}],
        ["invalid-utf8"],
        [],
    ),
    "half a character": (
        [answer(b'"half \\ud83d"', 1)],
        [{"jsonrpc": "2.0", "id": 1, "result": "half \ud83d"}],
        [],
        [],
    ),
    "a duplicate key": ([DUPLICATE], [{**ANSWER, "x\x1b": 2}], ["duplicate-key"], []),
    "a huge integer": ([answer(HUGE), LINE], [ANSWER], ["unreadable-message"], [5]),
    "deep": ([answer(DEEP), LINE], [ANSWER], ["unreadable-message"], [5]),
    "NaN": ([answer(b"NaN"), LINE], [ANSWER], ["unreadable-message"], [5]),
    "too large a number": ([answer(b"1e999"), LINE], [ANSWER], ["unreadable-message"], [5]),
    "unterminated": ([answer(b'"open'), LINE], [ANSWER], ["unreadable-message"], [5]),
    "a notification": ([PROGRESS + HUGE + b"}}"], [], ["unreadable-message"], []),
    "noise before an unreadable one": (
        *([b"working..." + answer(b'{"a":tru}', 7)], [], ["unreadable-message"], [7]),
    ),
    "the same number": ([LINE.replace(b"7", b"7.0")], [ANSWER], ["malformed-id"], []),
    "a result and an error": (
        [json.dumps({**ANSWER, "error": ERROR}).encode()],
        [{"jsonrpc": "2.0", "id": 7, "error": ERROR}],
        ["result-and-error"],
        [],
    ),
    "a batch": (
        *([json.dumps([NOTE, ANSWER, 5]).encode()], [NOTE, ANSWER], ["batch", "noise-on-stdout"]),
        [],
    ),
    **{f"noise {at}": ([one], [], ["noise-on-stdout"], []) for at, one in enumerate(NOISE)},
    **{
        f"between {between!r}": (
            *([between.join([MESSAGE, LINE, MESSAGE])], [NOTE, ANSWER, NOTE]),
            *(["messages-on-one-line"], []),
        )
        for between in (b"", b" ", b"\r", b"\t")
    },
    "between NUL": ([MESSAGE + b"\0" + LINE], [NOTE, ANSWER], ["nul-on-stdout"], []),
    "a name twice further inside": (
        [answer(b'{"_meta": {"id": 1, "id": 2}}')],
        [{"jsonrpc": "2.0", "id": 5, "result": {"_meta": {"id": 2}}}],
        ["duplicate-key"],
        [],
    ),
}


@pytest.mark.parametrize("name", READ)
def test_what_is_read_of_lines(name: str) -> None:
    lines, messages, found, failed = READ[name]
    items = read(*lines)
    assert bodies(items) == messages
    assert codes(items) == found
    assert unreadable(items) == failed
    assert "\x1b" not in str([one for one in items if isinstance(one, Finding)])
    assert all(type(one.get("id")) is not float for one in bodies(items))


@pytest.mark.parametrize("indent", [0, 1, 2, "\t"])
def test_a_pretty_printed_message_is_put_together(indent: int | str) -> None:
    tricky = {**ANSWER, "result": {"a": ["{", "}}", '"'], "b": {"c": [{}, {"d": "{{{"}]}}}
    items = read(*json.dumps(tricky, indent=indent).encode().split(b"\n"), LINE)
    assert bodies(items) == [tricky, ANSWER]
    assert codes(items) == ["message-over-lines"]


@pytest.mark.slow
def test_a_long_pretty_printed_message_costs_linear_time() -> None:
    entries = [{"name": f"tool {number}", "inputSchema": {}} for number in range(8_000)]
    big = {**ANSWER, "result": {"tools": entries}}
    lines = json.dumps(big, indent=2).encode().split(b"\n")
    assert bodies(read(*lines)) == [big]
    # Endless attempts to put lines together are given up.
    items = read(b'{"a": "' + b"x" * 3_000_000 + b'",', *([b"}"] * 2_000), LINE)
    assert bodies(items) == [ANSWER]


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


@pytest.mark.parametrize(
    "body",
    [
        *({"jsonrpc": "2.0", "id": 7}, {"jsonrpc": "2.0", "id": 7, "error": "boom"}),
        *({"jsonrpc": "1.0", "id": 7, "result": {}}, {"id": 7, "result": {}}),
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


def test_messages_on_several_lines_of_one_body_are_not_on_one_line() -> None:
    items = MessageReader().read(MESSAGE + b"\n" + MESSAGE)
    (found,) = [item for item in items if isinstance(item, Finding)]
    assert "2 messages in one body" in found.message


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
