from __future__ import annotations

import datetime
import re
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.policies.argument_rules import Comparison
from signoff.app.approval.policies.policy import Policy, PolicyKind
from signoff.app.approval.policies.policy_text import (
    BUILT_IN_NAMES,
    LONGEST,
    PolicyError,
    built_in,
    built_in_text,
    read_policy,
)
from signoff.app.approval.policies.rules import (
    ClaimCondition,
    FactCondition,
    FactOf,
    NameCondition,
    Then,
)
from signoff.app.content.files.tree import Problem
from signoff.app.content.text import visible
from signoff.app.protocol.definitions.lists import DefinitionStatus
from signoff.app.protocol.hints import Claim, Effect
from tests.approved import approved
from tests.tiers import examples

PROSE = approved("policies")
NOT_A_PATTERN = "is not a regular expression|is not valid ECMA-262"
"""Behind these words are words of a library, which differ between its versions."""

HEAD = 'name = "mine"\nsummary = "A test."\n'
EVERYTHING = """\
name = "my-policy"      # a comment with "quotes" and = signs
summary = "One sentence."
like = 'none'
grants = false
doubts = "ignore"

[[rule]]
name = "scratch files"
server = "demo*"
tool = [
    "delete_*",  # [[rule]]
    "drop_*",
]
effect = ["destructive", "undeclared"]
world = "closed"
trust = "trusted"
definition = ["new", "changed"]
approved = true
doubts = false
then = "allow"
result = "ask"
reason = '''because'''
hints = { readOnly = true, destructive = [false, "not set"], idempotent = "malformed" }
[rule.counts]
openWorld = true
[[rule.argument]]
at = "/path"
glob = "/tmp/*"
[[rule.argument]]
at = "/count"
schema = { type = "integer", maximum = 5 }

[[rule]]
then = "ask with a warning"
"""


def mistakes(text: str, kind: PolicyKind = PolicyKind.OWN) -> list[tuple[int, str]]:
    with pytest.raises(PolicyError) as caught:
        read_policy(text, "mine.toml", kind=kind)
    return [(one.line, one.message) for one in caught.value.problems]


def mistake(rule: str, head: str = HEAD) -> tuple[int, str]:
    [found] = mistakes(f"{head}[[rule]]\n{rule}\n")
    return found


class TestReading:
    def test_everything_that_can_be_said(self) -> None:
        policy = read_policy(EVERYTHING, "mine.toml")
        assert (policy.name, policy.summary, policy.like) == ("my-policy", "One sentence.", "none")
        assert not policy.honours_grants
        assert not policy.heeds_doubts
        assert policy.source == "mine.toml"
        first, last = policy.rules
        assert (first.number, first.name, first.line) == (1, "scratch files", 7)
        assert (first.then, first.reviews_result, first.reason) == (Then.ALLOW, True, "because")
        assert len(first.conditions) == 12
        assert NameCondition in map(type, first.conditions)
        effects = frozenset({Effect.DESTRUCTIVE, Effect.UNDECLARED})
        assert FactCondition(FactOf.EFFECT, effects) in first.conditions
        assert FactCondition(
            FactOf.DEFINITION, frozenset({DefinitionStatus.NEW, DefinitionStatus.CHANGED})
        ) in (first.conditions)
        claims = frozenset({Claim.FALSE, Claim.NOT_SET})
        assert ClaimCondition("destructive", claims) in first.conditions
        glob, schema = first.arguments
        assert (glob.at, glob.comparison, glob.value) == ("/path", Comparison.GLOB, "/tmp/*")
        assert (schema.at, schema.comparison) == ("/count", Comparison.SCHEMA)
        assert (last.line, last.then, last.is_catch_all) == (33, Then.ASK_WITH_WARNING, True)
        assert policy.place_of(last) == "mine.toml line 33"

    def test_defaults(self) -> None:
        policy = read_policy(HEAD + '[[rule]]\nthen = "ask"\n', "mine.toml")
        assert policy.honours_grants
        assert policy.heeds_doubts
        assert policy.kind is PolicyKind.OWN
        assert policy.rules[0].label == "rule 1"

    @pytest.mark.parametrize(
        "demand",
        [
            'tool = "*"',
            'server = ["x", "**"]',
            'effect = ["read-only", "additive", "destructive", "undeclared", "contradictory"]',
            'trust = ["trusted", "untrusted"]',
            'hints = { readOnly = [true, false, "not set", "malformed"] }',
        ],
    )
    def test_a_demand_that_everything_meets_is_none(self, demand: str) -> None:
        policy = read_policy(f'{HEAD}[[rule]]\n{demand}\nthen = "ask"\n', "mine.toml")
        assert policy.rules[0].is_catch_all

    def test_line_ends_and_a_byte_order_mark_of_other_editors(self) -> None:
        policy = read_policy("\ufeff" + EVERYTHING.replace("\n", "\r\n"), "mine.toml")
        assert [rule.line for rule in policy.rules] == [7, 33]

    def test_a_host_says_where_its_rules_were_read(self) -> None:
        text = HEAD + (
            'title = "Mine"\nsource = "https://example.org"\nsource_file = "a.ts"\n'
            'version = "1.2"\ndate = 2026-11-15\nnotes = "a\\nb"\nedits_arguments = true\n'
            'remembers = ["once", "session", "always"]\n[[rule]]\nthen = "hide"\n'
        )
        host = read_policy(text, "mine.toml", kind=PolicyKind.HOST)
        assert (host.title, host.source, host.source_file) == (
            "Mine",
            "https://example.org",
            "a.ts",
        )
        assert (host.version, host.date) == ("1.2", datetime.date(2026, 11, 15))
        assert (host.notes, host.edits_arguments) == ("a\nb", True)
        assert host.remembers == ("once", "session", "always")

    def test_what_is_shown_is_safe(self) -> None:
        text = (
            'name = "mine"\nsummary = "\\u001b[2J"\n'
            '[[rule]]\nname = "\\u202e"\nreason = "a\\nb"\nthen = "ask"\n'
        )
        policy = read_policy(text, "mine.toml")
        for words in (policy.summary, policy.rules[0].name, policy.rules[0].reason):
            assert visible(words) == words

    @pytest.mark.parametrize("name", BUILT_IN_NAMES)
    def test_a_built_in_policy_can_be_copied_as_a_start(self, name: str) -> None:
        text = built_in_text(name).replace(f'name = "{name}"', 'name = "mine"', 1)
        copied = read_policy(text, f"{name}.toml")
        assert copied.name == "mine"
        assert copied.rules == built_in(name).rules


