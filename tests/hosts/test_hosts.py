"""Every cell of the table that the host rules were written from."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.matrix import cell_word
from signoff.app.approval.policies.policy import Policy, PolicyKind
from signoff.app.approval.policies.verdicts import Case, Verdict, VerdictAnswer
from signoff.app.hosts.folders import in_order
from signoff.app.hosts.rules import host_names, read_host
from signoff.app.protocol.hints import HINT_KEYS
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tool
from tests.approved import approved

PROSE = approved("policies")

RUN, ASK, REFUSED, HIDDEN, UNKNOWN = "run", "ask", "refused", "hidden", "not known"
JUDGED = "run if its model allows it"
CLAIMS = st.dictionaries(st.sampled_from(HINT_KEYS), st.booleans())

SHAPES: dict[str, dict[str, bool]] = {
    "unannotated": {},
    "not read-only": {"readOnly": False},
    "additive, world unset": {"readOnly": False, "destructive": False},
    "contradictory": {"readOnly": True, "destructive": True},
    "read-only": {"readOnly": True},
}
EVERYTHING_RUNS = ((RUN, RUN),) * 5
EVERYTHING_ASKS = ((ASK, ASK),) * 5
EVERYTHING_REFUSED = ((REFUSED, REFUSED),) * 5
EVERYTHING_JUDGED = ((JUDGED, JUDGED),) * 5
READ_ONLY_RUNS = (*((ASK, ASK),) * 3, (RUN, RUN), (RUN, RUN))
READ_ONLY_RUNS_ELSE_REFUSED = (*((REFUSED, REFUSED),) * 3, (RUN, RUN), (RUN, RUN))
READ_ONLY_RUNS_ELSE_JUDGED = (*((JUDGED, JUDGED),) * 3, (RUN, RUN), (RUN, RUN))
READ_ONLY_RUNS_UNLESS_DESTRUCTIVE = (*((ASK, ASK),) * 4, (RUN, RUN))
RUNS_IF_TRUSTED = ((ASK, RUN),) * 5
READ_ONLY_NOT_KNOWN = (*((ASK, ASK),) * 3, (UNKNOWN, UNKNOWN), (UNKNOWN, UNKNOWN))
HIDDEN_OR = (*((HIDDEN, HIDDEN),) * 3,)
# Host and mode: the word for each shape, untrusted and trusted.
TABLE: dict[str, tuple[tuple[str, str], ...]] = {
    "spec": ((ASK, ASK), (ASK, ASK), (ASK, UNKNOWN), (ASK, RUN), (ASK, RUN)),
    "vscode": READ_ONLY_RUNS,
    "vscode:sandboxed": EVERYTHING_RUNS,
    "vscode:full-access": EVERYTHING_RUNS,
    "vscode:assisted": EVERYTHING_JUDGED,
    "codex": READ_ONLY_RUNS,
    "codex:exec": READ_ONLY_RUNS_ELSE_REFUSED,
    "codex:prompt": EVERYTHING_ASKS,
    "codex:writes": READ_ONLY_RUNS,
    "codex:approve": EVERYTHING_RUNS,
    "codex:full-access": EVERYTHING_RUNS,
    "codex:auto-review": EVERYTHING_JUDGED,
    "goose": EVERYTHING_RUNS,
    "goose:smart": ((JUDGED, JUDGED), (ASK, ASK), (ASK, ASK), (RUN, RUN), (RUN, RUN)),
    "goose:approve": EVERYTHING_ASKS,
    "goose:chat": ((HIDDEN, HIDDEN),) * 5,
    "claude-desktop": EVERYTHING_ASKS,
    "claude-desktop:auto": READ_ONLY_RUNS,
    "claude-code": EVERYTHING_ASKS,
    "claude-code:plan": EVERYTHING_ASKS,
    "claude-code:auto": EVERYTHING_JUDGED,
    "claude-code:bypass": EVERYTHING_RUNS,
    "claude-code:dont-ask": EVERYTHING_REFUSED,
    "claude-code:print": EVERYTHING_REFUSED,
    "gemini-cli": RUNS_IF_TRUSTED,
    "gemini-cli:headless": ((HIDDEN, RUN),) * 5,
    "gemini-cli:plan": (*HIDDEN_OR, (ASK, ASK), (ASK, ASK)),
    "gemini-cli:yolo": EVERYTHING_RUNS,
    "qwen-code": EVERYTHING_JUDGED,
    "qwen-code:default": EVERYTHING_ASKS,
    "qwen-code:headless": EVERYTHING_JUDGED,
    "qwen-code:plan": EVERYTHING_REFUSED,
    "qwen-code:yolo": EVERYTHING_RUNS,
    "cursor": EVERYTHING_ASKS,
    "cursor:reads": (*HIDDEN_OR, (HIDDEN, HIDDEN), (RUN, RUN)),
    "cursor:smart": EVERYTHING_JUDGED,
    "copilot-eclipse": (*((ASK, ASK),) * 3, (ASK, RUN), (ASK, RUN)),
    "copilot-cli": READ_ONLY_RUNS,
    "copilot-cli:headless": READ_ONLY_RUNS_ELSE_REFUSED,
    "copilot-cli:assisted": READ_ONLY_RUNS_ELSE_JUDGED,
    "copilot-cli:full-access": EVERYTHING_RUNS,
    "opencode": EVERYTHING_RUNS,
    "kilo": EVERYTHING_RUNS,
    "kimi-code": EVERYTHING_ASKS,
    "kimi-code:auto": EVERYTHING_RUNS,
    "cline": EVERYTHING_ASKS,
    "cline:cli": EVERYTHING_RUNS,
    "cline:headless": EVERYTHING_REFUSED,
    "roo": EVERYTHING_ASKS,
    "continue": EVERYTHING_ASKS,
    "continue:headless": EVERYTHING_RUNS,
    "crush": EVERYTHING_ASKS,
    "zed": EVERYTHING_ASKS,
    "chatgpt": READ_ONLY_NOT_KNOWN,
    "responses-api": EVERYTHING_ASKS,
    "responses-api:read-only": READ_ONLY_RUNS,
    "responses-api:full-access": EVERYTHING_RUNS,
    "docker-agent": READ_ONLY_RUNS_UNLESS_DESTRUCTIVE,
    "docker-agent:strict": EVERYTHING_ASKS,
    "docker-agent:restricted": (*((REFUSED, REFUSED),) * 4, (RUN, RUN)),
    "docker-agent:autonomous": EVERYTHING_RUNS,
    "n8n": ((UNKNOWN, UNKNOWN), (ASK, ASK), (ASK, ASK), (ASK, ASK), (RUN, RUN)),
    "copilot-review": (*HIDDEN_OR, (RUN, RUN), (RUN, RUN)),
    "app-directory": EVERYTHING_REFUSED,
    "unattended-loop": READ_ONLY_RUNS_ELSE_REFUSED,
}


def model(name: str) -> Policy:
    host = read_host(name.partition(":")[0])
    return next(one for one in host.variants if one.name == name)


MODELS = [mode.name for name in host_names() for mode in read_host(name).variants]


def tool(**hints: bool) -> ToolDefinition:
    return annotated({f"{name}Hint": claim for name, claim in hints.items()})


def annotated(annotations: dict[str, Any]) -> ToolDefinition:
    return read_tool(
        0, {"name": "a_tool", "inputSchema": {"type": "object"}, "annotations": annotations}
    )


def says(host: str, trust: Trust = Trust.TRUSTED, /, **hints: bool) -> Verdict:
    return model(host).judge(Case(tool(**hints), trust))


def test_every_mode_of_the_table_has_a_model_and_the_other_way_round() -> None:
    assert list(TABLE) == MODELS


@pytest.mark.parametrize("host", TABLE)
@pytest.mark.parametrize(("at", "shape"), list(enumerate(SHAPES)))
def test_a_cell_of_the_table(host: str, at: int, shape: str) -> None:
    found = tuple(
        cell_word(says(host, trust, **SHAPES[shape])) for trust in (Trust.UNTRUSTED, Trust.TRUSTED)
    )
    assert found == TABLE[host][at]


@pytest.mark.parametrize(
    ("hints", "word"),
    [
        ({"readOnly": True, "openWorld": True}, "run, asks about the result"),
        ({"readOnly": False, "openWorld": True}, "ask, asks about the result"),
        ({"openWorld": True}, "ask, asks about the result"),
        ({"readOnly": True, "openWorld": False}, "run"),
        ({"openWorld": False}, "ask"),
    ],
)
def test_vs_code_asks_about_the_answer_of_what_says_open_world(
    hints: dict[str, bool], word: str
) -> None:
    assert cell_word(says("vscode", **hints)) == word


@given(CLAIMS)
def test_codex_decides_by_read_only_first(claims: dict[str, bool]) -> None:
    # As measured on its own screen; the source checks destructive before read-only.
    if claims.get("readOnlyHint") is True:
        asks = False
    elif claims.get("destructiveHint") is True:
        asks = True
    else:
        asks = claims.get("destructiveHint", True) or claims.get("openWorldHint", True)
    for trust in Trust:
        verdict = read_host("codex").judge(Case(annotated(claims), trust))
        assert verdict.answer is (VerdictAnswer.ASK if asks else VerdictAnswer.ALLOW)


def test_what_was_measured_of_codex_stands_at_the_cell_that_it_contradicts() -> None:
    both = says("codex", readOnly=True, destructive=True)
    assert both.answer is VerdictAnswer.ALLOW
    assert any("measured" in reason for reason in both.reasons)
    assert not any(": measured" in reason for reason in says("codex", destructive=True).reasons)
    assert "Measured on its own screen" in read_host("codex").notes


@given(CLAIMS)
def test_qwen_code_heeds_no_hint(claims: dict[str, bool]) -> None:
    # Measured on 0.24.4, headless and over ACP.
    wanted = {"qwen-code": VerdictAnswer.JUDGE, "qwen-code:default": VerdictAnswer.ASK}
    for name, answer in wanted.items():
        for trust in Trust:
            assert model(name).judge(Case(annotated(claims), trust)).answer is answer


def test_goose_lets_a_model_judge_what_declares_nothing() -> None:
    verdict = says("goose:smart")
    assert verdict.answer is VerdictAnswer.JUDGE
    PROSE.holds("model: goose smart", "\n".join(verdict.reasons))


@given(CLAIMS)
def test_codex_exec_runs_what_needs_no_approval_and_every_read_only_tool(
    claims: dict[str, bool],
) -> None:
    # Measured on 0.169.0; the open world is read in the source.
    destroys = claims.get("destructiveHint", True)
    runs = claims.get("readOnlyHint") is True or not (destroys or claims.get("openWorldHint", True))
    for trust in Trust:
        verdict = model("codex:exec").judge(Case(annotated(claims), trust))
        assert verdict.answer is (VerdictAnswer.ALLOW if runs else VerdictAnswer.REFUSE)


def test_the_plan_mode_of_claude_code_gives_its_reason() -> None:
    assert says("claude-code:plan").rule == "rule 1: not read-only"
    read_only = says("claude-code:plan", readOnly=True)
    assert (read_only.answer, read_only.rule) == (VerdictAnswer.ASK, "rule 2: no user rule")


@given(CLAIMS)
def test_the_directory_refuses_unless_three_hints_are_said(claims: dict[str, bool]) -> None:
    verdict = read_host("app-directory").judge(Case(annotated(claims), Trust.TRUSTED))
    is_said = {"readOnlyHint", "destructiveHint", "openWorldHint"} <= set(claims)
    assert verdict.answer is (VerdictAnswer.UNKNOWN if is_said else VerdictAnswer.REFUSE)


def test_the_directory_questions_what_contradicts_itself() -> None:
    verdict = says("app-directory", readOnly=True, destructive=True, openWorld=False)
    assert any("refused or questioned" in reason for reason in verdict.reasons)


@given(CLAIMS)
def test_by_the_text_nothing_of_an_untrusted_server_runs(claims: dict[str, bool]) -> None:
    verdict = read_host("spec").judge(Case(annotated(claims), Trust.UNTRUSTED))
    assert verdict.answer is VerdictAnswer.ASK


@pytest.mark.parametrize("claim", ["true", 1, None, []])
@pytest.mark.parametrize("host", MODELS)
def test_a_malformed_hint_counts_as_not_said(host: str, claim: object) -> None:
    for trust in Trust:
        malformed = model(host).judge(Case(annotated({"readOnlyHint": claim}), trust))
        assert cell_word(malformed) == cell_word(says(host, trust))


@pytest.mark.parametrize("host", MODELS)
def test_a_model_says_where_and_when_it_was_read_and_why_it_decides(host: str) -> None:
    policy = model(host)
    assert policy.name == host
    assert policy.basis is not None
    assert policy.kind is PolicyKind.HOST
    assert policy.title
    assert policy.summary.endswith(".")
    assert policy.source.startswith("https://")
    assert policy.source_file
    assert policy.date is not None
    assert policy.rules[-1].is_catch_all or host == "spec"
    assert all(rule.name and rule.reason for rule in policy.rules)
    verdict = says(host)
    assert verdict.rule
    assert str(policy.date) in verdict.source


def test_models_stand_in_a_fixed_order_and_new_ones_follow_by_name() -> None:
    assert host_names()[:3] == ("spec", "vscode", "codex")
    assert in_order(["zulu", "goose", "aider", "spec"]) == ("spec", "goose", "aider", "zulu")


def test_an_unknown_host_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        read_host("../policies/cautious")
