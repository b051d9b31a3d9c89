"""`signoff experimental digest`: the digests of a record, to be compared with `evidenceRef`."""

from __future__ import annotations

from typing import NamedTuple

from ...cli.options.declared import opt, options
from ...cli.options.server import AS_JSON
from ...cli.output.printing import say
from ...cli.targets.live import print_json
from ...cli.targets.targets import UsageError
from ...content.files.content import FileFault, read_text
from ...content.text import visible
from ...presentation.exit_status import ExitStatus
from ...protocol.extensions.evidence_digests import (
    CANONICALIZATIONS,
    RECORD_LIMITS,
    NotDerived,
    canonical_digest,
    is_digest,
)


@options
class DigestOptions(NamedTuple):
    """Options of `experimental digest`."""

    file: str = opt("FILE", "a record of evidence, as JSON")
    expect: str = opt(
        "--expect DIGEST", "exit with 4 unless the record has this digest, such as sha256:48dc..."
    )
    json: bool = AS_JSON


def run_digest(wanted: DigestOptions) -> int:
    """Print the digest by each canonicalization of the draft; returns the exit status."""
    if wanted.expect and not is_digest(wanted.expect):
        raise UsageError("--expect: a digest is sha256: and 64 hexadecimal digits, in lower case")
    shown = visible(wanted.file)
    try:
        text = read_text(wanted.file, RECORD_LIMITS.size)
    except FileFault as fault:
        raise UsageError(f"{shown} {fault}") from None
    digests: dict[str, str] = {}
    reasons: dict[str, str] = {}
    for form in CANONICALIZATIONS:
        try:
            digests[form] = canonical_digest(text, form)
        except NotDerived as problem:
            reasons[form] = problem.reason
    if not digests:
        raise UsageError(f"{shown}: no digest: {next(iter(reasons.values()))}")
    matched = [form for form, digest in digests.items() if digest == wanted.expect]
    if wanted.json:
        by_form = {form: digests.get(form) for form in CANONICALIZATIONS}
        found = matched[0] if matched else None
        print_json({"digests": by_form, "not_derived": reasons, "matched": found})
    else:
        for form in CANONICALIZATIONS:
            mark = "   matched" if form in matched else ""
            words = digests.get(form) or f"cannot be derived: {reasons[form]}"
            say(f"{form}   {words}{mark}")
        if wanted.expect and not matched:
            say("No canonicalization leads to the expected digest.")
    return ExitStatus.BROKEN if wanted.expect and not matched else ExitStatus.OK
