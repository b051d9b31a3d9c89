"""The import of what a connection needs, and its failure in words."""

from __future__ import annotations

from ...content.text import cut, visible


def import_transport() -> None:
    """Import httpx2 and what needs it, which takes a while."""
    from . import greeting as greeting
    from . import transport as transport


def words_of(failure: BaseException) -> str:
    """The innermost reason of nested exception groups, safe to show."""
    while isinstance(failure, BaseExceptionGroup) and failure.exceptions:
        failure = failure.exceptions[0]
    words = str(failure).strip() or type(failure).__name__
    return visible(cut(words.splitlines()[0], 300).text)
