"""What does not fit into memory stands in a file, up to a limit."""

from __future__ import annotations

import pytest

from signoff.app.transport.stdio import lines as spool_module
from signoff.app.transport.stdio.lines import LineReader, Overlong, Spool


def test_everything_that_was_added_can_be_read_as_often_as_wanted() -> None:
    spool = Spool()
    pieces = [bytes([number]) * 700_000 for number in range(5)]
    for piece in pieces:
        spool.add(piece)
    whole = spool.done(3_500_000)
    assert (whole.size, whole.kept) == (3_500_000, 3_500_000)
    assert whole.head == b"".join(pieces)[:1_000_000]
    for _ in range(2):
        assert b"".join(whole.chunks()) == b"".join(pieces)


def test_beyond_the_limit_only_the_size_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool_module, "SPOOL_LIMIT", 10)
    spool = Spool()
    for _ in range(4):
        spool.add(b"seven..")
    whole = spool.done(28)
    assert (whole.size, whole.kept) == (28, 10)
    assert b"".join(whole.chunks()) == b"seven..sev"


def test_a_full_disk_keeps_what_came_until_then(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def write(self, piece: bytes) -> int:
            raise OSError(28, "No space left on device")

        def flush(self) -> None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", lambda **_: Full())
    spool = Spool()
    spool.add(b"some")
    whole = spool.done(4)
    assert (whole.size, whole.kept, whole.head) == (4, 0, b"")
    assert list(whole.chunks()) == []


def test_the_reader_of_lines_spools_a_line_that_is_too_long() -> None:
    reader = LineReader(10, Spool)
    lines = reader.feed(b"0123456789a") + reader.feed(b"bcdef\nnext\n")
    assert lines[1] == b"next"
    long = lines[0]
    assert isinstance(long, Overlong)
    assert long.whole is not None
    assert b"".join(long.whole.chunks()) == b"0123456789abcdef"
