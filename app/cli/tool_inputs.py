"""Tools and arguments of a command that calls several: `--tools GLOB` and `--inputs FILE`."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from ..cli.targets.given_files import given_data
from ..content.json.jsonio import JsonError, JsonValue, read_members
from ..content.suggest import did_you_mean
from ..content.text import visible
from ..protocol.extensions.tool_resolution import NAME as RESOLUTION
from ..protocol.findings.findings import Finding, why_left_out
from ..protocol.tool import ToolDefinition
from ..schemas.schema import SchemaAnswer, SchemaVerdict
from .output.printing import tell
from .targets.live import NoTools
from .targets.targets import UsageError

if TYPE_CHECKING:
    from ..engine.engine import Engine

INPUTS_MAX: Final = 5_000_000
SLOW_SECONDS: Final = 3.0
"""Seconds until a line names the slow tool."""


def read_inputs(path: str) -> dict[str, list[dict[str, JsonValue]]]:
    """Arguments by tool: `{"tool": {...}}`, or a list of such objects. Raises UsageError."""
    if not path:
        return {}
    try:
        given = read_members(given_data(path, INPUTS_MAX, "--inputs"))
    except JsonError as problem:
        raise UsageError(f"--inputs {visible(path)}: {problem.reason}") from None
    if not isinstance(given, dict):
        raise UsageError(f"--inputs {visible(path)}: an object with arguments by name of the tool")
    inputs: dict[str, list[dict[str, JsonValue]]] = {}
    for tool, of_tool in given.items():
        given_sets = of_tool if isinstance(of_tool, list) else [of_tool]
        sets = [one for one in given_sets if isinstance(one, dict)]
        if len(sets) < len(given_sets):
            where = f"--inputs {visible(path)}, {visible(tool)}"
            raise UsageError(f"{where}: expected an object of arguments, or a list of them")
        inputs[tool] = sets
    return inputs


def check_names(
    tools: Iterable[ToolDefinition], inputs: Iterable[str], findings: Iterable[Finding] = ()
) -> None:
    """Raises UsageError if `inputs` names a tool that the server does not have.

    `findings` are those on the list, such as on a tool that is left out.
    """
    names = [tool.name for tool in tools]
    for name in inputs:
        if name not in names and (why_not := why_left_out(findings, name)):
            raise UsageError(f"--inputs: the tool {why_not}")
        if name not in names:
            hint = did_you_mean(name, names, 3)
            raise UsageError(f"--inputs: the server has no tool “{visible(name)}”{hint}")


def wanted_tools(
    tools: Iterable[ToolDefinition], patterns: str, findings: Iterable[Finding] = ()
) -> list[ToolDefinition]:
    """The tools whose name matches one of the patterns. Raises UsageError if there are none, and
    NoTools if the server has none.

    `findings` as for `check_names`.
    """
    tools = list(tools)
    if not tools:
        if why_not := why_left_out(findings, patterns):
            raise UsageError(f"--tools: the tool {why_not}")
        raise NoTools("nothing is checked")
    found = [tool for tool in tools if is_wanted(tool, patterns)]
    if not found and (why_not := why_left_out(findings, patterns)):
        raise UsageError(f"--tools: the tool {why_not}")
    if not found:
        raise UsageError(
            f"no tool matches --tools “{visible(patterns)}” (signoff tools lists all tools)"
        )
    return found


def check_resolving(engine: Engine, option: str) -> None:
    """Raises UsageError for arguments to resolve hints for, if the draft is not turned on."""
    if RESOLUTION not in engine.link.capabilities.experimental:
        words = "arguments are only sent to resolve hints for them"
        raise UsageError(f"{option} needs --experimental {RESOLUTION}: {words}")


def sample_problem(checked: SchemaVerdict) -> str:
    """Explain why sample arguments cannot be sent; empty if they are valid."""
    if checked.answer is not SchemaAnswer.INVALID:
        return ""
    why = checked.errors[0].message if checked.errors else "they are invalid"
    return f"no arguments for it: {why}; give some with --inputs"


def is_wanted(tool: ToolDefinition, patterns: str) -> bool:
    """True if a name matches one of the patterns, with commas between; empty matches all."""
    return not patterns or any(fnmatchcase(tool.name, one) for one in patterns.split(","))


@contextlib.contextmanager
def telling_if_slow(
    tool: ToolDefinition, number: int, count: int, after: float = SLOW_SECONDS
) -> Iterator[None]:
    """While a tool is called, the `number`-th of so many: print so on stderr if it takes a
    while."""
    words = f"{tool.display_name} takes a while (tool {number} of {count})"
    notice = asyncio.get_running_loop().call_later(
        after, tell, f"signoff: {words}; Ctrl+C ends with what was seen"
    )
    try:
        yield
    finally:
        notice.cancel()
