"""What the words of a name tell of a hint; empty where they tell too little to say anything.

A finding that is often wrong is not read, so these are few words, and a name that has words of two
kinds tells nothing.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from ...protocol.telling_names import acting_word
from ..archetypes.holding import words_of


def _these(words: str) -> frozenset[str]:
    return frozenset(words.split())


LOOKING: Final = _these("get list read search find show describe lookup inspect view count")
"""Verbs of looking. `query`, `fetch` and `check` are not among them: SQL writes, git does."""
_OR_NOUN: Final = _these("list view count search read lookup")
ADDING: Final = _these(
    "add append assign attach book build clone comment commit compose copy create draft emit fork "
    "generate import increment init initialize insert invite join launch make new order pay post "
    "publish push put register save schedule send share store submit upload write"
)
CHANGING: Final = _these(
    "apply approve archive change click close configure convert disable drag edit enable "
    "enqueue execute exec fill lock mark merge migrate modify move navigate pause pin press "
    "reload rename replace reply reschedule restart restore resume rotate run set sort start stop "
    "subscribe switch sync tag toggle trigger type undo unlock unpin update upgrade upsert call "
    "track wait"
)
DESTROYING: Final = _these(
    "delete remove drop destroy purge wipe erase truncate overwrite uninstall terminate kill "
    "revoke clear reset prune discard clean empty cancel unlink del rm flush"
)
_SURELY_DESTROYING: Final = _these(
    "delete remove drop destroy purge wipe erase truncate overwrite uninstall terminate kill"
)
_COUNTING: Final = _these("append send resend increment decrement toggle")
_OUTSIDE: Final = (
    _these("web website websites webpage url google internet"),
    _these("search fetch scrape crawl browse"),
)


def says_it_writes(name: str) -> bool:
    """Whether any word of a name may be about a change."""
    return not (ADDING | CHANGING | DESTROYING).isdisjoint(words_of(name))


def looking_word(name: str) -> str:
    """The verb by which a name says that it reads, and nothing else."""
    if says_it_writes(name):
        return ""
    words = words_of(name)
    for at, word in enumerate(words[:2]):
        if word in LOOKING and not (at and word in _OR_NOUN and at == len(words) - 1):
            return word
    return ""


def destroying_word(name: str) -> str:
    """The verb by which a name says that something is gone afterwards."""
    word = acting_word(name)
    return word if word in _SURELY_DESTROYING else ""


def repeating_word(name: str) -> str:
    """The verb by which a name says that each call counts."""
    return next((word for word in words_of(name)[:2] if word in _COUNTING), "")


def outside_words(name: str) -> str:
    """The words by which a name says that it deals with the web."""
    what, verbs = _OUTSIDE
    for one, other in pairwise([word for word in words_of(name) if word not in ("the", "a")]):
        if (one in what and other in verbs) or (one in verbs and other in what):
            return f"{one} {other}"
    return ""


def kind_of_action(value: str) -> str:
    """What a value such as `list` or `delete_row` says that is done: reads, adds, changes, removes.

    Empty where its first words say nothing of the kind.
    """
    for word in words_of(value)[:2]:
        for kind, words in (
            ("reads", LOOKING | {"status", "fetch", "query"}),
            ("adds", ADDING),
            ("changes", CHANGING),
            ("removes", DESTROYING),
        ):
            if word in words:
                return kind
    return ""
