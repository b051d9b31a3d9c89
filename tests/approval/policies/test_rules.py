from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.policies.argument_rules import (
    LONGEST_MATCHED,
    MISSING,
    ArgumentCondition,
    Comparison,
    pointer_steps,
    value_at,
)
from signoff.app.approval.policies.rules import (
    ApprovedCondition,
    ClaimCondition,
    Condition,
    CountsCondition,
    DoubtCondition,
    FactCondition,
    FactOf,
    NameCondition,
    NameOf,
    Rule,
    RuleMatch,
    Then,
    exact_glob,
)
from signoff.app.approval.policies.verdicts import Case
from signoff.app.content.text import visible
from signoff.app.protocol.definitions.lists import DefinitionStatus
from signoff.app.protocol.hints import Claim, Effect
from signoff.app.protocol.server import Trust
from tests.approval.policy_cases import ARGUMENT_CONDITIONS, CONDITIONS, cases, tool, tried_here
from tests.approved import approved
from tests.content.json_values import json_values

PROSE = approved("policies")

BOOK: dict[str, Any] = {
    "foo": ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "e^f": 3,
    "g|h": 4,
    "i\\j": 5,
    'k"l': 6,
    " ": 7,
    "m~n": 8,
}
"""The document of RFC 6901, section 5."""


class TestNames:
    @pytest.mark.parametrize(
        ("globs", "name", "fits"),
        [
            (("delete_*",), "delete_file", True),
            (("delete_*",), "Delete_file", False),
            (("delete_*",), "undelete_file", False),
            (("delete_*", "drop"), "drop", True),
            (("drop",), "drop_all", False),
            (("?rop",), "drop", True),
            (("[a-d]rop",), "drop", True),
            (("[!a-d]rop",), "drop", False),
            (("*",), "two\nlines", True),
            (("a*",), "a\n", True),
            (("a.c",), "abc", False),
            (("[[]x",), "[x", True),
        ],
    )
    def test_globs(self, globs: tuple[str, ...], name: str, fits: bool) -> None:
        case = Case(tool(name), Trust.TRUSTED, server=name)
        for of in NameOf:
            assert NameCondition(of, globs).matches(case) is fits

    def test_a_hostile_name_is_looked_at_quickly(self) -> None:
        case = Case(tool("a" * LONGEST_MATCHED), Trust.TRUSTED)
        assert NameCondition(NameOf.TOOL, ("*a*a*a*a*a*b",)).matches(case) is False

    def test_a_very_long_name_cannot_be_judged_by_a_glob(self) -> None:
        long = Case(tool("a" * (LONGEST_MATCHED + 1)), Trust.TRUSTED)
        globs = NameCondition(NameOf.TOOL, ("b", "*b"))
        assert globs.matches(long) is None
        PROSE.holds("why not: a long name", globs.why_not(long))
        assert NameCondition(NameOf.TOOL, ("b",)).matches(long) is False
        assert Rule(1, Then.ALLOW, conditions=(globs,)).match(long) is RuleMatch.NO
        assert Rule(1, Then.ASK, conditions=(globs,)).match(long) is RuleMatch.YES

    def test_every_name_but_those_that_are_given(self) -> None:
        other = NameCondition(NameOf.TOOL, ("list", "get_*"), is_other=True)
        cases_of = {name: Case(tool(name), Trust.TRUSTED) for name in ("list", "get_a", "drop")}
        assert [other.matches(one) for one in cases_of.values()] == [False, False, True]
        assert other.why_not(cases_of["list"]) == 'the tool "list" is one of "list" or "get_*"'
        assert other.words == 'tool other than "list" or "get_*"'
        assert other.matches(Case(tool("a" * (LONGEST_MATCHED + 1)), Trust.TRUSTED)) is None

    @pytest.mark.parametrize("name", ["list", "a*b", "a?", "[x]", "a[!b]c", "]", "-"])
    def test_an_exact_glob_fits_one_name(self, name: str) -> None:
        globs = NameCondition(NameOf.TOOL, (exact_glob(name),))
        assert globs.matches(Case(tool(name), Trust.TRUSTED))
        for other in ("x", "ab", "aab", "list2", f"{name}!"):
            if other != name:
                assert not globs.matches(Case(tool(other), Trust.TRUSTED))

    def test_names_are_shown_safely(self) -> None:
        case = Case(tool("a\x1b[2J" + "b" * 100), Trust.TRUSTED)
        words = NameCondition(NameOf.TOOL, ("x",)).why_not(case)
        assert "\x1b" not in words
        assert len(words) < 100


