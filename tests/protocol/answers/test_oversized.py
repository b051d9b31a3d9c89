"""What can be read of a message that is cut anywhere."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from signoff.app.protocol.rpc import Oversized, beginning


def cut_after(message: bytes, length: int) -> Oversized:
    return Oversized(len(message), len(message), message[:length], lambda: iter([message]))


@given(st.text(max_size=60), st.integers(0, 400))
def test_the_first_text_is_read_as_far_as_it_goes(text: str, length: int) -> None:
    result = {"content": [{"type": "text", "text": text}]}
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode()
    head = cut_after(message, length)
    start = message.index(b'"text": "') + len(b'"text": "')
    shown = beginning(head)
    if length <= start:
        assert shown == message[:length].decode()
    elif shown != message[:length].decode():
        # Half of a surrogate pair may stand at the cut.
        assert text.encode("utf-16-be").startswith(shown.encode("utf-16-be", "surrogatepass"))


def test_without_a_text_the_bytes_are_shown() -> None:
    message = b'{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"a":[1,2,3,\xff'
    assert beginning(cut_after(message, 100)) == message.decode("utf-8", "replace")


def test_a_server_that_breaks_json_inside_the_text_breaks_nothing() -> None:
    message = b'{"result":{"content":[{"text":"one\ttwo\\qthree'
    assert beginning(cut_after(message, 100)) == "one\ttwo"
