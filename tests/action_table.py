"""The actions whose keys may be chosen, from the bindings: `python -m tests.action_table` writes
`app/storage/settings/actions.txt` anew.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path

from textual.binding import Binding
from textual.dom import DOMNode

import signoff.app.features
import signoff.app.tui
import signoff.widgets
from signoff.app.storage.settings.actions import DIALOGS

FILE = Path(__file__).resolve().parents[1] / "app" / "storage" / "settings" / "actions.txt"
ELSEWHERE = {
    "signoff.app.tui.terminal.posix_driver"
    if sys.platform == "win32"
    else "signoff.app.tui.terminal.console_driver",
    *(["signoff.app.tui.terminal.posix_driver"] if sys.platform == "win32" else []),
}
"""What draws on the terminals of other systems; it has no keys."""
MOVING = ("list", "text", "choice", "checklist", "select", "group", "search")
"""Moving about in lists and texts is cannot be changed."""


def bindings() -> Iterator[tuple[type[DOMNode], Binding]]:
    """Every binding of a class of ours, with the class."""
    for package in (signoff.app.tui, signoff.app.features, signoff.widgets):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name not in ELSEWHERE:
                importlib.import_module(module.name)

    def below(kind: type[DOMNode]) -> Iterator[type[DOMNode]]:
        for child in kind.__subclasses__():
            yield child
            yield from below(child)

    for kind in dict.fromkeys(below(DOMNode)):
        if kind.__module__.startswith("signoff."):
            for binding in kind.__dict__.get("BINDINGS", ()):
                assert isinstance(binding, Binding), kind
                yield kind, binding


def table() -> str:
    """One line for each: id, usual keys, what it does."""
    rows: dict[str, str] = {}
    for _, one in bindings():
        if one.id and one.id.partition(".")[0] not in (*DIALOGS, *MOVING):
            about = one.tooltip or one.description
            row = f"{one.id}\t{one.key}\t{about}"
            assert rows.setdefault(one.id, row) == row, f"{one.id} has two meanings"
    return "".join(f"{row}\n" for _, row in sorted(rows.items()))


if __name__ == "__main__":
    FILE.write_text(table(), encoding="utf-8")
