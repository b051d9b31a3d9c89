"""Reads one `[[rule]]` of a policy file.

Its key `on` separates client requests from server requests.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator, Sequence
from typing import Final, cast

from ...content.files.kinds import Flag, Text, Word
from ...content.files.tree import TOML, WRONG, TableReader, Tree
from ...content.json.jsonio import JsonError, JsonValue, canonical
from ...content.text import visible
from ...protocol.definitions.lists import DefinitionStatus
from ...protocol.extensions.trust_annotations import TrustLabel
from ...protocol.hints import HINT_KEYS, Claim, Effect
from ...protocol.server import Trust
from ...protocol.server_requests.capabilities import ELICITATION, ROOTS, SAMPLING
from ...schemas.faults import pattern_faults, schema_fault
from .argument_rules import ArgumentCondition, Comparison, pointer_steps
from .patterns import pattern_fault
from .rules import (
    METHODS,
    ApprovedCondition,
    CarriedCondition,
    ClaimCondition,
    Condition,
    CountsCondition,
    DoubtCondition,
    FactCondition,
    FactOf,
    MethodCondition,
    NameCondition,
    NameOf,
    Rule,
    Then,
    glob_fault,
)

ON_KEY: Final = "on"
REQUESTS: Final = (ELICITATION, SAMPLING, ROOTS)
"""What a server asks, in the order in which it is named."""
OF_REQUESTS: Final = {
    "mode": (ELICITATION,),
    "host": (ELICITATION,),
    "asks_for_secret": (ELICITATION,),
    "gives_tools": (SAMPLING,),
}
"""Keys of rules on what a server asks, beside those of every rule; and on what each is."""


FLAG: Final = Flag()
SOLID: Final = Text(may_be_blank=False)


def read_texts(table: TableReader, key: str, *, may_be_empty: bool = False) -> list[Tree]:
    """The texts under a key, one or a list."""
    tree = table.take(key)
    if tree is None:
        return []
    if isinstance(tree.value, str):
        return [tree]
    if not isinstance(tree.value, list):
        table.problems.unfit(tree, key, "a string or a list of strings")
        return []
    if not tree.value and not may_be_empty:
        table.wrong(key, f"{key} is an empty list, so it never matches")
    for one in tree.value:
        if not isinstance(one.value, str):
            words = f"{key} must list strings, not {TOML.shown(one)}"
            table.problems.add(one.spot, words)
    return [one for one in tree.value if isinstance(one.value, str)]


def read_choices(
    table: TableReader, key: str, allowed: Sequence[str], *, may_be_empty: bool = False
) -> tuple[str, ...]:
    """Some of a few words: one, or a list."""
    kind = Word(allowed)
    trees = read_texts(table, key, may_be_empty=may_be_empty)
    read = [kind.read(one, key, table.problems) for one in trees]
    return tuple(dict.fromkeys(one for one in read if one is not WRONG))


def read_on(table: TableReader) -> frozenset[str]:
    """Read the kinds of request that a rule is on: keys of METHODS, or some of REQUESTS, never
    both.

    Without the key it is on all client requests.
    """
    chosen = frozenset(read_choices(table, ON_KEY, (*METHODS, *REQUESTS)))
    if chosen.intersection(METHODS) and chosen.intersection(REQUESTS):
        words = "on mixes your requests with requests of the server: write two rules"
        table.wrong(ON_KEY, words)
        return frozenset(METHODS)
    return chosen or frozenset(METHODS)


def note_keys_of_requests(table: TableReader) -> None:
    """Report keys that only apply to a server's requests, in a rule on calls."""
    for key, kinds in OF_REQUESTS.items():
        if table.take(key) is not None:
            table.wrong(key, f'{key} is for requests of a server: add on = "{kinds[0]}"')


