"""Whether a plain call reaches a tool, and whether the tool is for a model or an app.

Spec 2025-11-25, schema `ToolExecution`: `execution.taskSupport` is forbidden (the default),
optional or required; basic/utilities/tasks: a server answers a plain call of a tool that requires a
task with -32601. No other revision has it in its core. MCP Apps (the extension
`io.modelcontextprotocol/ui`): `_meta.ui.visibility` lists "model" and "app", by default both; a
tool without "model" is called by the server's own user interface, and no host gives it to a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from ..content.frozen import frozen
from ..content.json.jsonio import JsonError, JsonValue, canonical
from ..content.text import shortened, visible
from .findings.findings import Finding, note, warning

TASKS_IN: Final = "2025-11-25"
"""The revision of the protocol that has `execution.taskSupport`."""
_VISIBLE_TO: Final = ("model", "app")


class TaskSupport(StrEnum):
    """A tool's `taskSupport`. Only the specification's words are values."""

    NOT_SET = "not set"
    FORBIDDEN = "forbidden"
    OPTIONAL = "optional"
    REQUIRED = "required"
    MALFORMED = "malformed"


@frozen
class Visibility:
    """`needs_task`: the tool only runs as a task, in a revision that has tasks; `is_for_app`: no
    model is meant to call it.
    """

    task_support: TaskSupport = TaskSupport.NOT_SET
    needs_task: bool = False
    is_for_app: bool = False

    def runs_as_task(self, *, where_it_may: bool) -> bool:
        """True if a call runs as a task; `where_it_may` includes tools with optional support."""
        return self.needs_task or (where_it_may and self.task_support is TaskSupport.OPTIONAL)

    @property
    def mark(self) -> str:
        """Mark beside the tool in a list; empty for a plain tool."""
        return "task" if self.needs_task else "app" if self.is_for_app else ""

    @property
    def words(self) -> str:
        """A few words for one line; empty for a tool like any other."""
        said = ["only as a task"] * self.needs_task + ["for the app, not a model"] * self.is_for_app
        return ", ".join(said)

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "task_support": None
            if self.task_support is TaskSupport.NOT_SET
            else self.task_support.value,
            "needs_task": self.needs_task,
            "app_only": self.is_for_app,
        }


LIKE_ANY_OTHER: Final = Visibility()


def read_reach(entry: Mapping[str, JsonValue], version: str) -> tuple[Visibility, list[Finding]]:
    """Read a definition; also returns findings. `version` is the negotiated one, "" if not
    known.
    """
    findings: list[Finding] = []
    support, needs_task = _task_support(entry, version, findings)
    return Visibility(support, needs_task, _is_for_app(entry, findings)), findings


def _task_support(
    entry: Mapping[str, JsonValue], version: str, findings: list[Finding]
) -> tuple[TaskSupport, bool]:
    if "execution" not in entry:
        return TaskSupport.NOT_SET, False
    execution = entry["execution"]
    if not isinstance(execution, dict):
        findings.append(warning("malformed-execution", "execution is not an object", "$.execution"))
        return TaskSupport.MALFORMED, False
    if "taskSupport" not in execution:
        return TaskSupport.NOT_SET, False
    said, path = execution["taskSupport"], "$.execution.taskSupport"
    known = (TaskSupport.FORBIDDEN, TaskSupport.OPTIONAL, TaskSupport.REQUIRED)
    support = next((one for one in known if said == one.value), TaskSupport.MALFORMED)
    if version not in ("", TASKS_IN):
        words = f"taskSupport is {_written(said)}, which has no meaning in {visible(version)}"
        findings.append(note("task-support-unknown", words, path))
        return support, False
    if support is TaskSupport.MALFORMED:
        words = f"taskSupport is {_written(said)}, not forbidden, optional or required"
        findings.append(warning("malformed-execution", f"{words}, so it is ignored", path))
    if support is TaskSupport.REQUIRED:
        words = "runs only as a task: it is called as a task and followed to its result"
        findings.append(note("task-only", words, path))
    return support, support is TaskSupport.REQUIRED


def _is_for_app(entry: Mapping[str, JsonValue], findings: list[Finding]) -> bool:
    meta = entry.get("_meta")
    if not isinstance(meta, dict) or "ui" not in meta:
        return False
    ui, path = meta["ui"], "$._meta.ui.visibility"
    if not isinstance(ui, dict):
        findings.append(warning("malformed-visibility", "_meta.ui is not an object", "$._meta.ui"))
        return False
    if "visibility" not in ui:
        return False
    said = ui["visibility"]
    listed = said if isinstance(said, list) else []
    if not listed or any(one not in _VISIBLE_TO for one in listed):
        words = f"_meta.ui.visibility is {_written(said)}, not a list of “model” and “app”"
        findings.append(warning("malformed-visibility", f"{words}, so it is ignored", path))
        return False
    if "model" not in listed:
        words = (
            "is for the server's own user interface (MCP Apps): hosts do not offer it to a model"
        )
        findings.append(warning("app-only", words, path))
        return True
    return False


def _written(value: JsonValue) -> str:
    try:
        text = canonical(value)
    except JsonError:
        return f"an unwritable {type(value).__name__}"
    return shortened(text, 40)
