"""What a server gains and loses with each draft: the tools, and decisions that are judged."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.app.approval.draft_effects import DraftEffects, effects_of
from signoff.app.approval.draft_facts import ROWS, EffectKind
from signoff.app.approval.draft_tools import DraftSubject
from signoff.app.approval.matrix import column_title
from signoff.app.approval.policies.policy_text import built_ins
from signoff.app.hosts.rules import host_names, read_host
from signoff.app.protocol.extensions.on_tools import with_drafts
from signoff.app.protocol.extensions.register import EXTENSIONS
from signoff.app.protocol.extensions.tool_resolution import NAME as RESOLUTION
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool_reading import read_tools
from tests.decision_cases import entry

COLUMNS = (*map(read_host, host_names()), *built_ins())
DECLARED: dict[str, Any] = {"extensions": {one.identifier: {} for one in EXTENSIONS.values()}}
PREFIX = "io.modelcontextprotocol/"
SECRETS = entry("read_file", readOnly=True, openWorld=False)
NEWS = entry("fetch_news", readOnly=True, openWorld=True)
POSTS = entry("publish", readOnly=False, destructive=False, openWorld=True)
DROPS = entry("drop_table", readOnly=False, destructive=True, openWorld=False)
LOOKS = entry("look", readOnly=True, openWorld=False)


def taking(name: str, properties: Any, **hints: Any) -> Any:
    return {**entry(name, **hints), "inputSchema": {"type": "object", "properties": properties}}


def described(name: str, description: str, **hints: Any) -> Any:
    return entry(name, description, **{"readOnly": True, "openWorld": False} | hints)


def with_meta(tool: Any, key: str, value: Any) -> Any:
    return {**tool, "_meta": {PREFIX + key: value}}


def effects(
    draft: str, *entries: Any, declared: Any = DECLARED, url: bool | None = False, **more: Any
) -> DraftEffects:
    drafts = frozenset((draft,))
    tools = with_drafts(read_tools(list(entries)), drafts)
    (found,) = effects_of(DraftSubject(tools, drafts, declared, url, COLUMNS, **more))
    return found


def named(found: DraftEffects, kind: EffectKind, word: str) -> list[str]:
    """The tools of the one effect whose words have this word; empty without one."""
    some = [one for one in found.effects if one.kind is kind and word in one.words]
    assert len(some) <= 1
    return [tool.tool.name for one in some for tool in one.tools]


def test_each_draft_has_a_row_with_both_sides() -> None:
    assert set(ROWS) == set(EXTENSIONS)
    for row in ROWS.values():
        assert {one.kind for one in row.facts} == set(EffectKind)


GAIN, LOSS = EffectKind
TABLE = [
    ("display-templates", GAIN, "beside", [taking("a", {"p": {"type": "string"}})], []),
    (
        "display-templates",
        GAIN,
        "beside",
        [with_meta(LOOKS, "display-templates", {"template": "look"}), DROPS],
        ["look"],
    ),
    (
        "display-templates",
        LOSS,
        "leaves out",
        [with_meta(taking("a", {"p": {"type": "string"}}), "display-templates", {"template": "a"})],
        ["a"],
    ),
    ("trust-annotations", GAIN, "look private", [SECRETS, POSTS], ["read_file"]),
    ("trust-annotations", GAIN, "marked sensitive, a call", [SECRETS, NEWS], ["fetch_news"]),
    ("trust-annotations", GAIN, "marked sensitive, a call", [NEWS, LOOKS], []),
    ("trust-annotations", GAIN, "like text", [SECRETS, NEWS], ["fetch_news"]),
    ("trust-annotations", LOSS, "remembered", [NEWS, DROPS, LOOKS], ["fetch_news", "drop_table"]),
    (
        "action-metadata",
        LOSS,
        "by `requiresReview`, and",
        [with_meta(LOOKS, "action-metadata", {"requiresReview": True}), DROPS],
        ["look"],
    ),
    (
        "action-metadata",
        LOSS,
        "benign",
        [with_meta(DROPS, "action-metadata", {"outcome": ["benign"]})],
        ["drop_table"],
    ),
    ("action-metadata", GAIN, "destination", [POSTS, LOOKS], ["publish"]),
    ("tool-approval", GAIN, "without a question", [DROPS, LOOKS], ["drop_table"]),
    ("tool-approval", LOSS, "twice", [DROPS, LOOKS], ["drop_table"]),
    ("structured-authorization-denials", LOSS, "retry", [LOOKS, POSTS], ["look", "publish"]),
    ("skills", LOSS, "allowed-tools", [POSTS, LOOKS], ["publish"]),
    (
        "tool-resolution",
        GAIN,
        "at most",
        [with_meta(DROPS, RESOLUTION, {"resolvable": True})],
        ["drop_table"],
    ),
]


@pytest.mark.parametrize(("draft", "kind", "word", "entries", "tools"), TABLE)
def test_an_effect_is_about_these_tools(
    draft: str, kind: EffectKind, word: str, entries: list[Any], tools: list[str]
) -> None:
    assert named(effects(draft, *entries), kind, word) == tools


ACTION = {"action": {"enum": ["read", "delete"]}}
SCALAR = {"a": {"type": "string"}, "b": {"type": "integer"}}
CANDIDATES = [
    ("tool-resolution", taking("files", ACTION), True),
    ("tool-resolution", taking("files", {"colour": {"enum": ["red", "green"]}}), False),
    ("tool-resolution", taking("files", ACTION, readOnly=True), False),
    ("display-templates", taking("a", SCALAR, readOnly=True), True),
    ("display-templates", taking("a", SCALAR), False),
    ("display-templates", taking("a", {"a": {"type": "object"}}, readOnly=True), False),
    ("display-templates", taking("a", {}, readOnly=True), False),
    ("action-metadata", described("a", "Requires confirmation by the user."), True),
    ("action-metadata", described("a", "Must be approved first."), True),
    ("action-metadata", described("a", "Check this with the user."), True),
    ("action-metadata", described("a", "Does not require approval."), False),
    ("action-metadata", described("a", "Requires no approval."), False),
    ("action-metadata", described("a", "Lists approvals."), False),
    ("tool-approval", described("a", "Needs the approval of a manager."), True),
    ("tool-approval", described("a", "Reads a row."), False),
    ("structured-authorization-denials", described("a", "Requires the admin role."), True),
    ("structured-authorization-denials", described("a", "Needs no permissions."), False),
    ("skills", described("a", "Call list_rows, then drop_table."), False),
    ("trust-annotations", LOOKS, False),
    ("trust-annotations", SECRETS, True),
]


@pytest.mark.parametrize(("draft", "tool", "is_candidate"), CANDIDATES)
def test_a_server_that_could_use_a_draft_has_the_hint(
    draft: str, tool: Any, is_candidate: bool
) -> None:
    found = effects(draft, tool, declared={})
    assert not found.is_used
    assert bool(found.effects) is is_candidate
    assert all(one.is_possible for one in found.effects)


def test_a_procedure_across_tools_is_a_candidate_for_a_skill() -> None:
    plan = described("plan", "Call drop_table, then look.")
    found = effects("skills", plan, DROPS, LOOKS, declared={})
    ((tool,),) = [one.tools for one in found.effects if one.tools]
    assert (tool.tool.name, tool.reason) == ("plan", "names drop_table")


@pytest.mark.parametrize(("url", "kinds"), [(True, {GAIN, LOSS}), (False, set()), (None, set())])
def test_only_a_server_with_a_url_has_a_card(url: bool | None, kinds: set[EffectKind]) -> None:
    assert {one.kind for one in effects("server-cards", LOOKS, url=url).effects} == kinds


@pytest.mark.parametrize("trust", list(Trust))
@pytest.mark.parametrize("draft", sorted(set(EXTENSIONS) - {RESOLUTION}))
@pytest.mark.parametrize("declared", [{}, DECLARED, None])
def test_with_a_draft_no_decision_gets_milder(draft: str, declared: Any, trust: Trust) -> None:
    lying = with_meta(DROPS, "action-metadata", {"outcome": "benign", "requiresReview": False})
    tools = (lying, SECRETS, NEWS, POSTS, LOOKS, described("asks", "Requires approval"))
    found = effects(draft, *tools, declared=declared, trust=trust)
    changed = [
        (one.now, one.then)
        for effect in found.effects
        for tool in effect.tools
        for one in tool.decisions
        if one.then
    ]
    assert {now for now, _ in changed} <= {"run"}
    assert {then for _, then in changed} <= {"ask", "ask with a warning", "refused"}


def test_decisions_are_those_of_the_policies_themselves() -> None:
    found = effects("trust-annotations", SECRETS, NEWS)
    by = {
        one.policy: one.change
        for effect in found.effects
        for tool in effect.tools
        for one in tool.decisions
    }
    heeding = {column_title(one) for one in COLUMNS if one.heeds_doubts}
    assert by["cautious"] == "run → ask"
    assert set(by) <= heeding


def test_a_hostile_server_is_shown_within_limits() -> None:
    words = "requires approval \x1b[1m" * 300
    many = [described(f"t_{at}\u202e", words) for at in range(60)]
    for draft in EXTENSIONS:
        found = effects(draft, *many, declared={})
        for one in found.effects:
            line = one.sentence(lambda tool: tool.display_name, str)
            assert len(line) < 1_500
            assert line.isprintable()