MOST_SCHEMA_NODES = 500
"""Values in the schema of one rule: reading a policy checks it at once."""
_HINTS = tuple(key.removesuffix("Hint") for key in HINT_KEYS)
_ONLY_HOSTS = (Then.HIDE, Then.JUDGE, Then.UNKNOWN)
_VALUES: dict[FactOf, tuple[str, ...]] = {
    FactOf.EFFECT: tuple(Effect),
    FactOf.WORLD: ("open", "closed"),
    FactOf.TRUST: tuple(Trust),
    FactOf.DEFINITION: tuple(DefinitionStatus),
}
_CLAIMS = tuple(Claim)


def read_rule(table: TableReader, number: int, on: frozenset[str], *, may_be_host: bool) -> Rule:
    """Read the rule; mistakes are noted in the table's problems."""
    note_keys_of_requests(table)
    rule = Rule(
        number=number,
        line=table.spot.line,
        name=visible(table.read("name", SOLID, "")),
        then=_then(table, may_be_host),
        reviews_result=table.read("result", Word(("ask",))) == "ask",
        reason=visible(table.read("reason", SOLID, "")),
        conditions=tuple(_conditions(table, on)),
        arguments=tuple(_arguments(table)),
    )
    table.done()
    return rule


def _then(table: TableReader, may_be_host: bool) -> Then:
    allowed = [one for one in Then if may_be_host or one not in _ONLY_HOSTS]
    tree = table.take("then", required=True)
    if tree is None:
        return Then.REFUSE
    if tree.value in _ONLY_HOSTS and not may_be_host:
        words = f"only host rules may use {TOML.shown(tree)}; use {TOML.one_of(allowed)}"
        table.wrong("then", words)
        return Then.REFUSE
    if tree.value == "ask strongly":
        table.wrong("then", f'then: "ask strongly" is "{Then.ASK_WITH_WARNING}" now')
        return Then.REFUSE
    value = Word(allowed).read(tree, "then", table.problems)
    return Then.REFUSE if value is WRONG else Then(value)


def _conditions(table: TableReader, on: frozenset[str]) -> Iterator[Condition]:
    if len(on) < len(METHODS):
        yield MethodCondition(on)
    for of in NameOf:
        globs = list(read_globs(table, of.value))
        # A glob for every name demands nothing.
        if globs and not any(set(glob) == {"*"} for glob in globs):
            yield NameCondition(of, tuple(globs))
    for fact, values in _VALUES.items():
        chosen = frozenset(read_choices(table, fact.value, values))
        if chosen and len(chosen) < len(values):
            yield FactCondition(fact, chosen)
    approved = table.read("approved", FLAG)
    if approved is not None:
        yield ApprovedCondition(approved)
    doubts = table.read("doubts", FLAG)
    if doubts is not None:
        yield DoubtCondition(doubts)
    if carried := read_choices(table, "carried", tuple(TrustLabel)):
        yield CarriedCondition(frozenset(carried))
    yield from _claims(table)
    yield from _counts(table)


def read_globs(table: TableReader, key: str) -> Iterator[str]:
    """The globs under a key, one or a list, but for those that are faulty."""
    for tree in read_texts(table, key):
        glob = str(tree.value)
        if fault := glob_fault(glob):
            table.problems.add(tree.spot, f"{key} has the glob {TOML.quoted(glob)}: {fault}")
        else:
            yield glob


def _claims(table: TableReader) -> Iterator[Condition]:
    hints = table.table("hints")
    if hints is None:
        return
    for name in _HINTS:
        tree = hints.take(name)
        if tree is None:
            continue
        listed = tree.value if isinstance(tree.value, list) else [tree]
        words = [_claim_word(one.value) for one in listed]
        if not listed or not all(word in _CLAIMS for word in words):
            allowed = 'true, false, "not set" or "malformed", or a list of them'
            renamed = '; "not said" is "not set" now' if "not said" in words else ""
            hints.wrong(name, f"{name} must be {allowed}{renamed}")
        elif len(set(words)) < len(_CLAIMS):
            yield ClaimCondition(name, frozenset(Claim(word) for word in words))
    hints.done()


