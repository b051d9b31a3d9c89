"""`signoff diff`: the changes of a tool list in words, JSON and an exit status."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rich.text import Text

from ...cli.command import OnOpen, on_server
from ...cli.options.declared import opt, options
from ...cli.options.parser import Parser
from ...cli.options.server import AS_JSON
from ...cli.options.session import LISTS
from ...cli.output.printing import PlainConsole
from ...cli.targets.given_files import given_text, write_given
from ...cli.targets.live import NoTools, Options, check_whole, print_json
from ...cli.targets.targets import UsageError
from ...engine.engine import Engine
from ...presentation.exit_status import ExitStatus
from ...protocol.definitions.change_values import ListDiff, Weight
from ...protocol.definitions.diff_lines import MAX_LINES, DiffLine, list_lines
from ...protocol.definitions.lists import compare_lists
from ...protocol.definitions.pins import PIN_MAX, PinError, read_pin, write_pin
from ...storage.state_dir import shown

if TYPE_CHECKING:
    pass


@options
class DiffOptions(NamedTuple):
    """Options of `diff`."""

    json: bool = AS_JSON
    pin: str = opt("--pin FILE", "compare with this baseline (default: the last session)")
    """The file of a baseline; empty for what was seen last."""
    update: bool = opt("--update", "write the baseline again after the comparison")


def add(diff: Parser) -> None:
    on_server(diff, DiffOptions, run_diff, uses=LISTS)


class _ReadyDiff(NamedTuple):
    """Options that were checked, and the baseline that was read."""

    path: Path | None
    update: bool
    baseline: tuple[Any, ...] | None


def _ready(wanted: DiffOptions) -> _ReadyDiff:
    if wanted.update and not wanted.pin:
        raise UsageError("--update writes a baseline: give its file with --pin FILE")
    path = Path(wanted.pin) if wanted.pin else None
    baseline = _read_baseline(path, may_be_missing=wanted.update) if path else None
    return _ReadyDiff(path, wanted.update, baseline)


async def _diff(options: Options, engine: Engine, ready: _ReadyDiff) -> int:
    path, updates, baseline = ready
    check_whole(engine, options)
    if path is not None and not engine.tools and (updates or not baseline):
        raise NoTools
    await engine.compared()
    diff, is_first = _differences(engine, path, baseline)
    if path is not None and updates:
        pin = write_pin(engine.server.name, [tool.raw for tool in engine.tools])
        write_given("--pin", path, pin)
    problem = "" if path else engine.memory.problem
    if problem:
        raise UsageError(f"there is nothing to compare with: {problem}; give --pin FILE")
    if options.as_json:
        print_json({**diff_json(diff), "first_seen": is_first})
    else:
        if is_first:
            print("first seen: there is nothing earlier to compare with")
        if not is_first:
            print_diff(diff)
        if path is not None and updates:
            print(f"baseline written: {path}")
    return exit_status(diff)


run_diff = OnOpen(_diff, before=_ready)
"""Print changes since the last session, or since a baseline file was written."""


def _read_baseline(path: Path, *, may_be_missing: bool) -> tuple[Any, ...] | None:
    if not os.path.lexists(path):
        if may_be_missing:
            return None
        raise UsageError(f"{shown(path)}: no such baseline; --update writes one")
    try:
        return read_pin(given_text(path, PIN_MAX)).entries
    except PinError as problem:
        raise UsageError(f"{shown(path)}: {problem}") from problem


def _differences(
    engine: Engine, path: Path | None, baseline: tuple[Any, ...] | None
) -> tuple[ListDiff, bool]:
    """Return the changes, and True if there was nothing to compare with."""
    if path is None:
        return engine.list_diff, not engine.memory.is_known
    if baseline is None:
        return ListDiff(), True
    return compare_lists(baseline, [tool.raw for tool in engine.tools]), False


_WORDS: Final[dict[int, str]] = {
    ExitStatus.OK: "unchanged",
    ExitStatus.DIFF_HARMLESS: "harmless or reworded",
    ExitStatus.DIFF_NOTEWORTHY: "noteworthy",
    ExitStatus.DIFF_BREAKING: "breaking",
}
_SIGN_STYLES: Final = {"-": "red", "+": "green", "~": "yellow", " ": "dim"}
_ROLE_STYLES: Final = {
    "strong": "bold",
    "dim": "dim",
    "mark": "reverse",
    "noticed": "yellow",
    "warning": "bold underline",
}


def exit_status(diff: ListDiff) -> int:
    """The exit status of `signoff diff`.

    0: nothing changed. 7: new tools, other wording, and changes that do not affect calls or trust.
    8: a tool is gone or looks renamed, hints declare less harm or promise less, an output schema
    changed. 9: a call that worked may be refused or mean something else, or several tools now share
    a name.
    """
    weight = max((one.weight for one in diff.changed), default=Weight.SAME)
    if weight is Weight.BREAKING or diff.duplicated:
        return ExitStatus.DIFF_BREAKING
    if weight >= Weight.OUTPUT or diff.gone:
        return ExitStatus.DIFF_NOTEWORTHY
    return ExitStatus.OK if diff.is_empty else ExitStatus.DIFF_HARMLESS


def diff_json(diff: ListDiff) -> dict[str, object]:
    """`signoff diff --json`: everything, raw."""
    status = exit_status(diff)
    return {"answer": _WORDS[status], "exit_status": status, **diff.as_json()}


def diff_summary(diff: ListDiff) -> str:
    """One line: how many tools are new, changed, renamed, gone."""
    return diff.summary or "nothing changed"


def print_diff(diff: ListDiff, max_lines: int = MAX_LINES) -> None:
    """The report on standard output, coloured if that is a terminal."""
    out = PlainConsole()
    out.tell(Text(diff_summary(diff), style="bold"))
    for line in list_lines(diff, max_lines):
        out.tell(_styled(line))


def _styled(line: DiffLine) -> Text:
    gutter = " ┃ " if line.is_theirs else " "
    text = Text(line.sign, style=_SIGN_STYLES[line.sign]).append(gutter, style="dim")
    colour = _SIGN_STYLES[line.sign] if line.is_theirs else ""
    for piece, role in line.pieces:
        text.append(piece, style=f"{_ROLE_STYLES.get(role, '')} {colour}".strip() or None)
    return text
