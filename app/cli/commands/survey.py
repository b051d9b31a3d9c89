"""`signoff matrix`, `diff`, `report` and `policy explain`: inspect a server, without calls.

`diff` prints the changes of a tool list in words, JSON and an exit status; `report` writes a server
as one HTML page for a reviewer.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.text import Text

from ...analysis.matrix.matrix import build_matrix
from ...approval.policies.verdicts import Case
from ...calls.checks import argument_problems
from ...content.text import visible
from ...engine.engine import Engine
from ...engine.policy_state import read_rulebook
from ...engine.report import session_of, session_page, summary
from ...headless.arguments import assign, read_document
from ...headless.exit_status import ExitStatus
from ...headless.live import Options, find_tool, opened, print_json, run
from ...headless.policies import columns_named, explain_lines, explain_report
from ...headless.printing import PlainConsole, print_error, say, tell
from ...headless.targets import UsageError
from ...protocol.definitions.change_values import ListDiff, Weight
from ...protocol.definitions.diff_lines import MAX_LINES, DiffLine, list_lines
from ...protocol.definitions.lists import compare_lists
from ...protocol.definitions.pins import PinError, read_pin, write_pin
from ...sandbox.worker import judge_arguments_in_worker
from ..options.calling import ArgumentOptions
from ..options.live import Diff, Matrix
from .matrix import matrix_json, matrix_lines, matrix_markdown
from .matrix_page import matrix_html

if TYPE_CHECKING:
    from ..options.live import Report


def run_matrix(options: Options, wanted: Matrix) -> int:
    """Every tool under every policy and every host's rules.

    Raises UsageError for the name of a column that there is not.
    """
    return run(_matrix(options, wanted))


def run_diff(options: Options, wanted: Diff) -> int:
    """Print changes since the last session, or since a baseline file was written."""
    if wanted.update and not wanted.pin:
        raise UsageError("--update writes a baseline: say where with --pin FILE")
    return run(_diff(options, wanted))


def run_explain(options: Options, wanted: ArgumentOptions) -> int:
    """The verdict on a tool with arguments, the rule that fired, and those that did not."""
    given = bool(wanted.args or wanted.assign)
    document = read_document(wanted.args) if wanted.args else {}
    return run(_explain(options, wanted, document if given else None))


async def _matrix(options: Options, wanted: Matrix) -> int:
    shape, chosen = wanted.shape, columns_named(wanted.columns)
    async with opened(options) as engine:
        # Whoever names columns wants those compared.
        compared = range(len(chosen)) if wanted.columns else None
        matrix = build_matrix(engine.tools, chosen, server=engine.server.name, compared=compared)
    if wanted.only_differing:
        matrix = matrix.only_disagreeing()
    if shape == "json":
        print_json(matrix_json(matrix))
        return ExitStatus.OK
    if shape == "lines":
        width = os.get_terminal_size().columns if sys.stdout.isatty() else 120
        print("\n".join(matrix_lines(matrix, width)))
    else:
        print(matrix_html(matrix) if shape == "html" else matrix_markdown(matrix))
    return ExitStatus.OK


async def _diff(options: Options, wanted: Diff) -> int:
    path = Path(wanted.pin) if wanted.pin else None
    baseline = _read_baseline(path, may_be_missing=wanted.update) if path else None
    async with opened(options) as engine:
        await engine.compared()
        diff, is_first = _differences(engine, path, baseline)
        if path is not None and wanted.update:
            pin = write_pin(engine.server.name, [tool.raw for tool in engine.tools])
            path.write_text(pin, encoding="utf-8")
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
        if path is not None and wanted.update:
            print(f"baseline written: {path}")
    return exit_status(diff)


def _read_baseline(path: Path, *, may_be_missing: bool) -> tuple[Any, ...] | None:
    try:
        return read_pin(path.read_text(encoding="utf-8")).entries
    except FileNotFoundError:
        if may_be_missing:
            return None
        raise UsageError(f"{path}: there is no such baseline; --update writes one") from None
    except (OSError, UnicodeDecodeError, PinError) as problem:
        raise UsageError(f"{path}: {problem}") from problem


def _differences(
    engine: Engine, path: Path | None, baseline: tuple[Any, ...] | None
) -> tuple[ListDiff, bool]:
    """Return the changes, and True if there was nothing to compare with."""
    if path is None:
        return engine.list_diff, not engine.memory.is_known
    if baseline is None:
        return ListDiff(), True
    return compare_lists(baseline, [tool.raw for tool in engine.tools]), False


async def _explain(
    options: Options, wanted: ArgumentOptions, document: dict[str, Any] | None
) -> int:
    async with opened(options) as engine:
        tool = find_tool(engine, wanted.tool)
        await engine.compared()
        arguments, problems = None, []
        if document is not None:
            arguments = assign(
                tool, document, wanted.assign, although_invalid=wanted.although_invalid
            )
            checked = await judge_arguments_in_worker(tool.input_schema, arguments)
            problems = argument_problems(checked)
        case: Case = await engine.tried(tool, arguments, problems)
        policy, problem = engine.policy, engine.memory.problem if options.setup.keeps_memory else ""
        hiding = options.hiding(engine, tool, arguments)
    if options.as_json:
        print_json(explain_report(policy, case, hiding))
    else:
        for line in explain_lines(policy, case, hiding):
            say(line)
    if problem:
        print_error(f"nothing is remembered: {problem}")
    return ExitStatus.OK


_WORDS: Final[dict[int, str]] = {
    ExitStatus.OK: "unchanged",
    ExitStatus.DIFF_HARMLESS: "harmless or reworded",
    ExitStatus.DIFF_NOTEWORTHY: "noteworthy",
    ExitStatus.DIFF_BREAKING: "breaking",
}
_SIGN_STYLES: Final = {"-": "red", "+": "green", "~": "yellow", " ": "dim"}
_ROLE_STYLES: Final = {"strong": "bold", "dim": "dim", "mark": "reverse", "noticed": "yellow"}


def exit_status(diff: ListDiff) -> int:
    """The exit status of `signoff diff`.

    0: nothing changed. 7: new tools, other wording, and what calls and trust survive. 8: a tool is
    gone or looks renamed, hints claim less harm or promise less, an output schema is another. 9: a
    call that worked may be refused or mean something else, or a name has come to stand for several
    tools.
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


def run_report(options: Options, wanted: Report) -> int:
    """Look at a server, and write the page; returns the exit status."""
    return run(_report(options, wanted))


async def _report(options: Options, wanted: Report) -> int:
    rulebook = read_rulebook()
    for problem in rulebook.problems:
        print_error(f"left out: {problem}")
    async with opened(options) as engine:
        await engine.offers.listed()
        session = session_of(engine, rulebook.columns)
    page = session_page(session)
    if not wanted.html:
        print(page, end="")
        return ExitStatus.OK
    try:
        Path(wanted.html).write_text(page, encoding="utf-8")
    except OSError as problem:
        shown = visible(wanted.html)
        raise UsageError(f"--html {shown} cannot be written: {problem.strerror}") from None
    tell(f"{visible(wanted.html)}: {summary(session)}")
    return ExitStatus.OK
