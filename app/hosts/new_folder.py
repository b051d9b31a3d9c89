"""A new folder of a host of the person's, with a file for each fact, to be filled in."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Final

from .folders import FACTS, KNOWN, NAME, hosts_folder

_TEMPLATES: Final = Path(__file__).with_name("new")
WRITTEN: Final = ("driver.toml", "rules.toml", "files.toml", "model.toml")


class CannotMake(ValueError):
    """The folder cannot be made; the text has the reason."""


def make_folder(name: str, today: datetime.date) -> Path:
    """Write the folder of a new host, or a copy of that of a known one. Raises CannotMake, OSError.

    Nothing is written over: neither a folder nor the single file of the same name may exist.
    """
    if not NAME.fullmatch(name):
        raise CannotMake("the name of a host is a-z, 0-9, dots and dashes (example: my-agent)")
    if not hosts_folder().is_absolute():
        raise CannotMake(f"hosts need a folder with an absolute path, not {hosts_folder()}")
    for taken in (hosts_folder() / name, hosts_folder() / f"{name}.toml"):
        if taken.exists() or taken.is_symlink():
            raise CannotMake(f"{taken} is there already; nothing was written")
    folder = hosts_folder() / name
    folder.mkdir(parents=True)
    is_known = (KNOWN / name).is_dir()
    for fact in FACTS if is_known else WRITTEN:
        path = (KNOWN / name if is_known else _TEMPLATES) / fact
        if not path.exists():
            continue
        text = path.read_text(encoding="utf-8")
        filled = text.replace("@NAME@", name).replace("2000-01-01", today.isoformat())
        (folder / fact).write_text(filled, encoding="utf-8", newline="\n")
    return folder
