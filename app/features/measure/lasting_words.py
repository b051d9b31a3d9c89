"""What an answer that lasts covers, in words, and the rows of tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ...hosts.measured.values import LASTING, Did, Measurement
from ...presentation.escapes import markdown_head, markdown_row

_LASTING: Final = (
    ("the same call", "remembered/same"),
    ("other arguments", "remembered/other-arguments"),
    ("another tool", "remembered/other-tool"),
    ("another description", "remembered/changed-description"),
    ("another schema", "remembered/changed-schema"),
    ("declared destructive later", "remembered/changed-hints"),
    ("a new session", "remembered/new-session"),
    ("a renamed server", "remembered/renamed-server"),
)
_COVERED: Final = {Did.RAN: "covered", Did.ASKED: "asks"}


def lasting_rows(measured: Sequence[Measurement]) -> list[str]:
    """Scope of an answer that lasts, for the hosts that offered one."""
    heads = ["“always” covers, in", "version", "surface", *(title for title, _ in _LASTING)]
    rows = markdown_head(heads)
    for one in measured:
        if _has_lasting(one):
            cells = [one.cell(probe) for _, probe in _LASTING]
            words = [
                "-" if each is None else _COVERED.get(each.did, each.did.value) for each in cells
            ]
            rows.append(markdown_row([mode_name(one), one.version, one.surface, *words]))
    return rows


def lasting_lines(found: Measurement) -> Iterator[str]:
    """`“always” covers: the same call, other arguments`, then what asks again."""
    if not _has_lasting(found):
        return
    for did, words in ((Did.RAN, "“always” covers"), (Did.ASKED, "“always” does not cover")):
        titles = [
            title
            for title, probe in _LASTING
            if (cell := found.cell(probe)) is not None and cell.did is did
        ]
        if titles:
            yield f"{words}: {', '.join(titles)}"


def _has_lasting(found: Measurement) -> bool:
    """True if the first call had a question, and was approved by an answer that lasts."""
    first = found.cell("remembered/first")
    if first is None or first.did is not Did.ASKED:
        return False
    return (first.facts or {}).get(LASTING) is not False


def mode_name(found: Measurement) -> str:
    return f"{found.host}:{found.mode}" if found.mode else found.host