class TestFacts:
    CASE = Case(
        tool(readOnly=False, destructive=False, idempotent="x"),
        Trust.TRUSTED,
        seen=DefinitionStatus.NEW,
    )

    @pytest.mark.parametrize(
        ("condition", "holds"),
        [
            (FactCondition(FactOf.EFFECT, frozenset({Effect.ADDITIVE})), True),
            (FactCondition(FactOf.EFFECT, frozenset({Effect.READ_ONLY})), False),
            (FactCondition(FactOf.WORLD, frozenset({"open"})), True),
            (FactCondition(FactOf.WORLD, frozenset({"closed"})), False),
            (FactCondition(FactOf.TRUST, frozenset({Trust.UNTRUSTED})), False),
            (
                FactCondition(
                    FactOf.DEFINITION, frozenset({DefinitionStatus.NEW, DefinitionStatus.FIRST})
                ),
                True,
            ),
            (ApprovedCondition(False), True),
            (ApprovedCondition(True), False),
            (DoubtCondition(True), True),
            (DoubtCondition(False), False),
            (ClaimCondition("readOnly", frozenset({Claim.FALSE})), True),
            (ClaimCondition("openWorld", frozenset({Claim.NOT_SET})), True),
            (ClaimCondition("idempotent", frozenset({Claim.MALFORMED})), True),
            (ClaimCondition("idempotent", frozenset({Claim.NOT_SET, Claim.TRUE})), False),
            (CountsCondition("openWorld", True), True),
            (CountsCondition("idempotent", True), False),
            (CountsCondition("destructive", False), True),
        ],
    )
    def test_conditions(self, condition: Condition, holds: bool) -> None:
        assert condition.matches(self.CASE) is holds
        rule = Rule(1, Then.ALLOW, conditions=(condition,))
        assert (rule.match(self.CASE) is RuleMatch.YES) is holds
        assert (rule.why_not(self.CASE) == ()) is holds

    def test_why_not_names_the_fact(self) -> None:
        closed = FactCondition(FactOf.WORLD, frozenset({"closed"}))
        PROSE.holds("why not: the world", closed.why_not(self.CASE))
        counts = CountsCondition("openWorld", False)
        PROSE.holds("why not: a default", counts.why_not(self.CASE))


class TestPointers:
    @pytest.mark.parametrize(
        ("pointer", "value"),
        [
            ("", BOOK),
            ("/foo", ["bar", "baz"]),
            ("/foo/0", "bar"),
            ("/", 0),
            ("/a~1b", 1),
            ("/c%d", 2),
            ("/e^f", 3),
            ("/g|h", 4),
            ("/i\\j", 5),
            ('/k"l', 6),
            ("/ ", 7),
            ("/m~0n", 8),
        ],
    )
    def test_the_examples_of_the_rfc(self, pointer: str, value: Any) -> None:
        assert value_at(BOOK, pointer_steps(pointer)) == value

    @pytest.mark.parametrize(
        "pointer", ["/foo/2", "/foo/-", "/foo/00", "/foo/-1", "/foo/bar", "/no", "/a/b", "/foo/0/0"]
    )
    def test_what_is_not_there(self, pointer: str) -> None:
        assert value_at(BOOK, pointer_steps(pointer)) is MISSING

    def test_an_index_of_any_length_is_not_there(self) -> None:
        assert value_at(BOOK, ("foo", "9" * 10_000)) is MISSING

    @pytest.mark.parametrize("pointer", ["foo", "~", "/~", "/~2", "/a~", "#/foo"])
    def test_what_is_no_pointer(self, pointer: str) -> None:
        with pytest.raises(ValueError, match="JSON Pointer"):
            pointer_steps(pointer)


