"""The name of a class stands once in the program, so that a search finds it."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_CLASS = re.compile(r"^class (\w+)", re.MULTILINE)
_ALLOWED = {"Text"}
"""The bundled server, a program of its own, shows its `Text` in the schema of a tool."""


def test_a_class_name_stands_once() -> None:
    """A class inside another one, such as a message of a widget, has the name of that, too."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in (*(_ROOT / "app").rglob("*.py"), *(_ROOT / "widgets").rglob("*.py")):
        for name in _CLASS.findall(path.read_text(encoding="utf-8")):
            found[name].append(path.relative_to(_ROOT).as_posix())
    twice = {name: files for name, files in found.items() if len(files) > 1}
    assert twice.keys() == _ALLOWED, twice
