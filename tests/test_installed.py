"""Installed, Signoff is found under names of its own, whatever else is called like its folders."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.tiers import first_quick

pytestmark = pytest.mark.started_anew

ROOT = Path(__file__).resolve().parents[1]
TOP = ("app", "widgets")
SIGNOFF = str(Path(sys.executable).with_name("signoff"))


def setuptools_of_the_project() -> dict[str, Any]:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    told: dict[str, Any] = tomllib.loads(text)["tool"]["setuptools"]
    return told


def test_every_package_is_installed() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "setuptools"
    ]
    there = [
        ".".join(("signoff", *file.parent.relative_to(ROOT).parts))
        for top in TOP
        for file in ROOT.joinpath(top).rglob("__init__.py")
    ]
    assert told["packages"] == sorted(there)


def test_every_file_that_is_no_module_is_installed() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "setuptools"
    ]
    patterns = told["package-data"]["*"]
    hosts = ROOT / "app" / "hosts"
    of_hosts = told["package-data"]["signoff.app.hosts"]
    for top in TOP:
        for file in ROOT.joinpath(top).rglob("*"):
            if file.is_file() and file.suffix not in (".py", ".pyc", ".md"):
                assert any(file.match(one) for one in patterns), file
                is_of_host = hosts in file.parents and any(file.match(one) for one in of_hosts)
                is_installed = is_of_host or (file.parent / "__init__.py").is_file()
                assert is_installed, f"{file} is in no package"


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    first_quick([[SIGNOFF], [sys.executable, "-m", "signoff.app"]]),
    ids=["signoff", "module"],
)
def test_in_a_project_with_folders_of_the_same_names(tmp_path: Path, command: list[str]) -> None:
    for name in (*TOP, "tests", "core"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('the wrong one')\n")
    ended = subprocess.run(
        [*command, "call", "calculate_sum", "demo", "-a", "a=2", "-a", "b=40"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": "."},
        capture_output=True,
        text=True,
        timeout=150,
    )
    assert ended.returncode == 0, ended.stderr
    assert "42" in ended.stdout