C = Comparison


class TestComparisons:
    @pytest.mark.parametrize(
        ("comparison", "wanted", "found", "holds"),
        [
            (C.IS, "x", "x", True),
            (C.IS, 1, 1.0, True),
            (C.IS, 1, True, False),
            (C.IS, {"a": [1]}, {"a": [1]}, True),
            (C.IS_NOT, "x", "y", True),
            (C.IS_NOT, "x", "x", False),
            (C.IS_NOT, 1, True, True),
            (C.ONE_OF, ["a", "b"], "b", True),
            (C.ONE_OF, ["a", 1], True, False),
            (C.LESS, 10, 9, True),
            (C.LESS, 10, 10, False),
            (C.AT_MOST, 10, 10, True),
            (C.AT_MOST, 10.5, 10**400, False),
            (C.MORE, 10, 10, False),
            (C.AT_LEAST, 10, 10.0, True),
            (C.AT_LEAST, 0, True, False),
            (C.AT_LEAST, 0, "5", False),
            (C.GLOB, "/tmp/*", "/tmp/a/b", True),
            (C.GLOB, "/tmp/*", "/etc", False),
            (C.GLOB, "*", 5, False),
            (C.MATCHES, "[a-z]+", "abc", True),
            (C.MATCHES, "[a-z]+", "abc1", False),
            (C.MATCHES, "a$", "a\n", False),
            (C.PRESENT, True, None, True),
            (C.PRESENT, False, None, False),
            (C.SCHEMA, {"type": "string", "maxLength": 2}, "ab", True),
            (C.SCHEMA, {"type": "string", "maxLength": 2}, "abc", False),
        ],
    )
    def test_of_what_is_there(
        self, comparison: Comparison, wanted: Any, found: Any, holds: bool
    ) -> None:
        condition = ArgumentCondition("/at", comparison, wanted)
        tried = tried_here(condition.trial({"at": found}))
        assert condition.matches({"at": found}, tried) is holds

    @pytest.mark.parametrize(
        ("comparison", "wanted", "holds"),
        [
            (C.IS, None, False),
            (C.IS_NOT, "x", None),
            (C.ONE_OF, [None], False),
            (C.AT_MOST, 5, False),
            (C.GLOB, "*", False),
            (C.MATCHES, ".*", False),
            (C.PRESENT, False, True),
            (C.PRESENT, True, False),
            (C.SCHEMA, {}, False),
        ],
    )
    def test_of_what_is_missing(
        self, comparison: Comparison, wanted: Any, holds: bool | None
    ) -> None:
        assert ArgumentCondition("/at", comparison, wanted).matches({}) is holds

    def test_what_cannot_be_judged_is_held_against_the_call(self) -> None:
        condition = ArgumentCondition("/branch", C.IS_NOT, "main")
        for then, matches in (
            (Then.ALLOW, RuleMatch.NO),
            (Then.ASK, RuleMatch.YES),
            (Then.ASK_WITH_WARNING, RuleMatch.YES),
            (Then.REFUSE, RuleMatch.YES),
        ):
            rule = Rule(1, then, arguments=(condition,))
            assert rule.match(Case(tool(), Trust.TRUSTED, arguments={})) is matches

    def test_a_very_long_text_cannot_be_judged_by_a_pattern(self) -> None:
        condition = ArgumentCondition("/at", C.MATCHES, "a*")
        longest = {"at": "a" * LONGEST_MATCHED}
        assert condition.matches(longest, tried_here(condition.trial(longest))) is True
        long = {"at": "a" * (LONGEST_MATCHED + 1)}
        assert condition.trial(long) is None
        assert condition.matches(long) is None
        PROSE.holds("why not: a long text", condition.why_not(long))

    def test_a_schema_that_leaves_itself_cannot_be_judged(self) -> None:
        condition = ArgumentCondition("/at", C.SCHEMA, {"$ref": "https://example.org/x"})
        tried = tried_here(condition.trial({"at": 1}))
        assert condition.matches({"at": 1}, tried) is None
        PROSE.holds("why not: a reference", condition.why_not({"at": 1}, tried))

    @pytest.mark.parametrize(
        ("comparison", "wanted", "key"),
        [
            (C.MATCHES, "(a+)+b", "why not: an untried pattern"),
            (C.SCHEMA, {"pattern": "(a+)+b"}, "why not: an untried schema"),
        ],
    )
    def test_a_pattern_or_schema_is_never_run_here(
        self, comparison: Any, wanted: Any, key: str
    ) -> None:
        condition = ArgumentCondition("/at", comparison, wanted)
        arguments = {"at": "a" * 44}
        assert condition.matches(arguments) is None
        PROSE.holds(key, condition.why_not(arguments))
        assert condition.trial(arguments) == condition.trial(dict(arguments))
        assert condition.trial({"at": "b"}) != condition.trial(arguments)
        assert condition.trial({"other": "a"}) is None

    @pytest.mark.parametrize("found", [None, 5, ["a"], {"a": "b"}])
    def test_a_pattern_needs_no_trial_on_what_is_no_text(self, found: Any) -> None:
        condition = ArgumentCondition("/at", C.MATCHES, ".*")
        assert condition.trial({"at": found}) is None
        assert condition.matches({"at": found}) is False

    def test_one_and_true_are_different_demands(self) -> None:
        one, true = (ArgumentCondition("/at", C.IS, value) for value in (1, True))
        assert one != true
        assert len({one, true, ArgumentCondition("/at", C.IS, 1)}) == 2

    @given(ARGUMENT_CONDITIONS, st.dictionaries(st.sampled_from(["path", "a"]), json_values()))
    def test_nothing_raises_or_changes_the_arguments(
        self, condition: ArgumentCondition, arguments: dict[str, Any]
    ) -> None:
        before = copy.deepcopy(arguments)
        held = condition.matches(arguments)
        words = condition.why_not(arguments)
        assert arguments == before
        assert held in (True, False, None)
        assert visible(words) == words
        assert visible(condition.words) == condition.words


@given(st.lists(CONDITIONS, max_size=3), st.lists(ARGUMENT_CONDITIONS, max_size=2), cases())
def test_a_rule_says_why_exactly_where_it_does_not_match(
    conditions: list[Condition], arguments: list[ArgumentCondition], case: Case
) -> None:
    for then in (Then.ALLOW, Then.REFUSE):
        rule = Rule(1, then, conditions=tuple(conditions), arguments=tuple(arguments))
        match = rule.match(case)
        assert (rule.why_not(case) == ()) == (match is RuleMatch.YES)
        assert rule.is_catch_all == (not conditions and not arguments)
        assert rule.words
        if match is RuleMatch.ARGUMENTS_UNKNOWN:
            assert case.arguments is None


@given(st.lists(CONDITIONS, max_size=3), CONDITIONS, cases())
def test_one_more_condition_never_makes_a_rule_match(
    conditions: list[Condition], more: Condition, case: Case
) -> None:
    rule = Rule(1, Then.ALLOW, conditions=tuple(conditions))
    narrower = Rule(1, Then.ALLOW, conditions=(*conditions, more))
    if narrower.match(case) is RuleMatch.YES:
        assert rule.match(case) is RuleMatch.YES
