"""Labels of a result: `sensitive`, `untrusted`, and references to evidence.

Draft `specification/draft/conformance/trust-annotations`: labels are in the `_meta` of a result
and of its blocks. A block may add a label and never takes one back; an absent label claims
nothing. They are claims of the server (`docs/trust-model.md`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, pointer
from ...content.text import shortened
from ..findings.findings import Finding, note, warning
from .evidence_digests import DigestAnswer, DigestCheck, DigestClaim, is_digest
from .register import EXTENSIONS

NAME: Final = "trust-annotations"
KEY: Final = EXTENSIONS[NAME].identifier
BLOCKS_MAX: Final = 10_000
"""Blocks that are looked at; of more, the result counts as having both labels."""
REFERENCES_MAX: Final = 10
FINDINGS_MAX: Final = 10
_SHOWN: Final = 60
_REFERENCE: Final = ("type", "digest", "canonicalization", "schema", "ref")


class TrustLabel(StrEnum):
    """What a server may claim of a result."""

    SENSITIVE = "sensitive"
    UNTRUSTED = "untrusted"


@frozen
class EvidenceReference:
    """A pointer to a record outside of the result; raw strings, empty if absent."""

    type: str
    digest: str
    canonicalization: str
    schema: str
    ref: str
    path: str
    check: DigestCheck | None = None
    """The comparison of its digest with a record; None before it."""

    @property
    def claim(self) -> DigestClaim:
        """What a record is compared with."""
        return DigestClaim(self.digest, self.canonicalization, self.ref)

    @property
    def words(self) -> str:
        """All that is given, safe to show."""
        shown = {key: shortened(getattr(self, key), 80) for key in _REFERENCE}
        given = [f"{key} “{value}”" for key, value in shown.items() if value and key != "type"]
        return ", ".join((f"evidence “{shown['type']}”", *given))

    def as_json(self) -> dict[str, JsonValue]:
        """The given members, by the draft's names, and Signoff's `check` of the digest."""
        given: dict[str, JsonValue] = {
            key: getattr(self, key) for key in _REFERENCE if getattr(self, key)
        }
        return given if self.check is None else {**given, "check": self.check.as_json()}


@frozen
class TrustLabels:
    """The labels of a whole result: those of the result itself and of all of its blocks."""

    labels: frozenset[TrustLabel] = frozenset()
    evidence: tuple[EvidenceReference, ...] = ()

    def as_json(self) -> dict[str, JsonValue]:
        """Each label that is claimed, and the references."""
        found: dict[str, JsonValue] = {one.value: True for one in TrustLabel if one in self.labels}
        if self.evidence:
            found["evidence"] = [one.as_json() for one in self.evidence]
        return found

    def checked(self, checks: Sequence[DigestCheck]) -> TrustLabels:
        """The same labels, each reference with the comparison of its digest."""
        evidence = (
            replace(one, check=check) for one, check in zip(self.evidence, checks, strict=True)
        )
        return replace(self, evidence=tuple(evidence))

    @property
    def digest_findings(self) -> list[Finding]:
        """A finding for each digest that differs from that of its record."""
        return [
            warning(
                "evidence-digest-differs",
                f"the digest of evidence “{shortened(one.type, _SHOWN)}” differs: "
                f"{one.check.reason} has {one.check.derived}, not {one.digest}",
                f"{one.path}.digest",
            )
            for one in self.evidence
            if one.check is not None and one.check.answer is DigestAnswer.DIFFERS
        ]


def label_words(labels: frozenset[TrustLabel]) -> str:
    """`sensitive and untrusted`, in a fixed order."""
    return " and ".join(one.value for one in TrustLabel if one in labels)


def read_labels(result: JsonValue) -> tuple[TrustLabels, list[Finding]]:
    """The labels of a raw result, and findings on them."""
    if not isinstance(result, dict):
        return TrustLabels(), []
    findings: list[Finding] = []
    evidence: list[EvidenceReference] = []
    labels: set[TrustLabel] = set()
    of_result: set[TrustLabel] = set()
    for path, held in _places(result):
        claimed = _read(held, path, findings, evidence)
        labels |= claimed
        if path == _path():
            of_result = claimed
        elif isinstance(held, dict):
            for label in of_result:
                if held.get(label.value) is False:
                    words = f"a block has {label.value}: false, but the whole result is {label}"
                    findings.append(warning("trust-label-weakened", words, f"{path}.{label}"))
    blocks = result.get("content")
    if isinstance(blocks, list) and len(blocks) > BLOCKS_MAX:
        labels |= set(TrustLabel)
    read = TrustLabels(frozenset(labels), tuple(evidence[:REFERENCES_MAX]))
    if read.labels:
        words = f"the server marks this result as {label_words(read.labels)}"
        findings.insert(0, note("trust-labels", words, "$._meta"))
    findings[FINDINGS_MAX:] = []
    findings += [note("trust-evidence", one.words, one.path) for one in read.evidence]
    return read, findings


def _path(*steps: str | int) -> str:
    return pointer((*steps, "_meta", KEY))


def _places(result: dict[str, JsonValue]) -> Iterator[tuple[str, JsonValue]]:
    """The values of the key, that of the result first."""
    if isinstance(meta := result.get("_meta"), dict) and KEY in meta:
        yield _path(), meta[KEY]
    blocks = result.get("content")
    for at, block in enumerate(blocks[:BLOCKS_MAX] if isinstance(blocks, list) else ()):
        if not isinstance(block, dict):
            continue
        if isinstance(meta := block.get("_meta"), dict) and KEY in meta:
            yield _path("content", at), meta[KEY]
        inner = block.get("resource")
        meta = inner.get("_meta") if isinstance(inner, dict) else None
        if isinstance(meta, dict) and KEY in meta:
            yield _path("content", at, "resource"), meta[KEY]


def _read(
    held: JsonValue, path: str, findings: list[Finding], evidence: list[EvidenceReference]
) -> set[TrustLabel]:
    def malformed(words: str, at: str = "") -> None:
        findings.append(warning("malformed-trust-annotations", words, f"{path}{at}"))

    if not isinstance(held, dict):
        malformed("trust annotations are not an object")
        return set()
    claimed = set()
    for label in TrustLabel:
        value = held.get(label.value)
        if value is True:
            claimed.add(label)
        elif label.value in held and value is not False:
            malformed(f"{label} is not true or false: no claim", f".{label}")
    if "evidenceRef" in held:
        at = f"{path}.evidenceRef"
        reference, flaw = _read_reference(held["evidenceRef"], at)
        if reference is not None:
            evidence.append(reference)
        if flaw:
            malformed(flaw, ".evidenceRef")
    return claimed


def _read_reference(raw: JsonValue, path: str) -> tuple[EvidenceReference | None, str]:
    """A reference, and the first flaw of it in words."""
    if not isinstance(raw, dict):
        return None, "evidenceRef is not an object"
    strings = {key: raw[key] for key in _REFERENCE if isinstance(raw.get(key), str)}
    kind, digest, form, schema, ref = (str(strings.get(key, "")) for key in _REFERENCE)
    read = EvidenceReference(kind, digest, form, schema, ref, path)
    odd = [key for key in _REFERENCE if key in raw and key not in strings]
    if odd:
        return read, f"{odd[0]} of evidenceRef is not a string"
    if not read.type:
        return read, "evidenceRef has no type"
    if read.digest and not is_digest(read.digest):
        shown = shortened(read.digest, _SHOWN)
        return read, f"the digest “{shown}” is not sha256: and 64 hexadecimal digits"
    if read.digest and not read.canonicalization:
        return read, "evidenceRef has a digest without a canonicalization: it cannot be checked"
    return read, ""
