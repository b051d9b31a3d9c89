"""What the name of a tool says that it does, where that is more than reading.

Word by word, whatever joins the words (`delete_file`, `deleteFile`, `delete-file`, `Delete File`):
`undeleted`, `dropdown` and `sender_info` say nothing. The first word that tells what is done
decides: `get_deploy_status` and `preview_delete` read. Words that are as often a noun, or what is
done to a text and not to a thing (`clear`, `post`, `merge`, `remove_background`), are left alone:
a finding that is often wrong is not read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

_LOOKED_AT: Final = 1_000
"""Characters; longer names are findings of their own."""


def _these(words: str) -> frozenset[str]:
    return frozenset(words.split())


_NOTHING: Final[frozenset[str]] = frozenset()
_TRANSFORMED: Final = _these(
    "accents background formatting markup na noise nulls outliers punctuation stopwords watermark "
    "whitespace"
)
ACTING: Final[dict[str, frozenset[str]]] = {
    "delete": _NOTHING,
    "remove": _TRANSFORMED,
    "drop": _TRANSFORMED | _these("box down in off out point rate ship shadow zone"),
    "destroy": _NOTHING,
    "purge": _NOTHING,
    "wipe": _NOTHING,
    "erase": _TRANSFORMED,
    "truncate": _these("content html number output string strings text tokens words"),
    "overwrite": _NOTHING,
    "uninstall": _NOTHING,
    "terminate": _NOTHING,
    "kill": _NOTHING,
    "shutdown": _NOTHING,
    "reboot": _NOTHING,
    "revoke": _NOTHING,
    "send": frozenset({"grid", "in", "rate", "time"}),
    "resend": _NOTHING,
    "publish": _these("date status time year"),
    "unpublish": _NOTHING,
    "deploy": _these(
        "check docs guide history hook hooks info key keys log logs plan preview progress state "
        "stats status time url"
    ),
}
"""Words for what changes something, each with the words after it that make it a noun, or an
operation on a text."""

_ALSO: Final = {
    f"{word}s": word
    for word in (
        *("delete", "remove", "destroy", "purge", "wipe", "erase", "overwrite", "uninstall"),
        *("terminate", "revoke", "send", "resend"),
    )
} | {"destroys": "destroy", "publishes": "publish"}
"""As a sentence has them; `drops` and `deploys` are plurals more often."""

_READING: Final = _these(
    "analyse analyze calculate can check compare count describe detect dry estimate explain fetch "
    "find generate get has how inspect is lint lookup monitor parse plan predict preview read "
    "recommend should show simulate suggest summarize validate verify what when why would"
)
_READING_OR_NOUN: Final = _these("browse list query review search track view watch")
"""They decide unless what is done comes last: `list_deploy_keys` reads, `todo_list_delete` not."""

_FOLLOWS_A_PREFIX: Final = frozenset({"describe", "fetch", "get"})
"""What stands before them is whose tool it is: `octopus_deploy_get_project`."""

_MERELY: Final = frozenset({"dryrun", "preview", "simulation"})
_JOINTS: Final = frozenset({"and", "or", "then"})
_PIECES: Final = re.compile(r"[^\W_]+")
_HUMPS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^A-Z\d]+|\d+")


def acting_word(name: str) -> str:
    """The word of a name or title that says it does more than to read; empty where none does."""
    words = list(_words(name))
    for clause in _clauses(words):
        if word := _acting_in(clause):
            return word
    return ""


def _words(name: str) -> Iterator[str]:
    for piece in _PIECES.findall(unicodedata.normalize("NFKC", name[:_LOOKED_AT])):
        for hump in _HUMPS.findall(piece):
            yield hump.casefold()


def _clauses(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """What stands between `and`s: of `get_and_delete` each half says something of its own."""
    start = 0
    for at, word in enumerate(words):
        if word in _JOINTS and words[at - 1 : at] != ["drag"]:
            yield words[start:at]
            start = at + 1
    yield words[start:]


def _acting_in(clause: Sequence[str]) -> str:
    if set(clause[-1:]) & _MERELY or list(clause[-2:]) == ["dry", "run"]:
        return ""
    for at, spelt in enumerate(clause):
        word = _ALSO.get(spelt, spelt)
        after = clause[at + 1] if at + 1 < len(clause) else ""
        if word in _READING:
            return ""
        if word in _READING_OR_NOUN and _ALSO.get(clause[-1], clause[-1]) not in ACTING:
            return ""
        if word in ACTING and after not in ACTING[word] | _FOLLOWS_A_PREFIX:
            # What `drag_and_drop` moves about is on a screen.
            return "" if "drag" in clause[:at] else word
    return ""
