"""Names of a server's among words of our own."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from ...content.text import cut, visible

_NAMES_SHOWN: Final = 5
_NAME_LIMIT: Final = 60


def quoted(name: str, limit: int = _NAME_LIMIT) -> str:
    """A name of the server's in quotes that it cannot close; safe to show."""
    short = cut(name, limit)
    shown = visible(json.dumps(short.text, ensure_ascii=False))
    return f"{shown}…" if short.is_cut else shown


def names(values: Iterable[str]) -> str:
    """The first few names in quotes, and how many more there are."""
    listed = list(values)
    more = f" and {len(listed) - _NAMES_SHOWN:,} more" if len(listed) > _NAMES_SHOWN else ""
    return ", ".join(quoted(one) for one in listed[:_NAMES_SHOWN]) + more
