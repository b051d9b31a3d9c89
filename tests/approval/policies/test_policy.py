from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from signoff.app.approval.policies.policy import Policy, PolicyKind, RuleState
from signoff.app.approval.policies.policy_text import (
    BUILT_IN_NAMES,
    DEFAULT_NAME,
    built_in,
    built_in_text,
    built_ins,
    read_policy,
)
from signoff.app.approval.policies.rules import ApprovedCondition, Rule, RuleMatch, Then
from signoff.app.approval.policies.verdicts import (
    Case,
    Verdict,
    VerdictAnswer,
    doubts_of,
    grant_obstacle,
)
from signoff.app.content.text import visible
from signoff.app.protocol.definitions.lists import DefinitionStatus
from signoff.app.protocol.hints import HINT_KEYS, Effect
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool_reading import read_tool, read_tools
from tests.approval.policy_cases import CLAIMS, GRANT, SOUND_TOOLS, cases, policies, tool
from tests.approved import approved
from tests.content.json_values import json_values

PROSE = approved("policies")

ALLOW, ASK, REFUSE = VerdictAnswer.ALLOW, VerdictAnswer.ASK, VerdictAnswer.REFUSE
CAUTIOUS = built_in("cautious")
FIRST_USE = built_in("first-use")
BUILT_INS = st.sampled_from(built_ins())
ANY_POLICY = policies() | BUILT_INS
ORDINARY: dict[str, Any] = {
    "denied_for_session": False,
    "unlogged": "",
    "argument_problems": (),
    "grant": None,
}


def own(rules: str, **keys: str) -> Policy:
    head = {"name": '"own"', "summary": '"a test"'} | keys
    lines = [f"{key} = {value}" for key, value in head.items()]
    return read_policy("\n".join([*lines, rules]), "own.toml")


class TestCautious:
    @given(cases(trust=Trust.UNTRUSTED, grant=None))
    def test_nothing_of_an_untrusted_server_runs_unasked(self, case: Case) -> None:
        assert CAUTIOUS.judge(case).answer is not ALLOW

    @given(st.dictionaries(st.sampled_from(HINT_KEYS), st.booleans() | json_values()))
    def test_whatever_an_untrusted_server_claims_it_asks(self, claims: dict[str, Any]) -> None:
        shown = read_tool(
            0, {"name": "a", "inputSchema": {"type": "object"}, "annotations": claims}
        )
        for seen, before in product(DefinitionStatus, (True, False)):
            case = Case(shown, Trust.UNTRUSTED, seen=seen, approved_before=before)
            verdict = CAUTIOUS.judge(case)
            assert verdict.answer is ASK
            assert "not trusted" in verdict.reasons[0]
            assert verdict.strong == shown.effect.may_destroy

    @given(CLAIMS)
    def test_no_order_of_the_hints_changes_anything(self, claims: dict[str, Any]) -> None:
        found = {
            CAUTIOUS.judge(
                Case(read_tool(0, {"name": "a", "annotations": dict(order)}), Trust.UNTRUSTED)
            )
            for order in permutations(claims.items())
        }
        assert len(found) == 1

    @given(cases(trust=Trust.TRUSTED, **ORDINARY))
    def test_of_a_trusted_server_flawless_read_only_tools_run(self, case: Case) -> None:
        verdict = CAUTIOUS.judge(case)
        runs = (
            case.tool.effect is Effect.READ_ONLY
            and not doubts_of(case)
            and case.seen is not DefinitionStatus.CHANGED
        )
        assert verdict.answer is (ALLOW if runs else ASK)
        assert verdict.strong == case.tool.effect.may_destroy

    def test_a_definition_that_changed_is_asked_about(self) -> None:
        case = Case(tool(readOnly=True), Trust.TRUSTED, seen=DefinitionStatus.CHANGED)
        verdict = CAUTIOUS.judge(case)
        assert verdict.answer is ASK
        assert verdict.rule == "rule 4: changed"

    def test_the_verdict_names_its_rule_and_where_it_stands(self) -> None:
        verdict = CAUTIOUS.judge(Case(tool(readOnly=True), Trust.TRUSTED))
        assert verdict.policy == "cautious"
        assert verdict.rule == "rule 5: read-only"
        name, line = verdict.source.split(" line ")
        assert name == "cautious.toml"
        assert built_in_text("cautious").splitlines()[int(line)] == 'name = "read-only"'
        # What read-only means is said by the rule, so it is not said again.
        PROSE.holds("verdict: a trusted reader", "\n".join(verdict.reasons))


