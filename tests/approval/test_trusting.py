"""What trusting a server would change, by the rules that decide now."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.policies.policy import Policy
from signoff.app.approval.policies.policy_text import built_in, built_ins, read_policy
from signoff.app.approval.policies.verdicts import Case, VerdictAnswer
from signoff.app.approval.trusting import TrustEffect, told_in_a_line, warnings_of
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tools
from signoff.app.storage.policy_files import find_hosts
from tests.approved import approved
from tests.tui.stage import effect_on

PROSE = approved("approval")

BY_ARGUMENT = """
name = "mine"
summary = "Mine."

[[rule]]
name = "scratch"
trust = "trusted"
tool = "delete_*"
then = "allow"
reason = "scratch"
[[rule.argument]]
at = "/path"
matches = "scratch/.*"

[[rule]]
name = "the rest"
then = "ask"
reason = "ask"
"""
HINTS = st.fixed_dictionaries(
    {},
    optional={
        name: st.sampled_from([True, False, None, "true"])
        for name in ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
    },
)


def tools(*named: tuple[str, JsonValue]) -> tuple[ToolDefinition, ...]:
    schema: JsonValue = {"type": "object"}
    return read_tools(
        {"name": name, "inputSchema": schema, "annotations": hints} for name, hints in named
    )


def names(group: tuple[ToolDefinition, ...]) -> list[str]:
    return [tool.name for tool in group]


READS: JsonValue = {"readOnlyHint": True}
DESTROYS: JsonValue = {"destructiveHint": True}
ADDS: JsonValue = {"destructiveHint": False}
LISTED = tools(("look", READS), ("wipe", DESTROYS), ("add", ADDS), ("delete_all", READS))


def test_under_the_default_what_claims_to_be_read_only_runs() -> None:
    effect = effect_on(LISTED)
    assert effect.policy == "cautious"
    assert names(effect.runs) == ["delete_all", "look"]
    assert (effect.total, effect.already, effect.reads) == (4, 0, False)
    assert not effect.is_nothing


def test_a_name_that_says_otherwise_stands_first_with_its_warning_first() -> None:
    listed = tools(("look", READS), ("de\u200blete", READS), ("send_it", READS))
    effect = effect_on(listed)
    assert names(effect.runs) == ["de\u200blete", "send_it", "look"]
    (first, *_) = warnings_of(listed[2])
    assert first.code == "name-contradicts-read-only"


@pytest.mark.parametrize("name", ["ask-always", "allow-all"])
def test_the_constant_policies_change_nothing(name: str) -> None:
    effect = effect_on(LISTED, built_in(name))
    assert effect.is_nothing
    assert effect.already == (4 if name == "allow-all" else 0)


def test_a_host_that_obeys_trust_alone_runs_what_may_destroy_and_reads() -> None:
    hosts = {host.name: host for host in find_hosts().hosts}
    effect = effect_on(LISTED, hosts["gemini-cli"])
    assert set(names(effect.runs)) == {"look", "wipe", "add", "delete_all"}
    assert effect.runs[0].name == "delete_all"
    assert effect.runs[1].name == "wipe"
    assert effect.reads
    assert effect_on(LISTED, hosts["vscode"]).is_nothing


def test_what_runs_with_some_arguments_is_said_apart() -> None:
    mine = read_policy(BY_ARGUMENT, "mine.toml")
    effect = effect_on(tools(("delete_it", DESTROYS), ("look", READS)), mine)
    assert names(effect.sometimes) == ["delete_it"]
    assert effect.runs == ()
    assert not effect.is_nothing


def test_another_definition_is_another_thing_to_agree_to() -> None:
    one = effect_on(tools(("look", READS)))
    assert one.key == effect_on(tools(("look", READS))).key
    assert one.key != effect_on(tools(("look", {**READS, "title": "x"}))).key  # type: ignore[dict-item]
    assert one.key != effect_on(tools(("look", READS), ("peek", READS))).key
    assert one.key != effect_on(tools(("look", READS)), built_in("first-use")).key


def test_the_line_for_where_nobody_is_asked() -> None:
    PROSE.holds("trust: two tools", told_in_a_line(effect_on(LISTED)))
    nothing = effect_on(LISTED, built_in("ask-always"))
    PROSE.holds("trust: no tool", told_in_a_line(nothing))
    one = effect_on(LISTED[:1])
    PROSE.holds("trust: one tool", told_in_a_line(one))
    mine = read_policy(BY_ARGUMENT, "mine.toml")
    some = effect_on(tools(("delete_it", DESTROYS)), mine)
    PROSE.holds("trust: some arguments", told_in_a_line(some))
    many = effect_on(tools(*((f"look{at}", READS) for at in range(30))))
    PROSE.holds("trust: many tools", told_in_a_line(many))


@given(st.lists(HINTS, max_size=8), st.sampled_from([*built_ins(), *find_hosts().hosts]))
def test_it_says_what_the_policy_says(hints: list[dict[str, JsonValue]], policy: Policy) -> None:
    listed = tools(*((f"tool{at}", one) for at, one in enumerate(hints)))
    effect = effect_on(listed, policy)

    def runs(tool: ToolDefinition, trust: Trust) -> bool:
        return policy.judge(Case(tool, trust, "demo")).answer is VerdictAnswer.ALLOW

    wanted = {one.name for one in listed if runs(one, Trust.TRUSTED)}
    before = {one.name for one in listed if runs(one, Trust.UNTRUSTED)}
    assert set(names(effect.runs)) == wanted - before
    assert effect.already == len(wanted & before)
    assert isinstance(effect, TrustEffect)
    told_in_a_line(effect)
