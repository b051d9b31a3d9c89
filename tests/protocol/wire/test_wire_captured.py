"""A capture as the wire that it was: numbered by lines, damaged lines told, schemas found."""

from __future__ import annotations

import json

from signoff.app.protocol.wire.capture import Capture, CapturedLog, line_of, listed_schemas
from signoff.app.protocol.wire.export import plain_line
from signoff.app.protocol.wire.frames import CLIENT, SERVER, SIGNOFF, Frame, Sender
from signoff.app.protocol.wire.rows import Showing, WireBook, row_of

SCHEMA = {"type": "object", "properties": {"note": {"type": "string", "writeOnly": True}}}


def line(number: int, sender: Sender, body: object) -> bytes:
    raw = json.dumps(body).encode()
    return line_of(Frame(number, 1_700_000_000 + number, 0.0, sender, raw, len(raw))) + b"\n"


def asked(number: int, identity: int, method: str, params: object = None) -> bytes:
    body = {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}
    return line(number, CLIENT, body)


def answered(number: int, identity: int, result: object) -> bytes:
    return line(number, SERVER, {"jsonrpc": "2.0", "id": identity, "result": result})


def test_frames_have_the_numbers_of_their_lines_whatever_the_file_says() -> None:
    data = asked(7, 1, "ping") + b"{not a line}\n" + answered(3, 1, {})
    log = CapturedLog(Capture(data))
    book = WireBook(log)
    assert len(book.update(2)) == 2
    assert book.is_behind
    assert len(book.update(2)) == 1
    first, broken, last = book.frames
    assert [one.number for one in book.frames] == [1, 2, 3]
    assert book.partner(first) is last
    assert book.latency(last) == 4
    assert (broken.sender, broken.at) == (SIGNOFF, first.at)
    assert broken.raw == b"line 2 of the file: not a captured message"


def test_what_is_kept_of_a_message_is_bounded_and_said() -> None:
    body = {"jsonrpc": "2.0", "id": 1, "result": {"text": "x" * 2_000_000}}
    capture = Capture(line(1, SERVER, body))
    (cut,) = CapturedLog(capture, kept=100).since(0)
    (whole,) = CapturedLog(capture, kept=10_000_000).since(0)
    assert (len(cut.raw), cut.is_cut) == (100, True)
    assert cut.size == len(whole.raw) > 2_000_000
    assert not whole.is_cut


def test_what_a_schema_calls_secret_is_masked_though_only_the_file_is_there() -> None:
    params = {"name": "t", "arguments": {"note": "correct-horse-battery"}}
    capture = Capture(
        asked(1, 1, "tools/list")
        + answered(2, 1, {"tools": [{"name": "t", "inputSchema": SCHEMA}, "odd"]})
        + asked(3, 2, "tools/call", params)
        + answered(4, 2, {"content": [], "said": "it is correct-horse-battery"})
    )
    schemas = listed_schemas(capture)
    assert schemas == {"t": SCHEMA}
    book = WireBook(CapturedLog(capture))
    frames = book.update()
    showing = Showing(book, schemas.get)
    assert [one.number for one in frames if "correct-horse" in showing.text(one)] == []


def test_a_line_has_nothing_that_a_terminal_obeys() -> None:
    odd = "tools/\x1b[31mcall\u202e\nx"
    capture = Capture(asked(1, 1, odd, {"name": "a  b"}) + line(2, SERVER, ["\x07", odd]))
    book = WireBook(CapturedLog(capture))
    showing = Showing(book)
    lines = [plain_line(row_of(one, book, showing)) for one in book.update()]
    assert lines[0].startswith("     1 ")
    assert " →   request      tools/" in lines[0]
    assert " ← ! noise " in lines[1]
    assert all(one.isprintable() for one in lines)
