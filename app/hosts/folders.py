"""One folder a host: its rules, its files, its driver, its model's view, its records.

`known/README.md` has the keys of the files. A new host is a new folder in `known`, or one of the
person's in `hosts_folder()`, and no other change. A file of the person's is read in place of the
file of the same host in `known`; if it cannot be used, nothing replaces it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from ..content.files.content import FileFault, read_text

KNOWN: Final = Path(__file__).with_name("known")
ORDER: Final = (
    "spec",
    "vscode",
    "codex",
    "goose",
    "claude-desktop",
    "claude-code",
    "gemini-cli",
    "qwen-code",
    "cursor",
    "copilot-eclipse",
    "copilot-cli",
    "opencode",
    "kilo",
    "kimi-code",
    "cline",
    "roo",
    "continue",
    "crush",
    "zed",
    "chatgpt",
    "responses-api",
    "docker-agent",
    "n8n",
    "copilot-review",
    "app-directory",
    "unattended-loop",
)
"""Of columns. Hosts that are not named here follow by name."""
LAST: Final = 1_000
"""The rank of a table without one."""


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """Names of hosts in the order of columns; the others follow by name."""
    given = set(names)
    return (*(name for name in ORDER if name in given), *sorted(given.difference(ORDER)))


FACTS: Final = tuple(
    f"{name}.toml" for name in ("rules", "files", "settings", "driver", "agent", "model")
)
"""The files of a folder, beside records of measurements."""
RECORDS: Final = ("measured-*.json", "patience-*.json")
NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}")
"""What the name of a folder of the person's is made of."""
_FACT_BYTES: Final = 1_000_000


class FactError(ValueError):
    """A file of the person's that cannot be read; the text has its path and the reason."""


Stamp: TypeAlias = tuple[str, ...]
"""What the folders of the person's are known by again: their files, with sizes and times."""


def hosts_folder() -> Path:
    """Folder of own hosts (`XDG_CONFIG_HOME/signoff/hosts` on Linux)."""
    return _folder_by(tuple(map(os.environ.get, _PLACES)))


_PLACES: Final = ("XDG_CONFIG_HOME", "HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA")
"""Variables that the folder depends on."""


@lru_cache(maxsize=8)
def _folder_by(places: tuple[str | None, ...]) -> Path:
    import platformdirs

    return platformdirs.user_config_path("signoff", appauthor=False) / "hosts"


def own_folders() -> dict[str, Path]:
    """The folders in `hosts_folder()` by name; none if it is not an absolute path."""
    folder = hosts_folder()
    if not folder.is_absolute():
        return {}
    try:
        with os.scandir(folder) as found:
            names = [one.name for one in found if _is_name(one.name) and one.is_dir()]
    except OSError:
        return {}
    return {name: folder / name for name in sorted(names)}


def _is_name(name: str) -> bool:
    # A folder with the ending of a file of rules is named as one that cannot be read.
    return NAME.fullmatch(name) is not None and not name.endswith(".toml")


def misnamed_folders() -> list[str]:
    """Names of folders that no host can have."""
    try:
        found = [path for path in hosts_folder().iterdir() if path.is_dir()]
    except OSError:
        return []
    names = (path.name for path in found if not path.name.startswith("."))
    return sorted(name for name in names if not _is_name(name) and not name.endswith(".toml"))


def own_stamp() -> Stamp:
    """A value that changes with the files in the folders of the person's."""
    parts = []
    for folder in own_folders().values():
        try:
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda one: one.name)
            for one in entries:
                stat = one.stat()
                parts.append(f"{one.path}\0{stat.st_mtime_ns}\0{stat.st_size}\0{stat.st_ino}")
        except OSError as problem:
            parts.append(f"{folder}\0{problem.errno}")
    return tuple(parts)


def own_fact(name: str, fact: str) -> Path | None:
    """The path of a file of the person's; None if there is none of this host."""
    folder = own_folders().get(name)
    if folder is None or not os.path.lexists(folder / fact):
        return None
    return folder / fact


def own_with(fact: str) -> tuple[str, ...]:
    """The hosts of which the person has a file of this name, by name."""
    return tuple(name for name, path in own_folders().items() if os.path.lexists(path / fact))


def known_with(fact: str) -> tuple[str, ...]:
    """The hosts in `known` that have a file of this name, in order."""
    return in_order(path.parent.name for path in KNOWN.glob(f"*/{fact}"))


def hosts_with(fact: str) -> tuple[str, ...]:
    """The hosts that have a file of this name, such as `rules.toml`, in order."""
    return in_order((*known_with(fact), *own_with(fact)))


def known_fact(name: str, fact: str) -> str:
    """The text of a file of a host in `known`."""
    return (KNOWN / name / fact).read_text(encoding="utf-8")


def host_fact(name: str, fact: str) -> str:
    """The text of a file of a host: the person's, else that in `known`.

    Raises FactError for one of the person's that cannot be read, and FileNotFoundError if there is
    none.
    """
    path = own_fact(name, fact)
    return known_fact(name, fact) if path is None else own_text(path)


def own_text(path: Path) -> str:
    """The text of a file of the person's. Raises FactError."""
    try:
        return read_text(path, _FACT_BYTES, waits=False)
    except FileFault as fault:
        raise FactError(f"{path}: it {fault}") from None


def host_tables(raw: Mapping[str, Any], where: str) -> list[Any]:
    """The tables of a file that has nothing else. Raises FactError."""
    listed = raw.get("host", [])
    if raw.keys() - {"host"} or not isinstance(listed, list):
        raise FactError(f"{where}: it has tables [[host]] and nothing else")
    return listed


def another_type(where: str, key: str) -> str:
    """The words for a value of the wrong type."""
    return f"{where}: {key} has a value of another type"
