"""Digests of evidence: derived from the record that a client holds, and compared.

Draft `specification/draft/conformance/trust-annotations`, family B: a digest is SHA-256 of the
canonical form of a record, by RFC 8785 or by RFC 8949, section 4.2.1. The record itself is not in
the annotation. Signoff derives what it holds anyway: records of the same response, and resources
that were read earlier under the URI `ref`. Nothing is requested for it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import Any, Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonLimitError, JsonValue, Limits, compact, parse
from ...content.text import shortened

RECORD_LIMITS: Final = Limits(size=256_000, depth=32, nodes=20_000, int_digits=400)
"""A record that is derived; the draft has small ones in mind."""
RECORDS_MAX: Final = 50
"""Records of one response that are looked at."""
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}\Z")
_SAFE: Final = 2**53 - 1
"""RFC 8785 numbers are those of I-JSON (RFC 7493, section 2.2)."""
_HEADS: Final = (-(2**64), 2**64 - 1)
"""Integers that CBOR has without a tag (RFC 8949, section 3.1)."""
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_SHOWN: Final = 80


class DigestAnswer(StrEnum):
    """Result of a comparison."""

    MATCHED = "matched"
    DIFFERS = "differs"
    NOT_DERIVED = "not-derived"


class NotDerived(ValueError):
    """A record has no canonical form here; `reason` is safe to show."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@frozen
class DigestCheck:
    """The comparison of one digest. `reason` is the place of the record, or why there is none."""

    answer: DigestAnswer
    reason: str
    derived: str = ""
    """`sha256:` and hexadecimal digits; empty if none was derived."""

    @property
    def words(self) -> str:
        """`matched, by the resource “audit://1”`; safe to show."""
        if self.answer is DigestAnswer.NOT_DERIVED:
            return f"cannot be derived: {self.reason}"
        seen = f" has {self.derived}" if self.answer is DigestAnswer.DIFFERS else ""
        return f"{self.answer}: {self.reason}{seen}"

    def as_json(self) -> dict[str, JsonValue]:
        """`derived` is None without a digest."""
        return {
            "answer": self.answer.value,
            "reason": self.reason,
            "derived": self.derived or None,
        }


@frozen
class DigestClaim:
    """What a reference claims: raw strings, empty if absent."""

    digest: str
    canonicalization: str
    ref: str

    @property
    def not_derivable(self) -> str:
        """Why no record can be compared with it; empty if one can."""
        if not self.digest:
            return "the reference has no digest"
        if not is_digest(self.digest):
            return "the digest is malformed"
        if not self.canonicalization:
            return "the reference has no canonicalization"
        if self.canonicalization not in CANONICALIZATIONS:
            shown = shortened(self.canonicalization, _SHOWN)
            return f"Signoff does not know the canonicalization “{shown}”"
        return ""


@frozen
class _Record:
    place: str
    """In words, safe to show."""
    uri: str
    text: str


def check_digests(
    claims: tuple[DigestClaim, ...], result: JsonValue, earlier: Mapping[str, str]
) -> list[DigestCheck]:
    """Compare each claim with the records of a raw result, and with resources by URI.

    It takes long for large records, so it belongs into a worker.
    """
    records = list(_records(result, earlier))
    return [_check(one, records) for one in claims]


def is_digest(text: str) -> bool:
    """True for `sha256:` and 64 hexadecimal digits in lower case, as the draft has them."""
    return _DIGEST.match(text) is not None


def resource_texts(result: JsonValue, uri: str) -> dict[str, str]:
    """The text of a resource in the raw result of its read, by URI; empty without one."""
    contents = result.get("contents") if isinstance(result, dict) else None
    for one in contents if isinstance(contents, list) else ():
        if isinstance(one, dict) and one.get("uri") == uri and isinstance(one.get("text"), str):
            return {uri: str(one["text"])}
    return {}


def canonical_digest(text: str, canonicalization: str) -> str:
    """`sha256:` and the digest of a record of JSON, by the name of a canonicalization.

    Raises NotDerived.
    """
    try:
        parsed = parse(text, RECORD_LIMITS)
    except JsonLimitError as problem:
        raise NotDerived(problem.reason) from None
    except JsonError as problem:
        raise NotDerived(f"not JSON: {problem.reason}") from None
    if parsed.duplicates:
        name = shortened(parsed.duplicates[0], _SHOWN)
        raise NotDerived(f"an object has the name “{name}” twice")
    encode = CANONICALIZATIONS[canonicalization]
    return f"sha256:{hashlib.sha256(encode(parsed.value)).hexdigest()}"


