"""Which tools run without asking on this machine: an overview of all servers and hosts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ...content import html
from ...content.frozen import frozen
from ...content.text import shortened
from ...hosts.approvals.as_configured import ConfiguredColumn, RunsUnasked
from ...schemas.secrets.masks import mask_text

TITLE: Final = "Runs without asking on this machine"
NO_HOST: Final = "no host has it in its files"
NONE_RUNS: Final = "no tool"
NOT_COUNTED: Final = "no tools were listed, so none is counted (signoff servers --auto-approved)"
BY_ITSELF: Final = "the host's own rules"
_HEAD: Final = ("server", "host", "tools that run without asking", "by")


@frozen
class RunningHere:
    """One server: the number of its tools, the hosts that have it, and what runs in them."""

    name: str
    tools: int
    columns: tuple[ConfiguredColumn, ...]
    runs: tuple[RunsUnasked, ...]


def overview_rows(servers: Iterable[RunningHere]) -> Iterator[tuple[str, str, str, str]]:
    """A row for each server and host: names, how many tools run, and the settings that decide."""
    for server in servers:
        if not server.columns:
            yield server.name, NO_HOST, "", ""
        for column in server.columns:
            runs = [one for one in server.runs if one.column is column]
            number = len({one.tool.index for one in runs})
            words = (
                f"{number:,} of {server.tools:,}" if number else f"{NONE_RUNS} of {server.tools:,}"
            )
            places = dict.fromkeys(
                BY_ITSELF if one.setting is None else f"{one.setting.key} ({one.setting.place})"
                for one in runs
            )
            yield server.name, column.host, words, _safe("; ".join(places))


def overview_lines(
    servers: Sequence[RunningHere], problems: Sequence[tuple[str, str, str]] = ()
) -> Iterator[str]:
    """The overview as lines; `problems` as in `overview_html`."""
    yield TITLE
    for name, host, words, places in overview_rows(servers):
        yield f"  {name}: {host}{f': {words}' if words else ''}{f', by {places}' if places else ''}"
    for name, _, _ in problems:
        yield f"  {name}: {NOT_COUNTED}"


def overview_html(
    servers: Sequence[RunningHere], problems: Sequence[tuple[str, str, str]]
) -> Iterator[str]:
    """The overview as a table, then the servers without a result: names, commands, reasons."""
    if servers:
        yield html.element("h2", html.text(TITLE))
        rows = (html.row(map(html.text, row)) for row in overview_rows(servers))
        yield html.table(_HEAD, rows, is_wide=True)
    if problems:
        yield html.element("h2", html.text("Servers without a result"))
        rows = (html.row(map(html.text, row)) for row in problems)
        yield html.table(("server", "command", "reason"), rows, is_wide=True)


def _safe(text: str) -> str:
    return shortened(mask_text(text), 300)
