"""Python's reader of JSON, told what to refuse, and made once for each thread."""

from __future__ import annotations

import json
import math
import threading
from collections import Counter
from typing import Any

from .json_limits import JsonLimitError

_DUPLICATES_MAX = 20


class JsonReader(json.JSONDecoder):
    """Refuses what could not be written again, and notes names that an object has twice."""

    def __init__(self, int_digits: int) -> None:
        super().__init__(
            object_pairs_hook=self._members,
            parse_int=self._integer,
            parse_float=self._real,
            parse_constant=_no_constant,
        )
        self.int_digits = int_digits
        self._repeated: dict[str, None] = {}

    def repeated_names(self) -> tuple[str, ...]:
        """Those of the newest text, at most 20 of them."""
        return tuple(self._repeated)[:_DUPLICATES_MAX]

    def begin(self) -> None:
        """Another text comes."""
        if self._repeated:
            self._repeated = {}

    def _members(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs) and len(self._repeated) < _DUPLICATES_MAX:
            self._repeated.update(_repeated(pairs))
        return value

    def _integer(self, digits: str) -> int:
        if len(digits) - (digits[0] == "-") > self.int_digits:
            raise JsonLimitError(f"a number has more than {self.int_digits:,} digits")
        return int(digits)

    def _real(self, digits: str) -> float:
        if len(digits) > self.int_digits:
            raise JsonLimitError(f"a number has more than {self.int_digits:,} digits")
        value = float(digits)
        if math.isinf(value):
            raise JsonLimitError("a number is too large for a double")
        return value


_readers = threading.local()


def reader_of_thread(int_digits: int) -> JsonReader:
    """This thread's, since making one takes as long as reading a short message."""
    reader: JsonReader | None = getattr(_readers, "newest", None)
    if reader is None or reader.int_digits != int_digits:
        reader = _readers.newest = JsonReader(int_digits)
    reader.begin()
    return reader


def _no_constant(name: str) -> Any:
    raise JsonLimitError(f"{name} is not JSON")


def _repeated(pairs: list[tuple[str, Any]]) -> dict[str, None]:
    counted = Counter(name for name, _ in pairs)
    return {name: None for name, count in counted.items() if count > 1}
