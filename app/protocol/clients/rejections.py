"""What some clients reject although the schema allows it, in words.

JSON Schema leaves formats to who judges; the TypeScript SDK asserts those that ajv-formats knows
(1.32 and 2.4). It computes in binary fractions; so does the Python SDK (2.3), but for integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...content.json.jsonio import pointer
from ...content.text import visible
from ...schemas.schema import Mismatch, SchemaVerdict
from ..findings import Finding, error, note, warning
from .table import client_words, rules

_SHOWN: Final = 5
_VOWELS: Final = "aeio"


def format_words(mismatch: Mismatch) -> str:
    """What the value is not, such as `not a date-time`; safe to show."""
    name = visible(mismatch.format)
    return f"not {'an' if name[:1] in _VOWELS else 'a'} {name}"


def rejecting_clients(mismatch: Mismatch) -> str:
    """Who rejects the value, as the subject of a sentence."""
    if mismatch.keyword == "multipleOf":
        return "clients that compute in binary fractions, as the TypeScript SDK does,"
    if not mismatch.is_rejected_by_ajv:
        return "validators that assert formats"
    return client_words(rules()["format-mismatch"].rejected_in)


def rejection_words(mismatch: Mismatch) -> str:
    """Who rejects it, and why; safe to show."""
    what = format_words(mismatch) if mismatch.format else ""
    why = f"is {what}" if what else mismatch.message
    return f"{rejecting_clients(mismatch)} reject it: {pointer(mismatch.path)} {why}"


def rejection_note(mismatch: Mismatch) -> str:
    """The same beside the field of a form that the value stands in."""
    if mismatch.format:
        return mismatch.message
    return f"{mismatch.message}; some validators reject it"


def answer_rejections(verdict: SchemaVerdict, is_error: bool) -> list[Finding]:
    """The findings on structuredContent that its schema allows."""
    return [
        _answer_rejection(one, f"{rejection_words(one)}{_more(verdict, one)}", is_error)
        for one in verdict.rejected_by_clients[:_SHOWN]
    ]


def _answer_rejection(mismatch: Mismatch, words: str, is_error: bool) -> Finding:
    message, path = f"valid, but {words}", pointer(("structuredContent", *mismatch.path))
    if mismatch.keyword == "multipleOf":
        if is_error:
            return note("binary-fractions", message, path)
        return warning("binary-fractions", message, path)
    if is_error or not mismatch.is_rejected_by_ajv:
        return note("format-mismatch", message, path)
    return error("format-mismatch", message, path)


def argument_rejections(verdict: SchemaVerdict) -> list[Finding]:
    """The findings on arguments that their schema allows: a server may assert formats, too."""
    found = []
    for one in verdict.rejected_by_clients[:_SHOWN]:
        where = pointer(one.path)
        why = f"is {format_words(one)}" if one.format else one.message
        message = f"allowed, but servers that {_doing(one)} reject it: {where} {why}"
        found.append(note("arguments-at-risk", f"{message}{_more(verdict, one)}"))
    return found


def _doing(mismatch: Mismatch) -> str:
    return "compute in binary fractions" if mismatch.keyword == "multipleOf" else "assert formats"


def _more(verdict: SchemaVerdict, mismatch: Mismatch) -> str:
    rest: Sequence[Mismatch] = verdict.rejected_by_clients[_SHOWN:]
    is_last = verdict.rejected_by_clients[_SHOWN - 1 : _SHOWN] == (mismatch,)
    return f"; and {len(rest):,} more" if rest and is_last else ""
