"""The command that installs an extra, as this Signoff itself was installed."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit, urlunsplit

NAME: Final = "mcp-signoff"
_UV_TOOL: Final = "uv-receipt.toml"
_PIPX: Final = "pipx_metadata.json"


def install_line(extra: str) -> str:
    """`.venv/bin/pip install -e '.[measure]'` in a checkout, and what works elsewhere."""
    return line_for(extra, _direct_url(), Path(sys.executable), Path.cwd())


def line_for(extra: str, direct: Mapping[str, Any], python: Path, folder: Path) -> str:
    """The command for a `direct_url.json` (empty: from a registry), a Python and a folder."""
    words = _requirement(extra, direct, folder)
    prefix = python.parent.parent
    if (prefix / _UV_TOOL).is_file():
        return shlex.join(["uv", "tool", "install", "--force", *words])
    if (prefix / _PIPX).is_file():
        return shlex.join(["pipx", "install", "--force", words[-1]])
    pip = _pip(python, folder)
    if not pip:
        return shlex.join(["uv", "pip", "install", "--python", _short(python, folder), *words])
    return shlex.join([*pip, "install", *words])


def _requirement(extra: str, direct: Mapping[str, Any], folder: Path) -> list[str]:
    """The words after `install`: `-e`, `.[extra]`."""
    url = str(direct.get("url", ""))
    named = f"{NAME}[{extra}]"
    if isinstance(info := direct.get("dir_info"), dict):
        place = _short(Path(unquote(urlsplit(url).path)), folder)
        words = f"{place}[{extra}]"
        return ["-e", words] if info.get("editable") is True else [words]
    if isinstance(info := direct.get("vcs_info"), dict):
        revision = info.get("requested_revision") or info.get("commit_id", "")
        return [f"{named} @ {info.get('vcs')}+{_without_user(url)}@{revision}"]
    return [f"{named} @ {_without_user(url)}" if url else named]


def _pip(python: Path, folder: Path) -> list[str]:
    """The words that run the pip of this Python; none if it has no pip."""
    pip = python.with_name("pip.exe" if python.suffix == ".exe" else "pip")
    if pip.is_file():
        return [_short(pip, folder)]
    if importlib.util.find_spec("pip") is not None:
        return [_short(python, folder), "-m", "pip"]
    return []


def _short(path: Path, folder: Path) -> str:
    """The path from a folder if it is below it, else the whole one."""
    try:
        return str(path.relative_to(folder))
    except ValueError:
        return str(path)


def _without_user(url: str) -> str:
    """The URL without a name and a password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _direct_url() -> dict[str, Any]:
    """The origin that installers write down; empty for a registry, or if none is written."""
    for one in importlib.metadata.distributions(name=NAME):
        try:
            found = json.loads(one.read_text("direct_url.json") or "null")
        except (ValueError, OSError):
            continue
        if isinstance(found, dict):
            return found
    return {}
