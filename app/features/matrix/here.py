"""What runs without asking as hosts are configured here: lines, JSON, Markdown and HTML.

Each setting that lets a tool run has its file and line, what would happen without it, and the edit
as a patch. Nothing is written to a file of a host.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from ...approval.matrix import cell_word
from ...content import html
from ...content.labels import some_named
from ...content.text import count, shortened, visible
from ...hosts.approvals.as_configured import ConfiguredColumn, FurtherEdit, RunsUnasked
from ...hosts.approvals.deciding import DecidingSetting
from ...hosts.approvals.edits import Edit, Patch
from ...hosts.files.servers import THROUGH, through_words
from ...presentation.openings import place_lines, shown_path
from ...schemas.secrets.masks import mask_text

TITLE: Final = "Runs without asking, as configured here"
NAMES_SHOWN: Final = 12
WORDS_SHOWN: Final = 300
NO_ENTRY: Final = "no configuration file of a host on this machine has this server"
NONE_RUNS: Final = "No tool runs without asking in these hosts."
FIRST_THE_OTHER: Final = "apply the patch before it first, then run this again"
HOW_TO_APPLY: Final = "Nothing is written. To apply a patch: patch -p1 -d / < FILE"
BY_ITSELF: Final = "no setting: the host's own rules"

Patches = Callable[[str, Edit], Patch]
"""Makes the patch of an edit of a file."""


def here_lines(
    columns: Sequence[ConfiguredColumn],
    runs: Sequence[RunsUnasked],
    patches: Patches,
    home: str,
    folder: str,
    places: Sequence[tuple[str, str]] = (),
) -> Iterator[str]:
    """Each setting with its tools, what happens without it, and the patch.

    Without any host it lists the `places` that were looked at.
    """
    yield TITLE
    if not columns:
        yield f"  {NO_ENTRY}"
        yield from (f"  {line}" for line in place_lines(places))
        return
    if not runs:
        yield f"  {NONE_RUNS}"
        return
    has_patch = False
    for column, setting, some in _groups(runs):
        yield ""
        yield _server(column)
        path = column.server.file if setting is None else setting.file
        line = column.server.spot.line if setting is None else setting.spot.line
        shown = shown_path(path, home, folder)
        yield f"  {_switch(setting)}  {shown}{f':{line}' if line else ''}"
        yield f"  runs: {_tools(some)}"
        if setting is None:
            yield f"  because: {'; '.join(visible(one) for one in some[0].verdict.reasons)}"
        else:
            yield f"  without it: {_otherwise(some)}"
        if words := _edits(some[0], home, folder):
            yield f"  to be asked: {words}"
        for patch in _all_patches(some[0], patches):
            has_patch |= bool(patch.text)
            for one in (patch.text or f"no patch: {patch.why}").splitlines():
                yield f"    {one}"
    yield ""
    if has_patch:
        yield HOW_TO_APPLY


def here_json(
    columns: Sequence[ConfiguredColumn], runs: Sequence[RunsUnasked], patches: Patches
) -> dict[str, Any]:
    """The columns with their entries, and every tool that runs without asking."""
    return {
        "columns": [_column_json(one) for one in columns],
        "runs": [_run_json(one, patches) for one in runs],
    }


def here_markdown(
    columns: Sequence[ConfiguredColumn], runs: Sequence[RunsUnasked], patches: Patches
) -> str:
    """A section for the page of the matrix; every word is in a block of code."""
    lines = list(here_lines(columns, runs, patches, "", ""))
    longest = max(map(len, re.findall("`+", "\n".join(lines))), default=0)
    ticks = "`" * max(longest + 1, 3)
    return "\n".join(["", f"## {TITLE}", "", f"{ticks}text", *lines[1:], ticks, ""])


def here_html(
    columns: Sequence[ConfiguredColumn], runs: Sequence[RunsUnasked], patches: Patches
) -> Iterator[str]:
    """A section for the page of the matrix."""
    yield html.element("h2", html.text(TITLE))
    if not columns or not runs:
        yield html.paragraph(NO_ENTRY if not columns else NONE_RUNS)
        return
    rows = []
    for column, setting, some in _groups(runs):
        place = f"{column.server.file}:{column.server.spot.line}"
        names = ", ".join(html.code(one.tool.display_name) for one in some)
        edit = html.text(_edits(some[0], "", ""))
        if setting is not None:
            place = setting.place
        for patch in _all_patches(some[0], patches):
            edit += f"<pre>{html.block(patch.text)}</pre>" if patch.text else ""
        why = _switch(setting) if setting else "; ".join(some[0].verdict.reasons)
        cells = (
            html.text(_server(column)),
            html.text(why),
            html.text(place),
            names,
            html.text(_otherwise(some)) if setting else "",
            edit,
        )
        rows.append(html.row(cells))
    head = ("host", "setting", "file and line", "tools that run", "without it", "edit")
    yield html.table(head, rows)


def _groups(
    runs: Sequence[RunsUnasked],
) -> Iterator[tuple[ConfiguredColumn, DecidingSetting | None, list[RunsUnasked]]]:
    """Runs with the same column and the same settings, in their order."""
    found: dict[tuple[str, DecidingSetting | None, tuple[FurtherEdit, ...]], list[RunsUnasked]] = {}
    for one in runs:
        found.setdefault((one.column.policy.name, one.setting, one.further), []).append(one)
    for (_, setting, _), some in found.items():
        yield some[0].column, setting, some


def _patch(run: RunsUnasked, patches: Patches) -> Patch | None:
    """The patch of the edit after which the host asks; None if no edit is known."""
    edit = run.edit
    return patches(run.file, edit) if edit is not None and run.fix else None


def _all_patches(run: RunsUnasked, patches: Patches) -> Iterator[Patch]:
    """The patches of all edits, in their order; of each file the first alone."""
    first = _patch(run, patches)
    if first is not None:
        yield first
    for one in run.further:
        if one.edit is not None and is_first_of_file(run, one):
            yield patches(one.file, one.edit)


def is_first_of_file(run: RunsUnasked, one: FurtherEdit) -> bool:
    """True if no earlier edit is of the same file: a patch of it would not apply after that."""
    earlier = run.further[: run.further.index(one)]
    return one.file not in {run.file, *(each.file for each in earlier)}


def _edits(run: RunsUnasked, home: str, folder: str) -> str:
    """All edits after which the host asks: the first, then those of further settings."""
    words = [_safe(run.fix)] if run.fix else []
    for one in run.further:
        told = _safe(one.words) or _switch(one.setting)
        words.append(f"{told} ({shown_path(one.file, home, folder)}:{one.line})")
    return "; then ".join(words)


def _server(column: ConfiguredColumn) -> str:
    shown = f"{visible(column.host)}, {_safe(column.server.name)}"
    return f"{shown}{through_words(column.server)}"


def _switch(setting: DecidingSetting | None) -> str:
    if setting is None:
        return BY_ITSELF
    return f"{_safe(setting.key)} {_safe(setting.value)}".strip()


def _tools(runs: Sequence[RunsUnasked]) -> str:
    names = some_named(runs, NAMES_SHOWN, lambda one: _safe(one.tool.display_name))
    return f"{count(len(runs), 'tool')}: {names}"


def _otherwise(runs: Sequence[RunsUnasked]) -> str:
    """The verdicts without the setting, with the number of tools of each."""
    words = sorted(cell_word(one.otherwise) for one in runs if one.otherwise is not None)
    kinds = [(word, len(list(same))) for word, same in groupby(words)]
    if len(kinds) == 1:
        return kinds[0][0]
    return ", ".join(f"{word} ({number:,})" for word, number in kinds)


def _column_json(column: ConfiguredColumn) -> dict[str, Any]:
    server = column.server
    return {
        "name": column.policy.name,
        "host": server.host,
        "server": _safe(server.name),
        "file": visible(server.file),
        "line": server.spot.line or None,
        "enabled": server.is_enabled,
        "mode": column.mode or None,
        "through": THROUGH if server.entry.proxy else None,
    }


def _run_json(run: RunsUnasked, patches: Patches) -> dict[str, Any]:
    setting, server = run.setting, run.column.server
    patch = _patch(run, patches)
    return {
        "tool": run.tool.name,
        "column": run.column.policy.name,
        "host": server.host,
        "server": _safe(server.name),
        "rule": run.verdict.rule,
        "reasons": list(run.verdict.reasons),
        "switch": _safe(setting.key) if setting else None,
        "value": _safe(setting.value) if setting else None,
        "file": visible(setting.file) if setting else None,
        "line": (setting.spot.line or None) if setting else None,
        "otherwise": cell_word(run.otherwise) if run.otherwise is not None else None,
        "suggestion": _safe(run.fix) or None,
        "further": [_further_json(run, one, patches) for one in run.further],
        "patch": (patch.text or None) if patch else None,
        "no_patch": (patch.why or None) if patch else None,
    }


def _further_json(run: RunsUnasked, one: FurtherEdit, patches: Patches) -> dict[str, Any]:
    """An edit after the first."""
    patch = None
    if one.edit is not None:
        is_free = is_first_of_file(run, one)
        patch = patches(one.file, one.edit) if is_free else Patch("", FIRST_THE_OTHER)
    return {
        "switch": _safe(one.setting.key) if one.setting else None,
        "value": _safe(one.setting.value) if one.setting else None,
        "file": visible(one.file),
        "line": one.line or None,
        "suggestion": _safe(one.words) or None,
        "patch": (patch.text or None) if patch else None,
        "no_patch": (patch.why or None) if patch else None,
    }


def _safe(text: str) -> str:
    return shortened(mask_text(text), WORDS_SHOWN)
