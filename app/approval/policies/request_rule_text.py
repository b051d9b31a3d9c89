"""One `[[rule]]` of a policy file that is on what a server asks."""

from __future__ import annotations

from collections.abc import Iterator

from ...content.text import visible
from ...protocol.server_requests.capabilities import ROOTS, SAMPLING
from ...protocol.trust import Trust
from .name_globs import NameGlobs
from .on_text import OF_REQUESTS, ON_KEY, REQUESTS
from .policy_tables import Table, described, near, one_of
from .request_rules import (
    FORM,
    MAY_SAY,
    URL,
    ChoiceCondition,
    NamedBy,
    RequestCondition,
    RequestNameCondition,
    RequestRule,
    SecretCondition,
    ToolsCondition,
    on_words,
)
from .rule_text import read_globs
from .rules import Then

_EVERY = ("name", ON_KEY, "then", "reason", "server", "trust")
_OF_CALLS = (
    *("tool", "effect", "world", "definition", "approved", "doubts", "hints", "counts"),
    *("argument", "result"),
)
_DECLINING = ("deny", "decline", "reject", "cancel")


def read_request_rule(table: Table, number: int, on: frozenset[str]) -> RequestRule:
    """The rule; what is wrong with it is noted in the table's problems."""
    _note_foreign_keys(table, on)
    rule = RequestRule(
        number=number,
        then=_then(table, on),
        on=on,
        name=visible(table.text("name")),
        reason=visible(table.text("reason")),
        conditions=tuple(_conditions(table)),
        line=table.line,
    )
    table.done()
    return rule


def _then(table: Table, on: frozenset[str]) -> Then:
    kinds = [one for one in REQUESTS if one in on]
    allowed = [one for one in Then if all(one in MAY_SAY[kind] for kind in kinds)]
    value = table.take("then", required=True)
    if isinstance(value, str) and value in allowed:
        return Then(value)
    if value is not None:
        table.wrong("then", _why_not(value, on, allowed))
    return Then.REFUSE


def _why_not(value: object, on: frozenset[str], allowed: list[Then]) -> str:
    """Why a rule cannot say that, and what to write."""
    write = f"write then = {one_of(allowed)}"
    if value in _DECLINING:
        return f'what is refused is declined: write then = "{Then.REFUSE}"'
    if value == Then.ASK_STRONGLY and Then.ASK in allowed:
        return f'a server\'s request is asked about in one way: write then = "{Then.ASK}"'
    if value == Then.ALLOW and (rest := on - {ROOTS}):
        whose = "the model's words" if rest == {SAMPLING} else "the answer"
        return f"no policy makes up {whose}, which you or --answer FILE give: {write}"
    if value in (Then.ASK, Then.ASK_STRONGLY) and ROOTS in on:
        return f"nobody is asked about roots, which L and --root say: {write}"
    return (
        f"then is {one_of(allowed)} in a rule on {on_words(on)}, not {described(value)}"
        f"{near(value, allowed)}"
    )


def _note_foreign_keys(table: Table, on: frozenset[str]) -> None:
    fitting = [*_EVERY[4:], *(key for key, kinds in OF_REQUESTS.items() if on.issubset(kinds))]
    takes = f"a rule on {on_words(on)} goes by {', '.join(fitting)}"
    for key in (*_OF_CALLS, *OF_REQUESTS):
        if key not in fitting and table.take(key) is not None:
            table.wrong(key, f"{key} says nothing here: {takes}")


def _conditions(table: Table) -> Iterator[RequestCondition]:
    for of in NamedBy:
        globs = tuple(read_globs(table, of.value))
        if of is NamedBy.HOST:
            # Names of hosts have no case.
            globs = tuple(glob.casefold().rstrip(".") for glob in globs)
        # A glob for every server demands nothing; one for every host demands a page.
        if globs and (of is NamedBy.HOST or not any(set(glob) == {"*"} for glob in globs)):
            yield RequestNameCondition(of, NameGlobs(globs))
    if trust := table.choice("trust", tuple(Trust), default=""):
        yield ChoiceCondition("trust", trust)
    if mode := table.choice("mode", (FORM, URL), default=""):
        yield ChoiceCondition("mode", mode)
    if (secret := table.optional_flag("asks_for_secret")) is not None:
        yield SecretCondition(secret)
    if (tools := table.optional_flag("gives_tools")) is not None:
        yield ToolsCondition(tools)
