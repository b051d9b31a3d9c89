"""Who answers a dialog in a flow, and what a server is told that asks."""

from __future__ import annotations

from typing import Any, Final

from .composed_kinds import Either, Key, Several, Table
from .kinds import Anything, Flag, Mistakes, Number, Text
from .yaml_tree import Tree

PERSONS: Final = ("approve", "deny", "never", "close", "absent")
SCOPES: Final = ("once", "arguments", "session")
SECONDS: Final = Number(0, 86_400, unit="seconds")


def _check_person(tree: Tree, found: dict[str, Any], mistakes: Mistakes) -> None:
    answer = found.get("answer")
    if answer == "edit" and "to" not in found:
        mistakes.wrong(tree.spot, "a person who edits needs to: the arguments to send instead")
    for key, wanted in (("to", "edit"), ("then", "edit"), ("remember", "approve")):
        if key in found and answer != wanted:
            words = f"{key} goes with answer: {wanted}, and this person's is {answer}"
            mistakes.wrong(tree.keys[key], words)
    days = found.get("remember")
    if isinstance(days, int) and days not in (1, 7, 30):
        mistakes.wrong(tree.keys["remember"], "the dialog offers 1, 7 or 30 days")


PERSON: Final = Either(
    (
        Text(PERSONS),
        Table(
            "a person",
            {
                "answer": Key(
                    Text((*PERSONS, "edit")), "what is answered to the dialog", is_required=True
                ),
                "after": Key(SECONDS, "seconds until then"),
                "remember": Key(
                    Either((Text(SCOPES), Number(1, 30, is_whole=True, unit="days"))),
                    "what is remembered of an approval",
                ),
                "to": Key(Anything(is_object=True), "the arguments that an edit leads to"),
                "then": Key(Text(PERSONS), "what is answered to the edited call; deny"),
                "use": Key(Flag(), "whether an answer may be used, where that is asked; true"),
            },
            check=_check_person,
        ),
    )
)

_FORM_ANSWER: Final = Either(
    (
        Text(("accept", "decline", "cancel")),
        Table(
            "an answer",
            {
                "action": Key(Text(("accept", "decline", "cancel")), "accept where left out"),
                "content": Key(Anything(is_object=True), "the values of the form"),
                "after": Key(SECONDS, "seconds until it is given"),
            },
        ),
    )
)
_MODEL_ANSWER: Final = Either(
    (
        Text(),
        Table(
            "a model's answer",
            {
                "action": Key(Text(("accept", "decline", "cancel")), "accept where left out"),
                "text": Key(Text(), "what a model would say"),
                "model": Key(Text(), "the name of the model"),
                "after": Key(SECONDS, "seconds until it is given"),
            },
        ),
    )
)
ANSWERS: Final = Table(
    "answers",
    {
        "elicitation": Key(Several(_FORM_ANSWER, or_one=True), "to forms and visits, in order"),
        "sampling": Key(Several(_MODEL_ANSWER, or_one=True), "in a model's place, in order"),
    },
)