class TestMistakes:
    @pytest.mark.parametrize(
        ("rule", "line", "key"),
        [
            ('then = "maybe"', 4, "then: another word"),
            ('then = "alow"', 4, "then: a misspelt word"),
            ('then = "ask strongly"', 4, "then: an old word"),
            ("then = true", 4, "then: a flag"),
            ('then = "hide"', 4, "then: hide"),
            ('then = "not known"', 4, "then: not known"),
            ('name = "no verdict"', 3, "then: none"),
            ('then = "ask"\ntol = "x"', 5, "key: misspelt"),
            ('then = "ask"\n"t\\u001bl" = "x"', 5, "key: control character"),
            ('then = "ask"\ntool = 5', 5, "tool: a number"),
            ('then = "ask"\ntool = [\n "a",\n 5]', 7, "tool: a number in a list"),
            ('then = "ask"\ntool = []', 5, "tool: an empty list"),
            ('then = "ask"\ntool = ""', 5, "tool: an empty text"),
            ('then = "ask"\ntool = ["ok", "a[b"]', 5, "tool: an open bracket"),
            ('then = "ask"\nserver = "[z-a]"', 5, "server: an empty range"),
            ('then = "ask"\neffect = "distructive"', 5, "effect: a misspelt word"),
            ('then = "ask"\neffect = ["read-only",\n"x"]', 6, "effect: another word"),
            ('then = "ask"\nworld = "wide"', 5, "world: another word"),
            ('then = "ask"\ntrust = true', 5, "trust: a flag"),
            ('then = "ask"\ndefinition = "old"', 5, "definition: another word"),
            ('then = "ask"\napproved = "yes"', 5, "approved: a text"),
            ('then = "ask"\ndoubts = 1', 5, "doubts: a number"),
            ('then = "ask"\nresult = "run"', 5, "result: another word"),
            ('then = "ask"\nreason = " "', 5, "reason: blank"),
            ('then = "ask"\nhints = "readOnly"', 5, "hints: a text"),
            ('then = "ask"\n[rule.hints]\nreadonly = true', 6, "hints: a misspelt hint"),
            ('then = "ask"\n[rule.hints]\nreadOnly = "yes"', 6, "hints: a text for a hint"),
            (
                'then = "ask"\n[rule.hints]\nreadOnly = "not said"',
                6,
                "hints: an old word",
            ),
            ('then = "ask"\n[rule.hints]\nreadOnly = []', 6, "hints: an empty list"),
            ('then = "ask"\ncounts = { readOnly = "not set" }', 5, "counts: not set"),
            (
                'then = "ask"\nargument = { at = "/a", is = 1 }',
                5,
                "argument: a table",
            ),
            ('then = "ask"\n[[rule.argument]]\nis = 1', 5, "at: none"),
            ('then = "ask"\n[[rule.argument]]\nat = 1\nis = 1', 6, "at: a number"),
            (
                'then = "ask"\n[[rule.argument]]\nat = "path"\nis = 1',
                6,
                "at: a name",
            ),
            ('then = "ask"\n[[rule.argument]]\nat = "/a~b"\nis = 1', 6, "at: an escape"),
            ('then = "ask"\n[[rule.argument]]\nat = "/a"', 6, "no test"),
            (
                'then = "ask"\n[[rule.argument]]\nat = "/a"\nis = 1\nless = 2',
                6,
                "two tests",
            ),
            ('then = "ask"\n[[rule.argument]]\nat = "/a"\nis = 2026-01-01', 7, "argument: a date"),
            ('then = "ask"\n[[rule.argument]]\nat = "/a"\nis = [nan]', 7, "argument: not a number"),
            ('then = "ask"\n[[rule.argument]]\nat = "/a"\nless = "5"', 7, "less: a text"),
            ('then = "ask"\n[[rule.argument]]\nat = "/a"\nmore = true', 7, "more: a flag"),
            ('then = "ask"\n[[rule.argument]]\nat = "/a"\nat_most = inf', 7, "at_most: infinity"),
            ('then = "ask"\n[[rule.argument]]\nat = "/a"\none_of = []', 7, "one_of: empty list"),
            ('then = "ask"\n[[rule.argument]]\nat = "/a"\nglob = "["', 7, "glob: an open bracket"),
            (
                'then = "ask"\n[[rule.argument]]\nat = "/a"\nmatches = "("',
                7,
                "matches: open group",
            ),
            ('then = "ask"\n[[rule.argument]]\nat = "/a"\npresent = 1', 7, "present: a number"),
            ('then = "ask"\n[[rule.argument]]\nat = "/a"\nschema = "x"', 7, "schema: a text"),
            (
                'then = "ask"\n[[rule.argument]]\nat = "/a"\nschema = { type = "strng" }',
                7,
                "schema: a misspelt type",
            ),
            (
                'then = "ask"\n[[rule.argument]]\nat = "/a"\nschema = { "$ref" = "https://x.org" }',
                7,
                "schema: a reference",
            ),
            (
                'then = "ask"\n[[rule.argument]]\nat = "/a"\nschema = { pattern = "(" }',
                7,
                "schema: a broken pattern",
            ),
        ],
    )
    def test_each_is_named_with_its_line(self, rule: str, line: int, key: str) -> None:
        found_line, message = mistake(rule)
        assert found_line == line
        PROSE.holds(key, re.sub(f"({NOT_A_PATTERN}): .*", r"\1: REASON", message))
        assert visible(message) == message

    @pytest.mark.parametrize(
        ("text", "line", "key"),
        [
            ("", 1, "whole: empty"),
            (HEAD, 1, "whole: no rule"),
            (HEAD + "rule = []\n", 3, "whole: an empty list of rules"),
            (HEAD + '[rule]\nthen = "ask"\n', 3, "whole: a table for rules"),
            (HEAD + 'rules = 1\n[[rule]]\nthen = "ask"\n', 3, "whole: a key"),
            (HEAD + 'grants = 0\n[[rule]]\nthen = "ask"\n', 3, "whole: grants of a number"),
            (HEAD + 'doubts = true\n[[rule]]\nthen = "ask"\n', 3, "whole: doubts of a flag"),
            (
                'name = "a b"\nsummary = "x"\n[[rule]]\nthen = "ask"\n',
                1,
                "whole: two words",
            ),
            (
                'name = "mine"\nsummary = """\n"""\n[[rule]]\nthen = "ask"\n',
                2,
                "whole: no summary",
            ),
            (HEAD + 'date = "today"\n[[rule]]\nthen = "ask"\n', 3, "whole: a date"),
            (
                HEAD + 'date = 2026-11-15T10:00:00\n[[rule]]\nthen = "ask"\n',
                3,
                "whole: a time",
            ),
            (
                HEAD + 'remembers = "ever"\n[[rule]]\nthen = "ask"\n',
                3,
                "whole: remembers",
            ),
        ],
    )
    def test_of_the_whole(self, text: str, line: int, key: str) -> None:
        found = mistakes(text)
        assert line in [one for one, _ in found]
        PROSE.holds(key, "\n".join(f"{one}: {message}" for one, message in found))

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ("name = \n", 1),
            (HEAD + "[[rule]]\nthen = ask\n", 4),
            (HEAD + "[[rule]\n", 3),
            (HEAD + 'name = "again"\n', 3),
            (HEAD + '[[rule]]\nreason = "not closed\n', 4),
            (HEAD + "tool = '''not closed\nthen\n", 4),
            ("\x1b = 1", 1),
        ],
    )
    def test_what_is_not_toml(self, text: str, line: int) -> None:
        [(found, message)] = mistakes(text)
        assert found == line
        assert message.startswith("it is not TOML: ")
        assert "line" not in message
        assert visible(message) == message

    def test_all_mistakes_are_listed_in_the_order_of_their_lines(self) -> None:
        text = (
            'nam = "x"\nsummary = 3\n[[rule]]\ntool = "["\nthen = "ask"\n'
            '[[rule]]\neffect = "x"\nthen = "x"\n'
        )
        with pytest.raises(PolicyError) as caught:
            read_policy(text, "mi\x1bne.toml")
        lines = [one.line for one in caught.value.problems]
        assert lines == sorted(lines) == [1, 1, 2, 4, 7, 8]
        assert len(str(caught.value).splitlines()) == 6
        assert "\x1b" not in str(caught.value)
        PROSE.holds("mistakes: by line", "\n".join(caught.value.lines))

    def test_a_rule_after_one_that_matches_everything(self) -> None:
        text = HEAD + '[[rule]]\ntool = "*"\nthen = "allow"\n\n[[rule]]\nname = "b"\nthen = "ask"\n'
        [(line, message)] = mistakes(text)
        assert line == 7
        PROSE.holds("mistake: never reached", message)

    def test_a_rule_with_the_conditions_of_an_earlier_one(self) -> None:
        rule = '[[rule]]\ntool = "a*"\nargument = [{ at = "/x", is = 1 }]\nthen = "ask"\n'
        [(line, message)] = mistakes(HEAD + rule + rule)
        assert line == 7
        PROSE.holds("mistake: the same conditions", message)
        assert read_policy(HEAD + rule + rule.replace("is = 1", "is = true"), "mine.toml")

    def test_a_rule_with_a_mistake_hides_no_other(self) -> None:
        text = HEAD + '[[rule]]\ntool = "["\nthen = "ask"\n[[rule]]\nthen = "ask"\n'
        [(line, _)] = mistakes(text)
        assert line == 4

    def test_two_rules_of_one_name(self) -> None:
        text = HEAD + '[[rule]]\nname = "a"\ntool = "x"\nthen = "ask"\n' * 2
        found = mistakes(text)
        assert {line for line, _ in found} == {7}
        PROSE.holds("mistake: two rules of one name", "\n".join(words for _, words in found))

    def test_a_host_without_a_source(self) -> None:
        found = mistakes(HEAD + '[[rule]]\nthen = "hide"\n', PolicyKind.HOST)
        assert [message for _, message in found] == [
            "date is missing",
            "source is missing",
            "title is missing",
        ]

    def test_what_is_too_long_or_too_deep(self) -> None:
        assert "the limit is" in mistakes("#" * (LONGEST + 1))[0][1]
        rules = HEAD + '[[rule]]\ntool = "x"\nthen = "ask"\n' * 1_001
        assert any("the limit is 1,000" in message for _, message in mistakes(rules))
        deep = HEAD + "x = " + "[" * 5_000 + "]" * 5_000
        assert mistakes(deep)[0][1]
        assert mistakes(HEAD + "x = " + "9" * 5_000)[0][1]


class TestNothingHalfRead:
    @given(st.text())
    def test_any_text_is_read_or_refused(self, text: str) -> None:
        with pytest.raises(PolicyError):
            read_policy(text, "mine.toml")

    @examples(300)
    @given(
        st.sampled_from([EVERYTHING, *map(built_in_text, BUILT_IN_NAMES)]),
        st.integers(0, 2_000),
        st.integers(0, 40),
        st.sampled_from(["", "x", '"', "\n", "[[rule]]\n", "= 5", "[", "\x00", 'then = "allow"\n']),
    )
    def test_an_edited_policy_is_read_or_refused(
        self, text: str, start: int, length: int, put: str
    ) -> None:
        edited = text[:start] + put + text[start + length :]
        policy, problems = _read(edited)
        if policy is None:
            assert problems
            assert all(0 <= one.line <= edited.count("\n") + 1 for one in problems)
        else:
            assert len(policy.rules) == len(tomllib.loads(edited)["rule"])


def _read(text: str) -> tuple[Policy | None, tuple[Problem, ...]]:
    try:
        return read_policy(text, "mine.toml"), ()
    except PolicyError as error:
        return None, error.problems
