"""Whether a plain call reaches a tool, for whom it is meant, and what says nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from signoff.app.approval.matrix import overridden
from signoff.app.content.text import visible
from signoff.app.protocol.findings.findings import Severity
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tool, read_tools
from signoff.app.protocol.visibility import TASKS_IN, TaskSupport
from tests.approved import approved
from tests.content.json_values import json_values

PROSE = approved("protocol")


def tool(version: str = TASKS_IN, **more: Any) -> ToolDefinition:
    entry = {"name": "t", "inputSchema": {"type": "object"}, **more}
    return read_tools([entry], version)[0]


def task(said: Any, version: str = TASKS_IN) -> ToolDefinition:
    return tool(version, execution={"taskSupport": said})


def seen_by(said: Any) -> ToolDefinition:
    return tool(_meta={"ui": {"visibility": said}})


def codes(one: ToolDefinition) -> list[str]:
    return [finding.code for finding in one.findings]


def test_a_tool_that_says_nothing_is_like_any_other() -> None:
    for one in (tool(), tool(execution={}), tool(_meta={}), tool(_meta={"ui": {}})):
        assert (one.reach.task_support, one.reach.mark, one.reach.words) == (
            TaskSupport.NOT_SET,
            "",
            "",
        )
        assert codes(one) == []


@pytest.mark.parametrize("version", ["2025-11-25", ""])
def test_what_requires_a_task_is_marked_and_said(version: str) -> None:
    one = task("required", version)
    assert one.reach.needs_task
    assert one.reach.mark == "task"
    assert codes(one) == ["task-only"]
    assert one.findings[0].severity is Severity.NOTE
    assert "called as a task" in one.findings[0].message
    assert one.reach.as_json() == {
        "task_support": "required",
        "needs_task": True,
        "app_only": False,
    }


@pytest.mark.parametrize("said", ["optional", "forbidden"])
def test_what_runs_without_a_task_is_not_marked(said: str) -> None:
    one = task(said)
    assert one.reach.task_support == said
    assert not one.reach.mark
    assert codes(one) == []


@pytest.mark.parametrize("version", ["2026-07-28", "2025-06-18", "2024-11-05"])
@pytest.mark.parametrize("said", ["required", "optional", 5])
def test_in_other_revisions_it_means_nothing_and_that_is_said(version: str, said: Any) -> None:
    one = task(said, version)
    assert not one.reach.needs_task
    assert codes(one)[0] == "task-support-unknown"
    assert version in one.findings[0].message
    assert one.findings[0].severity is Severity.NOTE


@pytest.mark.parametrize("said", ["Required", "always", True, None, ["required"], {}, "required "])
def test_a_malformed_task_support_is_not_obeyed(said: Any) -> None:
    one = task(said)
    assert one.reach.task_support is TaskSupport.MALFORMED
    assert not one.reach.needs_task
    assert codes(one) == ["malformed-execution", "clients-lose-tools"]
    broken = ["malformed-execution", "clients-lose-tools"] if said != {} else []
    assert codes(tool(execution=said)) == broken


def test_what_is_for_the_app_alone_is_marked_and_said() -> None:
    one = seen_by(["app"])
    assert one.reach.is_for_app
    assert one.reach.mark == "app"
    assert codes(one) == ["app-only"]
    PROSE.holds("reach: for the app", one.findings[0].message)


@pytest.mark.parametrize("said", [["model"], ["model", "app"], ["app", "model", "app"]])
def test_what_a_model_may_call_is_not_marked(said: Any) -> None:
    assert not seen_by(said).reach.is_for_app
    assert codes(seen_by(said)) == []


@pytest.mark.parametrize(
    "said", ["app", [], ["App"], ["app", "user"], ["app", 1], None, {"app": 1}]
)
def test_a_malformed_visibility_is_not_obeyed(said: Any) -> None:
    assert not seen_by(said).reach.is_for_app
    assert codes(seen_by(said)) == ["malformed-visibility"]


def test_both_at_once_are_both_said() -> None:
    one = tool(execution={"taskSupport": "required"}, _meta={"ui": {"visibility": ["app"]}})
    assert codes(one) == ["task-only", "app-only"]
    PROSE.holds("reach: as a task for the app", one.reach.words)


def test_a_what_if_of_the_hints_changes_nothing_of_it() -> None:
    one = task("required")
    assert overridden(one, {"readOnly": True}).reach == one.reach


@given(json_values(), json_values())
def test_no_value_breaks_the_reading(execution: Any, meta: Any) -> None:
    entries: tuple[Any, ...] = (
        {"name": "t", "execution": execution, "_meta": meta},
        {"name": "t", "execution": {"taskSupport": execution}, "_meta": {"ui": meta}},
        {"name": "t", "_meta": {"ui": {"visibility": meta}}},
        {"name": "t", "_meta": {"ui": {"visibility": [meta]}}},
    )
    for entry in entries:
        for version in ("", TASKS_IN, "2026-07-28"):
            one = read_tool(0, entry, version)
            assert all(visible(finding.message) == finding.message for finding in one.findings)
