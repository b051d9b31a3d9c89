"""The command that installs an extra fits the way in which Signoff was installed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from signoff.app.platforms.extras import install_line, line_for

PLAIN = "pip install 'mcp-signoff[measure]'"
GIT = {"vcs": "git", "commit_id": "abc", "requested_revision": "v1"}


@pytest.mark.parametrize(
    ("direct", "line"),
    [
        ({}, ".venv/bin/pip install 'mcp-signoff[measure]'"),
        (
            {"url": "file://{folder}", "dir_info": {"editable": True}},
            ".venv/bin/pip install -e '.[measure]'",
        ),
        (
            {"url": "file:///src/a%20b", "dir_info": {}},
            ".venv/bin/pip install '/src/a b[measure]'",
        ),
        (
            {"url": "https://me:secret@host/x.git", "vcs_info": GIT},
            ".venv/bin/pip install 'mcp-signoff[measure] @ git+https://host/x.git@v1'",
        ),
        (
            {"url": "file:///w/mcp_signoff-1-py3-none-any.whl", "archive_info": {}},
            ".venv/bin/pip install 'mcp-signoff[measure] @ file:///w/mcp_signoff-1-py3-none-any.whl'",
        ),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="paths of POSIX")
def test_a_line_is_that_of_the_installation(
    tmp_path: Path, direct: dict[str, Any], line: str
) -> None:
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.with_name("pip").touch()
    if "url" in direct:
        direct = {**direct, "url": direct["url"].replace("{folder}", str(tmp_path))}
    assert line_for("measure", direct, python, tmp_path) == line


@pytest.mark.skipif(sys.platform == "win32", reason="paths of POSIX")
def test_tools_of_uv_and_pipx_are_installed_by_them(tmp_path: Path) -> None:
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    (tmp_path / "uv-receipt.toml").touch()
    line = line_for("cedar", {}, python, Path("/"))
    assert line == "uv tool install --force 'mcp-signoff[cedar]'"
    (tmp_path / "uv-receipt.toml").rename(tmp_path / "pipx_metadata.json")
    line = line_for("cedar", {}, python, Path("/"))
    assert line == "pipx install --force 'mcp-signoff[cedar]'"


def test_the_line_names_the_extra() -> None:
    assert "[measure]" in install_line("measure")