class TestOtherBuiltIns:
    def test_they_are_six_and_the_first_is_the_default(self) -> None:
        assert [policy.name for policy in built_ins()] == list(BUILT_IN_NAMES)
        assert DEFAULT_NAME == "cautious"
        assert all(policy.kind is PolicyKind.BUILT_IN for policy in built_ins())
        assert all(policy.summary and policy.like for policy in built_ins())
        with pytest.raises(KeyError):
            built_in("../builtin")

    def test_only_allow_all_is_loud(self) -> None:
        assert [policy.name for policy in built_ins() if policy.is_loud] == ["allow-all"]

    @given(cases(grant=None, approved_before=False))
    def test_first_use_never_allows_the_first(self, case: Case) -> None:
        assert FIRST_USE.judge(case).answer is not ALLOW

    @given(cases(approved_before=True, **ORDINARY))
    def test_first_use_allows_the_second(self, case: Case) -> None:
        assert FIRST_USE.judge(case).answer is (ASK if doubts_of(case) else ALLOW)

    @given(cases(approved_before=False, **ORDINARY))
    def test_first_use_asks_with_a_warning_about_what_may_destroy(self, case: Case) -> None:
        assert FIRST_USE.judge(case).strong == case.tool.effect.may_destroy

    @given(cases(**ORDINARY))
    def test_confirm_destructive_asks_only_about_what_may_destroy(self, case: Case) -> None:
        answer = built_in("confirm-destructive").judge(case).answer
        believed = case.trust is Trust.TRUSTED and not case.tool.effect.may_destroy
        assert answer is (ALLOW if believed and not doubts_of(case) else ASK)

    @given(cases(unlogged=""))
    def test_a_loop_runs_read_only_closed_world_and_refuses_the_rest(self, case: Case) -> None:
        runs = (
            case.trust is Trust.TRUSTED
            and case.tool.effect is Effect.READ_ONLY
            and not case.tool.hints.is_open_world
            and not doubts_of(case)
            and not case.denied_for_session
        )
        assert built_in("read-only-loop").judge(case).answer is (ALLOW if runs else REFUSE)

    @given(cases(denied_for_session=False, unlogged=""))
    def test_ask_always_asks_always(self, case: Case) -> None:
        assert built_in("ask-always").judge(case).answer is ASK

    @given(cases(denied_for_session=False, unlogged=""))
    def test_allow_all_allows_all(self, case: Case) -> None:
        assert built_in("allow-all").judge(case).answer is ALLOW

    @given(BUILT_INS, cases(trust=Trust.UNTRUSTED, tool=SOUND_TOOLS, unlogged=""))
    def test_the_claims_of_an_untrusted_server_make_nothing_run(
        self, policy: Policy, case: Case
    ) -> None:
        silent = policy.judge(replace(case, tool=tool())).answer
        if policy.judge(case).answer is ALLOW:
            assert silent is ALLOW


class TestWhateverTheRulesSay:
    @given(policies(heeds_doubts=True), cases())
    def test_a_doubt_is_never_allowed(self, policy: Policy, case: Case) -> None:
        assume(grant_obstacle(case) or not case.grant)
        assume(doubts_of(case))
        assert policy.judge(case).answer is not ALLOW

    @given(ANY_POLICY, cases(grant=GRANT))
    def test_a_grant_never_covers_a_doubt_or_a_change(self, policy: Policy, case: Case) -> None:
        assume(grant_obstacle(case))
        verdict = policy.judge(case)
        assert verdict.grant_id is None
        assert verdict.answer is policy.judge(replace(case, grant=None)).answer

    @given(ANY_POLICY, cases(grant=GRANT))
    def test_a_grant_turns_only_a_question_into_a_run(self, policy: Policy, case: Case) -> None:
        without, given_it = policy.judge(replace(case, grant=None)), policy.judge(case)
        if given_it.grant_id is not None:
            assert policy.honours_grants
            assert without.answer is ASK
            assert (given_it.answer, given_it.grant_id) == (ALLOW, GRANT.id)
            assert not given_it.strong
        else:
            assert given_it.answer is without.answer

    @given(cases(**(ORDINARY | {"grant": GRANT, "tool": SOUND_TOOLS})))
    def test_a_grant_counts_where_it_may(self, case: Case) -> None:
        allowed = CAUTIOUS.judge(case).answer is ALLOW
        assert allowed == (case.seen is not DefinitionStatus.CHANGED)

    @given(ANY_POLICY, cases(denied_for_session=True))
    def test_what_was_denied_for_the_session_stays_denied(self, policy: Policy, case: Case) -> None:
        verdict = policy.judge(case)
        assert verdict.answer is REFUSE
        assert "denied" in verdict.reasons[0]

    @given(ANY_POLICY, cases(unlogged="full"))
    def test_nothing_that_may_destroy_is_done_unlogged(self, policy: Policy, case: Case) -> None:
        verdict = policy.judge(case)
        logged = policy.judge(replace(case, unlogged=""))
        if case.tool.effect.may_destroy:
            assert verdict.answer is REFUSE
        if logged.answer is ASK or logged.grant_id is not None:
            assert verdict.answer in (ASK, REFUSE)
        if logged.answer is not REFUSE:
            assert any("full" in reason for reason in verdict.reasons)

    @given(ANY_POLICY, cases(tool=read_tool(0, {"title": "no name"})))
    def test_what_cannot_be_called_is_refused(self, policy: Policy, case: Case) -> None:
        assert policy.judge(case).answer is REFUSE

    @given(ANY_POLICY, cases())
    def test_reasons_are_there_and_safe_to_show(self, policy: Policy, case: Case) -> None:
        verdict = policy.judge(case)
        assert verdict.reasons
        assert all(visible(reason) == reason for reason in verdict.reasons)
        assert len(set(verdict.reasons)) == len(verdict.reasons)

    @given(ANY_POLICY, cases())
    def test_a_verdict_that_was_given_before_is_the_same(self, policy: Policy, case: Case) -> None:
        fresh = replace(policy)
        assert fresh.judge(case) == policy.judge(case) == policy.judge(case)