def _claim_word(value: object) -> str:
    """Spell a value as `Claim` does; empty for a value that is not a word."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else ""


def _counts(table: TableReader) -> Iterator[Condition]:
    counts = table.table("counts")
    if counts is None:
        return
    for name in _HINTS:
        value = counts.read(name, FLAG)
        if value is not None:
            yield CountsCondition(name, value)
    counts.done()


def _arguments(table: TableReader) -> Iterator[ArgumentCondition]:
    for one in table.tables("argument"):
        at = _pointer(one)
        trees = {test: one.take(test.value) for test in Comparison}
        given = {test: tree.plain() for test, tree in trees.items() if tree is not None}
        if len(given) != 1:
            words = "has no test" if not given else "has more than one test"
            one.wrong("at", f"an argument {words}: use one of {', '.join(Comparison)}")
        sound = True
        for test, value in given.items():
            if fault := _fault(test, value):
                sound = False
                one.wrong(test.value, f"{test.value} {fault}")
        one.done()
        if at is not None and sound and len(given) == 1:
            [(test, value)] = given.items()
            yield ArgumentCondition(at, test, _as_json(value))


def _pointer(table: TableReader) -> str | None:
    tree = table.take("at", required=True)
    if tree is None:
        return None
    if not isinstance(tree.value, str):
        table.problems.unfit(tree, "at", "a JSON Pointer in quotes")
        return None
    try:
        pointer_steps(tree.value)
    except ValueError as fault:
        table.wrong("at", f"at is {TOML.shown(tree)}: {fault}")
        return None
    return tree.value


def _fault(test: Comparison, value: object) -> str:
    """The reason why a value does not suit a comparison; empty if it does."""
    match test:
        case Comparison.PRESENT:
            if isinstance(value, bool):
                return ""
            return f"must be true or false, not {TOML.shown(value)}"
        case Comparison.LESS | Comparison.AT_MOST | Comparison.MORE | Comparison.AT_LEAST:
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not is_number:
                return f"must be a number, not {TOML.shown(value)}"
        case Comparison.GLOB:
            if not isinstance(value, str):
                return f"must be a string, not {TOML.shown(value)}"
            return f"is {TOML.shown(value)}: {fault}" if (fault := glob_fault(value)) else ""
        case Comparison.MATCHES:
            return _pattern_fault(value)
        case Comparison.ONE_OF:
            if not isinstance(value, list) or not value:
                return "must be a list with at least one value"
        case Comparison.SCHEMA:
            if not isinstance(value, dict):
                return f"must be a JSON Schema as a table, not {TOML.shown(value)}"
    if fault := _json_fault(value):
        return fault
    try:
        canonical(_as_json(value))
    except JsonError as error:
        return f"cannot be used: {error.reason}"
    schema = _as_json(value)
    fault = schema_fault(schema, MOST_SCHEMA_NODES) if test is Comparison.SCHEMA else ""
    if test is Comparison.SCHEMA and not fault:
        fault = next((why for _, why in pattern_faults(schema)), "")
    return f"cannot be used: {fault}" if fault else ""


def _pattern_fault(value: object) -> str:
    if not isinstance(value, str):
        return f"must be a regular expression in quotes, not {TOML.shown(value)}"
    fault = pattern_fault(value)
    return f"is not a regular expression: {fault}" if fault else ""


def _json_fault(value: object) -> str:
    if isinstance(value, datetime.date | datetime.time):
        return "has a date or time, which JSON does not have: put it in quotes"
    if isinstance(value, float) and not math.isfinite(value):
        return "has a number that JSON does not have"
    inner = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    return next((fault for one in inner if (fault := _json_fault(one))), "")


def _as_json(value: object) -> JsonValue:
    """Return the same value; types that JSON lacks were refused before."""
    return cast("JsonValue", value)
