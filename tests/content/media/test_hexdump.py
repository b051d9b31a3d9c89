from __future__ import annotations

import base64
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.media.base64_bytes import ROW_BYTES, HexDump


def dump(data: bytes) -> HexDump:
    return HexDump(base64.b64encode(data).decode())


def test_a_row() -> None:
    assert dump(b"Signoff \x00\xff\n|~").row(0) == (
        "0000  53 69 67 6e 6f 66 66 20 00 ff 0a 7c 7e           Signoff ...|~"
    )


def test_a_row_can_have_half_as_many_bytes() -> None:
    found = replace(dump(bytes(range(60, 84))), row_bytes=ROW_BYTES // 2)
    assert found.rows(0, 9) == [
        "0000  3c 3d 3e 3f 40 41 42 43  <=>?@ABC",
        "0008  44 45 46 47 48 49 4a 4b  DEFGHIJK",
        "0010  4c 4d 4e 4f 50 51 52 53  LMNOPQRS",
    ]


@given(st.binary(max_size=300))
def test_rows_hold_every_byte_once(data: bytes) -> None:
    found = dump(data)
    assert found.size == len(data)
    assert found.fault == ""
    rows = found.rows(0, found.row_count)
    assert b"".join(bytes.fromhex(row[6:53]) for row in rows) == data
    assert [row[:4] for row in rows] == [f"{at:04x}" for at in range(0, len(data), ROW_BYTES)]
    assert found.head(100) == data[:100]
    assert all(row.isprintable() for row in rows)


@given(st.text(max_size=200), st.integers(0, 20))
def test_what_is_no_base64_never_raises(blob: str, index: int) -> None:
    found = HexDump(blob)
    assert found.row(index).isprintable()
    assert found.size >= 0
    found.head(64)
    assert found.fault.isprintable()


@pytest.mark.parametrize(
    ("blob", "words"),
    [
        ("aGk=", ""),
        ("", ""),
        ("aG\nk=", "blanks or line breaks"),
        ("aGk", "cut or lacks padding"),
        ("a-k=", "characters that base64 does not have"),
    ],
)
def test_faults_in_words(blob: str, words: str) -> None:
    assert words in HexDump(blob).fault
    assert bool(words) is bool(HexDump(blob).fault)


def test_offsets_grow_with_the_bytes() -> None:
    found = dump(bytes(0x10001))
    assert found.row(0).startswith("00000  00")
    assert found.row(found.row_count - 1).startswith("10000  00 ")
