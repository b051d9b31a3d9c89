"""The tables of keys: the action of each key, its condition, and its reason while it is idle.

`app/tui/keys.txt` has the keys of the frame and its widgets, `keys.txt` in the folder of a feature
those of the feature. BINDINGS, the footer, the help, `signoff config keys` and the manual are made
from them.

A section is `[place]` or `[place: part]`; its rows follow in the order of the footer. A row has
columns with two blanks or more between them, `-` for none:

- name: the id is `place.name`; a name with a dot is a whole id
- keys, by Textual's names, with commas between
- action, as Textual writes it
- label, for the footer and the palette
- marks, with commas between: see `Mark`
- about: what the key does
- can, with why: when the key does something, and the words that are shown when it does not
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final

from .frozen import frozen

_APP: Final = Path(__file__).parents[1]
_NAME: Final = "keys.txt"
_NONE: Final = "-"
_COLUMNS: Final = re.compile(r" {2,}")
_LEAST, _MOST = 6, 8


class Mark(StrEnum):
    """What else is to be known about a key."""

    FOOTER = "footer"
    """The footer may show it. `footer=2`: the second among the keys that features add."""
    FIRST = "first"
    """It works where letters are typed."""
    AS = "as"
    """`as=1-4`: shown so in place of its key."""
    EARLY = "early"
    """It works while the tools are still waited for."""
    LIST = "list"
    """It works as soon as the list of tools is in sight."""
    FAILED = "failed"
    """It works where the server could not be reached."""
    SEEN = "seen"
    """It acts on the chosen tool or call: it does nothing before the lists were seen, unless a
    filter was typed."""
    JOB = "job"
    """`job=call`: the line that has it on the first page of help."""
    TOOL = "tool"
    """It is about the chosen tool; without one that is why it is idle."""


@frozen
class KeyRow:
    """One row. `feature`: the folder of the feature that has it; empty for the frame."""

    id: str
    keys: str
    action: str
    label: str
    marks: Mapping[str, str]
    about: str
    can: str = ""
    why: str = ""
    feature: str = ""


class BadKeyTable(ValueError):
    """A table that cannot be read, with file and line."""


def read_table(text: str, where: str, feature: str = "") -> dict[str, list[KeyRow]]:
    """The rows of a table by section, in order. `where` names the file. Raises BadKeyTable."""
    found: dict[str, list[KeyRow]] = {}
    section = ""
    for number, line in enumerate(text.splitlines(), start=1):
        written = line.strip()
        if not written or written.startswith("#"):
            continue
        if written.startswith("["):
            section = written.strip("[]")
            if section in found:
                raise BadKeyTable(f"{where} line {number}: [{section}] is there twice")
            found[section] = []
            continue
        cells = ["" if cell == _NONE else cell for cell in _COLUMNS.split(written)]
        if not section or not _LEAST <= len(cells) <= _MOST:
            raise BadKeyTable(f"{where} line {number}: {_LEAST} to {_MOST} columns in a section")
        found[section].append(_row(section, cells, feature, f"{where} line {number}"))
    return found


def _row(section: str, cells: list[str], feature: str, where: str) -> KeyRow:
    name, keys, action, label, marks, about, *more = cells
    read = dict(one.partition("=")[::2] for one in marks.split(",") if one)
    if not keys or not action or set(read) - {*Mark} or len(more) == 1:
        raise BadKeyTable(f"{where}: keys, action and known marks; `can` has its `why`")
    id_ = name if "." in name or not name else f"{section.partition(':')[0]}.{name}"
    can, why = more or ("", "")
    return KeyRow(id_, keys, action, label, read, about, can, why, feature)


@cache
def key_sections() -> Mapping[str, tuple[KeyRow, ...]]:
    """All sections, those of the frame first; features may add to one of the same name."""
    found: dict[str, list[KeyRow]] = defaultdict(list)
    # `importlib.resources` would import `zipfile` and more, at every start.
    for folder in (_APP / "tui", *sorted(_APP.joinpath("features").iterdir())):
        file = folder / _NAME
        if file.is_file():
            feature = folder.name if folder.parent.name == "features" else ""
            text = file.read_text(encoding="utf-8")
            for section, rows in read_table(text, f"{folder.name}/{_NAME}", feature).items():
                found[section] += rows
    return {section: tuple(rows) for section, rows in found.items()}


def key_rows() -> Iterator[KeyRow]:
    """The rows of all sections."""
    for rows in key_sections().values():
        yield from rows