class TestOrder:
    @given(policies(heeds_doubts=False), cases(**ORDINARY))
    def test_the_first_rule_that_matches_counts(self, policy: Policy, case: Case) -> None:
        first = next((one for one in policy.rules if one.match(case) is RuleMatch.YES), None)
        verdict = policy.judge(case)
        if first is None:
            assert verdict.rule == ""
            assert (verdict.answer, verdict.strong) == (ASK, case.tool.effect.may_destroy)
        else:
            assert verdict.rule == first.label
            assert verdict.answer.value == ("ask" if verdict.strong else first.then.value)
            assert verdict.reviews_result == first.reviews_result

    @given(policies(), cases())
    def test_an_explanation_accounts_for_every_rule(self, policy: Policy, case: Case) -> None:
        explained = policy.explain(case)
        assert explained.verdict == policy.judge(case)
        if case.denied_for_session:
            assert explained.outcomes == ()
            return
        assert [one.rule for one in explained.outcomes] == list(policy.rules)
        outcomes = [one.outcome for one in explained.outcomes]
        fired = explained.fired
        at = outcomes.index(RuleState.FIRED) if fired else len(outcomes)
        assert all(one is RuleState.NOT_REACHED for one in outcomes[at + 1 :])
        for one in explained.outcomes[:at]:
            assert one.outcome in (RuleState.PASSED_OVER, RuleState.SKIPPED)
            assert one.why
            assert all(visible(why) == why for why in one.why)
        assert (fired.rule.label if fired else "") == explained.verdict.rule

    def test_other_orders_give_other_verdicts(self) -> None:
        ask = Rule(1, Then.ASK, conditions=(ApprovedCondition(False),))
        allow = Rule(2, Then.ALLOW)
        case = Case(tool(), Trust.TRUSTED)
        assert Policy("a", (ask, allow)).judge(case).answer is ASK
        assert Policy("b", (replace(allow, number=1), ask)).judge(case).answer is ALLOW


class TestArguments:
    RULES = """
        [[rule]]
        name = "scratch"
        tool = "delete_*"
        argument = [{ at = "/path", glob = "/tmp/*" }]
        then = "allow"

        [[rule]]
        then = "ask"
    """

    def judge(self, policy: Policy, name: str, arguments: dict[str, Any] | None) -> Verdict:
        return policy.judge(Case(tool(name), Trust.TRUSTED, "demo", arguments))

    def test_what_is_not_known_is_not_allowed_and_says_so(self) -> None:
        verdict = self.judge(own(self.RULES), "delete_file", None)
        assert verdict.answer is ASK
        assert verdict.depends
        PROSE.holds("verdict: unknown arguments", verdict.reasons[-1])

    def test_what_is_known_decides(self) -> None:
        policy = own(self.RULES)
        assert self.judge(policy, "delete_file", {"path": "/tmp/a"}).answer is ALLOW
        verdict = self.judge(policy, "delete_file", {"path": "/etc/a"})
        assert verdict.answer is ASK
        assert not verdict.depends

    def test_another_tool_depends_on_nothing(self) -> None:
        assert not self.judge(own(self.RULES), "read_file", None).depends

    def test_it_does_not_depend_where_both_say_the_same(self) -> None:
        rules = self.RULES.replace('"allow"', '"ask"')
        assert not self.judge(own(rules), "delete_file", None).depends

    def test_arguments_that_break_their_schema_ask(self) -> None:
        case = Case(tool("x"), Trust.TRUSTED, "", {}, ("path is \x1b missing",))
        verdict = own('[[rule]]\nthen = "allow"').judge(case)
        assert verdict.answer is ASK
        assert verdict.strong
        assert visible("path is \x1b missing") in verdict.reasons

    @given(policies(), cases(arguments=None, **ORDINARY))
    def test_no_arguments_lead_to_what_is_not_announced(self, policy: Policy, case: Case) -> None:
        before = policy.judge(case)
        for arguments in ({}, {"path": "/tmp/a"}, {"a": 1, "b/c": True}):
            after = policy.judge(replace(case, arguments=arguments))
            if not before.depends:
                assert (after.answer, after.strong) == (before.answer, before.strong)


