"""Compressed HTTP bodies, unfolded piece by piece and under a limit.

Signoff asks for answers that are not compressed, and some servers compress all the same. A few
bytes can unfold to any size, and one layer can keep the next busy without anything coming out: so
what goes into each layer counts, and what comes out of it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Final

from ...content.text import cut, size, visible
from ..stdio.lines import LINE_LIMIT

PIECE: Final = 65_536
"""Bytes that are unfolded at a time."""
UNPACKED_LIMIT: Final = 4 * LINE_LIMIT
"""Bytes in and out of all layers: of a body, or of one event of a stream."""
LAYERS_MAX: Final = 3
_READ: Final = ("gzip", "x-gzip", "deflate")
_UNREAD: Final = ("br", "zstd", "compress", "x-compress", "dcb", "dcz")
_GZIP, _ZLIB, _BARE = zlib.MAX_WBITS | 16, zlib.MAX_WBITS, -zlib.MAX_WBITS


class Unpackable(Exception):
    """A compressed body that is not read, or not read on; `words` are safe to show."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


class Unpacking:
    """The layers of one body, by its `Content-Encoding` (RFC 9110, 8.4: the last comes off first).

    What is no known coding is no compression: servers write all sorts of words there.
    """

    def __init__(self, header: str) -> None:
        """Raises Unpackable for what is not read at all."""
        named = [word.strip().lower() for word in header.split(",") if word.strip()]
        if unread := [word for word in named if word in _UNREAD]:
            raise Unpackable(
                f"the answer is compressed with {unread[0]}, although Signoff asked for none, "
                "and Signoff reads gzip and deflate"
            )
        layers = [word for word in reversed(named) if word in _READ]
        if len(layers) > LAYERS_MAX:
            shown = visible(cut(header, 60).text)
            raise Unpackable(f"the answer is compressed {len(layers)} times over ({shown})")
        self._layers = [_Layer(word) for word in layers]
        self._spent = 0

    @property
    def is_needed(self) -> bool:
        return bool(self._layers)

    def renew(self) -> None:
        """What was unfolded has become an event; the limit is for one."""
        self._spent = 0

    def feed(self, raw: bytes) -> Iterator[bytes]:
        """What comes out, at most `PIECE` bytes at a time, with b"" wherever work was done.

        Raises Unpackable for broken data, and where the limit is reached.
        """
        yield from self._through(0, raw)

    def close(self) -> None:
        """The body is over. Raises Unpackable where a layer still waits for its end."""
        if any(layer.has_begun and not layer.is_over for layer in self._layers):
            raise Unpackable("the compressed answer ends too early")

    def _through(self, depth: int, data: bytes) -> Iterator[bytes]:
        self._spend(len(data))
        for piece in self._layers[depth].feed(data):
            if depth + 1 == len(self._layers):
                self._spend(len(piece))
                yield piece
            else:
                yield from self._through(depth + 1, piece)
                yield b""

    def _spend(self, count: int) -> None:
        self._spent += count
        if self._spent > UNPACKED_LIMIT:
            raise Unpackable(
                f"the compressed answer unfolds to more than {size(UNPACKED_LIMIT)}: "
                "Signoff stopped reading it there"
            )


class _Layer:
    """One gzip or deflate stream; what follows its end is dropped."""

    def __init__(self, word: str) -> None:
        self._is_deflate = word == "deflate"
        self._inflate = None if self._is_deflate else zlib.decompressobj(_GZIP)
        self.has_begun = False

    @property
    def is_over(self) -> bool:
        return self._inflate is not None and self._inflate.eof

    def feed(self, data: bytes) -> Iterator[bytes]:
        if not data:
            return
        self.has_begun = True
        if self._inflate is None:
            # Servers send deflate with and without the frame of zlib (RFC 1950, 2.2: CM is 8).
            self._inflate = zlib.decompressobj(_ZLIB if data[0] & 0x0F == 8 else _BARE)
        while not self._inflate.eof:
            try:
                piece = self._inflate.decompress(data, PIECE)
            except zlib.error as problem:
                raise Unpackable(f"the compressed answer is broken: {problem}") from problem
            data = self._inflate.unconsumed_tail
            yield piece
            # A full piece may leave more inside, although all of the data went in.
            if not data and len(piece) < PIECE:
                return