def _check(claim: DigestClaim, records: list[_Record]) -> DigestCheck:
    if why := claim.not_derivable:
        return DigestCheck(DigestAnswer.NOT_DERIVED, why)
    named = [one for one in records if claim.ref and one.uri == claim.ref]
    differing, why = None, ""
    for one in named or records:
        try:
            derived = canonical_digest(one.text, claim.canonicalization)
        except NotDerived as problem:
            why = why or f"{one.place}: {problem.reason}"
            continue
        if derived == claim.digest:
            return DigestCheck(DigestAnswer.MATCHED, one.place, derived)
        differing = differing or DigestCheck(DigestAnswer.DIFFERS, one.place, derived)
    if named:
        # The server itself names this record, so another digest is a contradiction.
        return differing or DigestCheck(DigestAnswer.NOT_DERIVED, why)
    if claim.ref:
        why = "its record is neither in the response nor read earlier in this session"
    else:
        why = "no ref names its record, and none in the response has this digest"
    return DigestCheck(DigestAnswer.NOT_DERIVED, why)


def _records(result: JsonValue, earlier: Mapping[str, str]) -> Iterator[_Record]:
    """What can be a record: resources, JSON texts, structuredContent, earlier resources."""
    whole = result if isinstance(result, dict) else {}
    found = 0
    blocks = whole.get("content")
    for block in blocks if isinstance(blocks, list) else ():
        if isinstance(block, dict) and (record := _record_of(block)) is not None:
            found += 1
            yield record
            if found == RECORDS_MAX:
                break
    if isinstance(structured := whole.get("structuredContent"), dict | list):
        yield _Record("structuredContent", "", compact(structured))
    for uri, text in earlier.items():
        shown = shortened(uri, _SHOWN)
        yield _Record(f"the resource “{shown}”, read earlier", uri, text)


def _record_of(block: dict[str, JsonValue]) -> _Record | None:
    inner = block.get("resource")
    if isinstance(inner, dict):
        uri, text = inner.get("uri"), inner.get("text")
        if isinstance(uri, str) and isinstance(text, str):
            return _Record(f"the resource “{shortened(uri, _SHOWN)}” in the response", uri, text)
        return None
    text = block.get("text")
    if isinstance(text, str) and text[:1] in ("{", "["):
        return _Record("a text of the response", "", text)
    return None


def _jcs(value: JsonValue) -> bytes:
    import rfc8785

    for one in _scalars(value):
        if type(one) is int and not -_SAFE <= one <= _SAFE:
            raise NotDerived("RFC 8785 has no integers beyond 2^53 - 1")
    return rfc8785.dumps(_any(value))


def _cbor(value: JsonValue) -> bytes:
    import cbor2

    for one in _scalars(value):
        if type(one) is int and not _HEADS[0] <= one <= _HEADS[1]:
            raise NotDerived("an integer has more than 64 bits")
        if isinstance(one, float) and one.is_integer():
            raise NotDerived("CBOR has a number like 1.0 as an integer or as a float")
    # All names are strings: their order by length, which the library has, is that by bytes.
    return cbor2.dumps(_any(value), canonical=True)


CANONICALIZATIONS: Final[Mapping[str, Callable[[JsonValue], bytes]]] = {
    "jcs/rfc8785": _jcs,
    "cbor/rfc8949": _cbor,
}
"""The two of the draft, by their names there."""


def _any(value: JsonValue) -> Any:
    return value


def _scalars(value: JsonValue) -> Iterator[bool | int | float | None]:
    """Every number, boolean and null. Raises NotDerived for half a character in a string."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        match one:
            case str():
                _whole(one)
            case list():
                waiting += one
            case dict():
                for name in one:
                    _whole(name)
                waiting += one.values()
            case _:
                yield one


def _whole(text: str) -> None:
    if _SURROGATE.search(text):
        raise NotDerived("a string has half of a character")
