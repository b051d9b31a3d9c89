"""The grammar of `sign_in` in flow files: what a server may ask of a sign-in, and the answer."""

from __future__ import annotations

from typing import Any, Final

from ...content.files.kinds import Key, ListOf, OneOf, Table, Text, Word
from ...content.files.tree import Problems, Tree
from .matcher_grammar import COUNT, MATCH_TEXT

FOLLOW, DENY, NONE = "follow", "deny", "none"
ANSWERS: Final = (FOLLOW, DENY, NONE)
_OF_A_QUESTION: Final = ("scopes", "added", "issuer", "client")
_SCOPES: Final = ListOf(Text(), or_one=True, may_be_empty=True)


def is_none(found: Any) -> bool:
    """True if a read `sign_in` expects no sign-in."""
    return (found.get("answer") if isinstance(found, dict) else found) == NONE


def _check(tree: Tree, found: dict[str, Any], problems: Problems) -> None:
    for key in _OF_A_QUESTION:
        if key in found and found.get("answer") == NONE:
            words = f"{key} is about a sign-in that is asked, and with answer: none it is not"
            problems.add(tree.keys[key], words)


def _check_some(tree: Tree, found: dict[str, Any], problems: Problems) -> None:
    if len(found) == 1:
        problems.add(tree.spot, "the matcher is empty: give one of contains, lacks")


SIGN_IN: Final = OneOf(
    (
        Word(ANSWERS),
        Table(
            "a sign-in",
            {
                "answer": Key(
                    Word(ANSWERS),
                    "follow the page on this machine, deny, or none: no sign-in is asked",
                    is_required=True,
                ),
                "scopes": Key(
                    OneOf(
                        (
                            _SCOPES,
                            Table(
                                "a matcher of scopes",
                                {
                                    "contains": Key(ListOf(Text(), or_one=True), "those among it"),
                                    "lacks": Key(ListOf(Text(), or_one=True), "those not in it"),
                                },
                                check=_check_some,
                            ),
                        )
                    ),
                    "the scopes that are requested: exactly these, or some of them",
                ),
                "added": Key(_SCOPES, "those among them that no sign-in before had: exactly these"),
                "issuer": Key(MATCH_TEXT, "the authorization server"),
                "client": Key(
                    Word(("registered", "document", "given")),
                    "how Signoff is known there: it registers itself, by a client id document, or "
                    "by a client_id",
                ),
                "refreshed": Key(
                    COUNT, "tokens that came without a question, since the sign_in before"
                ),
            },
            check=_check,
        ),
    )
)


def check_sign_ins(tree: Tree, *, is_url: bool, has_target: bool, problems: Problems) -> None:
    """Check that a flow with `sign_in` has a server that can ask for one."""
    if is_url or not has_target:
        return
    steps = tree.members.get("steps")
    for one in (tree, *(steps.items if steps is not None else ())):
        if "sign_in" in one.members:
            problems.add(
                one.keys["sign_in"], "sign_in is for a url, not for a server that is started"
            )