class TestLoud:
    @pytest.mark.parametrize(
        "rule",
        [
            'then = "allow"',
            'tool = "*"\nthen = "allow"',
            'trust = "untrusted"\nthen = "allow"',
            'effect = "undeclared"\nthen = "allow"',
            'definition = "first seen"\nthen = "allow"',
        ],
    )
    def test_what_lets_strangers_destroy_is_loud(self, rule: str) -> None:
        assert own(f"[[rule]]\n{rule}").is_loud

    @pytest.mark.parametrize(
        "rule",
        [
            'trust = "trusted"\nthen = "allow"',
            'server = "mine"\nthen = "allow"',
            'effect = "read-only"\nthen = "allow"',
            'then = "ask"',
        ],
    )
    def test_what_does_not_is_not(self, rule: str) -> None:
        assert not own(f"[[rule]]\n{rule}").is_loud


class TestHosts:
    HOST = """
        name = "x-code"
        title = "X Code"
        summary = "A test."
        source = "https://example.org/rules"
        date = 2026-11-15
        doubts = "ignore"
        [[rule]]
        name = "all"
        then = "{then}"
    """

    def judge(self, then: str, claims: dict[str, Any]) -> Verdict:
        host = read_policy(self.HOST.format(then=then), "x.toml", kind=PolicyKind.HOST)
        return host.judge(Case(tool(**claims), Trust.UNTRUSTED))

    def test_a_verdict_says_whose_rules_they_are_and_when_they_were_read(self) -> None:
        verdict = self.judge("ask", {})
        assert verdict.policy == "as X Code"
        PROSE.holds("verdict: the source of a model", verdict.source)

    def test_hosts_may_hide_and_may_be_unknown(self) -> None:
        assert self.judge("hide", {}).answer is VerdictAnswer.HIDE
        assert self.judge("not known", {}).answer is VerdictAnswer.UNKNOWN

    def test_a_host_does_what_its_rules_say_in_spite_of_a_doubt(self) -> None:
        assert self.judge("allow", {"readOnly": "yes"}).answer is ALLOW

    def test_hints_are_no_reason_where_the_host_does_not_look_at_them(self) -> None:
        assert self.judge("ask", {"destructive": True}).reasons == ("rule 1: all applies",)


@pytest.mark.parametrize(
    ("shown", "key"),
    [
        (tool(schema=5), "doubt: the schema"),
        (tool(idempotent="yes"), "doubt: a hint"),
        (tool(readOnly=True, destructive=True), "doubt: contradictory hints"),
        (
            read_tools([{"name": "a", "inputSchema": {"type": "object"}}] * 2)[0],
            "doubt: one name twice",
        ),
    ],
)
def test_doubts_are_in_words(shown: Any, key: str) -> None:
    [found] = doubts_of(Case(shown, Trust.TRUSTED))
    PROSE.holds(key, found)


def test_contradictory_hints_are_no_obstacle_to_a_remembered_approval() -> None:
    assert grant_obstacle(Case(tool(readOnly=True, destructive=True), Trust.TRUSTED)) == ""
    assert grant_obstacle(Case(tool(idempotent=1), Trust.TRUSTED))
    changed = Case(tool(), Trust.TRUSTED, seen=DefinitionStatus.CHANGED)
    PROSE.holds("obstacle: another definition", grant_obstacle(changed))


def test_words_and_json() -> None:
    strong = Verdict(ASK, ("because",), strong=True, rule="rule 1")
    assert strong.words == "asks with a warning"
    assert Verdict(ALLOW, ()).words == "runs"
    assert strong.as_json() == {
        "answer": "ask",
        "strong": True,
        "policy": "cautious",
        "rule": "rule 1",
        "reviews_result": False,
        "reasons": ["because"],
        "unjudged": [],
    }
