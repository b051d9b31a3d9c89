"""`why`: its decision is that of `matrix --here`, and its steps tell how it came about."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.matrix import build_matrix
from signoff.app.approval.policies.modes import policy_named
from signoff.app.approval.policies.verdicts import VerdictAnswer
from signoff.app.hosts.approvals.as_configured import (
    ConfiguredColumn,
    Wanted,
    columns_here,
    entries_of,
    runs_here,
)
from signoff.app.hosts.approvals.auto_approved import approvals_here
from signoff.app.hosts.approvals.by_rows import settings_of
from signoff.app.hosts.approvals.tracing import HostTrace, StepOutcome, edits_of, trace_of
from signoff.app.hosts.files.servers import FileReport, Machine
from signoff.app.hosts.settings import EVERY
from tests.hosts.approvals.configured import CONFIGURED, covers
from tests.hosts.approvals.every_setting import EVERY_SETTING
from tests.hosts.files.given import HOME
from tests.hosts.files.machine import (
    CLAUDE,
    CODE,
    CODEX,
    CURSOR,
    ENTRY,
    GEMINI,
    GOOSE,
    KIRO,
    MODELS,
    OPENCODE,
    QWEN,
    SETTINGS,
    TOOLS,
    WORDS,
    Files,
    codex,
    goose,
    mcp,
    opencode,
    reports,
    rules,
)
from tests.tiers import examples, first_quick

FOLDER: Final = f"{HOME}/project"
MACHINES: Final[list[Files]] = [
    *(files for files, _ in CONFIGURED),
    *(files for several in EVERY_SETTING.values() for files in several),
]
CLI: Final = f"{HOME}/.cursor/cli-config.json"
PROJECT: Final = f"{FOLDER}/.claude/settings.json"


def made(
    files: Files, mode: str = "", platform: str = "linux"
) -> tuple[list[FileReport], list[ConfiguredColumn]]:
    read = reports(files, platform)
    machine = Machine(HOME, FOLDER, {"HOME": HOME}, platform)
    chosen = policy_named(MODELS, mode)
    entries = entries_of(read, Wanted(WORDS))
    return read, columns_here(TOOLS, entries, read, MODELS, machine, mode=chosen)


def agree(files: Files, platform: str = "linux") -> None:
    """Compare the trace of each tool in each host with the two other commands."""
    read, columns = made(files, platform=platform)
    approved = approvals_here(read, MODELS, platform=platform, folder=FOLDER)
    for column in columns:
        matrix = build_matrix(TOOLS, (column.policy,), server=column.server.name)
        for tool, row in zip(TOOLS, matrix, strict=True):
            trace = trace_of(column, tool)
            assert trace.verdict.answer is row.cells[0].untrusted.answer
            _in_order(trace)
            deciding = trace.deciding
            assert (deciding.setting if deciding else None) == column.settings.get(
                trace.verdict.rule
            )
            runs = trace.verdict.answer is VerdictAnswer.ALLOW
            assert (trace.run is not None) is runs
            assert trace.run in (None, *runs_here((tool,), (column,)))
            rows = [
                one
                for one in approved.found
                if one.host == column.server.host
                and one.server in (EVERY, column.server.name)
                and covers(one.tools, tool.name)
            ]
            if not runs:
                assert not [one for one in rows if not one.condition]
            elif not rows:
                assert deciding is not None
                assert deciding.is_of_host
                assert column.server.host in approved.by_own_rules


def _in_order(trace: HostTrace) -> None:
    """Nothing before the step that decides was left out, and nothing behind it is reached."""
    outcomes = [one.outcome for one in trace.steps]
    decides = [at for at, one in enumerate(outcomes) if one is StepOutcome.DECIDES]
    assert len(decides) <= 1
    end = decides[0] if decides else len(outcomes)
    assert set(outcomes[:end]) <= {StepOutcome.PASSED_OVER}
    assert set(outcomes[end + 1 :]) <= {StepOutcome.NOT_REACHED}
    for one in trace.steps:
        assert one.why or one.outcome is not StepOutcome.PASSED_OVER
        assert one.setting is not None or one.rule is not None


@pytest.mark.parametrize("files", first_quick(MACHINES, 60))
def test_each_setting_is_explained_as_it_is_decided(files: Files) -> None:
    for platform in ("linux", "win32"):
        agree(files, platform)


NAMES: Final = st.lists(
    st.sampled_from(
        (
            *("mcp__notes", "mcp__notes__drop", "mcp__notes__list", "mcp__notes__*", "*"),
            *("mcp__notes__d*", "mcp__other", "mcp__other__drop", "Bash(ls)", "mcp__*"),
        )
    ),
    max_size=3,
)
TOOL_LISTS: Final = st.lists(st.sampled_from(("list", "drop", "gone", "*")), max_size=3)


def _some(**kinds: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=kinds)


def _claude(path: str) -> st.SearchStrategy[dict[str, Any]]:
    modes = st.sampled_from(("default", "plan", "bypassPermissions", "dontAsk", "auto", "odd"))
    kinds = _some(allow=NAMES, ask=NAMES, deny=NAMES, defaultMode=modes)
    return kinds.map(lambda one: {CLAUDE: mcp(), path: rules(**one)})


def _gemini(path: str) -> st.SearchStrategy[dict[str, Any]]:
    entry = _some(trust=st.booleans(), includeTools=TOOL_LISTS, excludeTools=TOOL_LISTS)
    modes = st.sampled_from(("yolo", "plan", "default", "odd"))
    whole = st.tuples(entry, modes, _some(allow=NAMES, deny=NAMES))
    return whole.map(
        lambda one: {
            path: {**mcp(**one[0]), "general": {"defaultApprovalMode": one[1]}, **rules(**one[2])}
        }
    )


_CURSOR_RULES: Final = st.lists(
    st.sampled_from(("Mcp(notes:drop)", "Mcp(*)", "Mcp(other:drop)", "Mcp(notes)", "Shell(ls)")),
    max_size=3,
)
_OPENCODE_RULES: Final = st.dictionaries(
    st.sampled_from(("*", "notes_*", "notes_drop", "other_*", "bash")),
    st.sampled_from(("allow", "ask", "deny")),
    max_size=4,
)
SPACE: Final = st.one_of(
    _claude(SETTINGS),
    _claude(PROJECT),
    # A file in which the host does not read rules.
    _claude(f"{FOLDER}/.mcp.json"),
    _gemini(GEMINI),
    _gemini(QWEN),
    _some(allow=_CURSOR_RULES, deny=_CURSOR_RULES).map(
        lambda one: {CURSOR: mcp(), CLI: rules(**one)}
    ),
    _some(allow=_CURSOR_RULES).map(lambda one: {CURSOR: {**mcp(), **rules(**one)}}),
    _OPENCODE_RULES.map(lambda one: {OPENCODE: opencode(permission=one)}),
    st.tuples(
        st.sampled_from(("auto", "prompt", "writes", "approve", "odd")),
        st.sampled_from(("never", "on-request", "untrusted")),
        TOOL_LISTS,
    ).map(
        lambda one: {
            CODEX: codex(
                f'default_tools_approval_mode = "{one[0]}"',
                f"disabled_tools = {one[2]}",
                top=f'approval_policy = "{one[1]}"',
            )
        }
    ),
    st.tuples(st.sampled_from(("auto", "approve", "smart_approve", "chat", "odd")), TOOL_LISTS).map(
        lambda one: {GOOSE: goose(f"GOOSE_MODE: {one[0]}", available_tools=one[1])}
    ),
    st.tuples(st.booleans(), st.booleans()).map(
        lambda one: {
            f"{CODE}/mcp.json": {"servers": {"notes": {**ENTRY, "sandboxEnabled": one[0]}}},
            f"{CODE}/settings.json": {"chat.tools.autoApprove": one[1]},
        }
    ),
    _some(autoApprove=TOOL_LISTS, disabledTools=TOOL_LISTS, disabled=st.booleans()).map(
        lambda one: {KIRO: mcp(**one)}
    ),
)


@pytest.mark.slow
@examples(300)
@given(st.lists(SPACE, min_size=1, max_size=3))
def test_the_three_agree_on_drawn_rules(several: list[dict[str, Any]]) -> None:
    whole: dict[str, Any] = {}
    for files in several:
        whole |= files
    agree(whole)


@pytest.mark.parametrize("files", first_quick(MACHINES, 40))
def test_a_trace_reads_the_same_settings(files: Files) -> None:
    read, columns = made(files)
    for column in columns:
        of_host = [one for one in read if one.host == column.server.host]
        names = [one.name for one in TOOLS]
        read_again = partial(
            settings_of, column.server, of_host, names, platform="linux", folder=FOLDER
        )
        found = read_again(is_traced=True)
        assert tuple(one for one in found if not one.is_passed_over) == read_again()


def steps(files: Files, tool: str = "drop", mode: str = "") -> list[tuple[str, str, str, str]]:
    """Place, setting, outcome and reasons of each step in the only host of these files."""
    (column,) = made(files, mode)[1]
    trace = trace_of(column, next(one for one in TOOLS if one.name == tool))
    return [
        (
            one.setting.place.removeprefix(f"{HOME}/") if one.setting else "",
            f"{one.setting.key} {one.setting.value}" if one.setting else one.rule.name,  # type: ignore[union-attr]
            one.outcome.value,
            "; ".join(one.why),
        )
        for one in trace.steps
    ]


def test_the_steps_in_claude_code_are_in_the_order_in_which_they_count() -> None:
    files = {
        CLAUDE: {
            **mcp(),
            **rules(allow=["mcp__notes"]),
            "projects": {"/other": {"allowedTools": ["mcp__notes"]}},
        },
        SETTINGS: rules(
            allow=["mcp__other", "Bash(ls)", "Bash(cat)"], defaultMode="bypassPermissions"
        ),
        PROJECT: rules(
            deny=["mcp__notes__add"], allow=["mcp__notes__drop"], defaultMode="acceptEdits"
        ),
    }
    user, project = ".claude/settings.json", "project/.claude/settings.json"
    assert steps(files) == [
        (f"{project}:4", "deny mcp__notes__add", "looked at", 'the tool is "drop", not "add"'),
        (f"{project}:7", "allow mcp__notes__drop", "decides", ""),
        (f"{user}:4", "allow mcp__other", "not reached", "is about another server"),
        (f"{user}:3", "allow 2 rules", "not reached", "not about tools of MCP servers"),
        (f"{user}:8", "defaultMode bypassPermissions", "not reached", STRONGER),
        (".claude.json:12", "allow 1 item", "not reached", OTHER_KIND),
        (".claude.json:18", "allowedTools 1 item", "not reached", "is about another project"),
        (f"{project}:9", "defaultMode acceptEdits", "not reached", ""),
    ]


STRONGER: Final = "a stronger file has this key, too"
OTHER_KIND: Final = "the host does not read this key in this kind of file"


def test_the_steps_in_codex_are_in_the_order_in_which_they_count() -> None:
    files = {
        CODEX: codex(
            'disabled_tools = ["list"]',
            'default_tools_approval_mode = "writes"',
            top='approval_policy = "on-request"',
        )
    }
    mode = "default_tools_approval_mode writes"
    assert steps(files) == [
        (".codex/config.toml:5", "disabled_tools ", "looked at", 'the tool is "drop", not "list"'),
        (
            ".codex/config.toml:1",
            "approval_policy on-request",
            "looked at",
            "this value has no effect",
        ),
        (".codex/config.toml:6", mode, "looked at", "readOnlyHint is not set"),
        (".codex/config.toml:6", mode, "decides", ""),
    ]


def test_a_mode_that_is_named_takes_the_place_of_that_of_the_files() -> None:
    files = {CLAUDE: mcp(), SETTINGS: rules(defaultMode="bypassPermissions")}
    found = steps(files, mode="claude-code:plan")
    assert found[0][1] == " claude-code:plan"
    assert (".claude/settings.json:3", "defaultMode bypassPermissions") in [
        one[:2] for one in found
    ]
    for mode, decision in (("claude-code", "ask"), ("claude-code:bypass", "allow")):
        (column,) = made({CLAUDE: mcp()}, mode)[1]
        assert trace_of(column, TOOLS[1]).verdict.answer.value == decision


@pytest.mark.parametrize(
    ("files", "mode", "answer"),
    [
        ({CURSOR: mcp()}, "cursor:unattended", "refuse"),
        ({CURSOR: mcp(), CLI: rules(allow=["Mcp(notes:drop)"])}, "cursor:unattended", "allow"),
        ({CODEX: codex()}, "codex:unattended", "refuse"),
        ({GEMINI: mcp(trust=True)}, "gemini-cli:plan", "hide"),
        ({GEMINI: mcp()}, "gemini-cli:yolo", "allow"),
    ],
)
def test_what_the_files_allow_counts_in_a_mode_that_is_named(
    files: Files, mode: str, answer: str
) -> None:
    (column,) = made(files, mode)[1]
    trace = trace_of(column, TOOLS[1])
    assert trace.verdict.answer.value == answer
    _in_order(trace)


def test_the_edits_are_those_of_the_matrix() -> None:
    files = {CLAUDE: mcp(), SETTINGS: rules(allow=["mcp__notes__drop", "mcp__notes"])}
    (column,) = made(files)[1]
    trace = trace_of(column, TOOLS[1])
    assert trace.run is not None
    assert list(edits_of(trace.run)) == [
        ("remove mcp__notes__drop from allow", SETTINGS, 4),
        ("remove mcp__notes from allow", SETTINGS, 5),
    ]


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({GEMINI: mcp(trust=False)}, "only true has an effect"),
        ({CURSOR: {**mcp(), **rules(allow=["Mcp(notes:drop)"])}}, OTHER_KIND),
        (
            {OPENCODE: opencode(tools={"notes_drop": True, "other_x": False})},
            "only false has an effect",
        ),
        ({OPENCODE: opencode(permission={"other_x": "deny"})}, "is about another server"),
        ({GOOSE: goose(available_tools=[])}, "names all tools"),
        (
            {
                f"{CODE}/mcp.json": {"servers": {"notes": ENTRY}},
                f"{FOLDER}/.vscode/settings.json": {"chat.tools.autoApprove": True},
            },
            "does not count in a file of the project",
        ),
        (
            {GEMINI: {**mcp(trust=True), "general": {"defaultApprovalMode": "plan"}}},
            "no rule of this mode looks at it",
        ),
        ({QWEN: {**mcp(), "mcp": {"allowed": ["notes"]}}}, ""),
    ],
)
def test_a_setting_that_decides_nothing_has_its_reason(files: Files, reason: str) -> None:
    assert reason in [one[3] for one in steps(files)] or not reason


def test_a_sandbox_counts_on_some_systems_only() -> None:
    files = {f"{CODE}/mcp.json": {"servers": {"notes": {**ENTRY, "sandboxEnabled": True}}}}
    (column,) = made(files, platform="win32")[1]
    whys: Sequence[str] = [why for one in trace_of(column, TOOLS[1]).steps for why in one.why]
    assert "counts on linux and darwin only" in whys
