"""Flow files on disk: found, read, and told what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ...content.text import visible
from ...headless.targets import UsageError
from ..flow import Flow
from ..mistakes import FlowError, Mistake, Spot
from ..reading import read_flow
from ..yaml_tree import LONGEST

ENDINGS: Final = (".flow.yaml", ".flow.yml")
"""What a file in a folder has to be called to be taken for a flow."""


def find_flows(given: Sequence[str]) -> list[Path]:
    """The files that are meant: those that were given, and of a folder those that it has.

    Raises UsageError.
    """
    found: dict[Path, None] = {}
    for one in given:
        path = Path(one)
        if not path.is_dir():
            found[path] = None
            continue
        inside = sorted(
            file for file in path.rglob("*") if file.name.endswith(ENDINGS) and file.is_file()
        )
        if not inside:
            raise UsageError(f"{visible(one)} has no flows: they are called *{ENDINGS[0]}")
        found |= dict.fromkeys(inside)
    return list(found)


def load_flow(path: Path) -> Flow:
    """Raises FlowError, also for a file that cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(LONGEST + 1)
    except OSError as problem:
        why = (problem.strerror or type(problem).__name__).lower()
        raise FlowError(str(path), (Mistake(Spot(), f"it cannot be read: {why}"),)) from None
    return read_flow(data, str(path))


def load_flows(given: Sequence[str]) -> tuple[list[Flow], list[FlowError]]:
    """All flows, and why others are none. Raises UsageError where none is meant."""
    flows: list[Flow] = []
    refused: list[FlowError] = []
    for path in find_flows(given):
        try:
            flows.append(load_flow(path))
        except FlowError as problem:
            refused.append(problem)
    return flows, refused
