"""Real hosts, where they are installed: `pytest -m thorough tests/features/measure`."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from signoff.app.features.measure.drivers import driver_names, read_driver
from tests.cli.running import Command

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(600)]


@pytest.mark.parametrize("name", driver_names())
def test_an_installed_host_is_measured(tmp_path: Path, name: str) -> None:
    driver = read_driver(name)
    if shutil.which(driver.program) is None:
        pytest.skip(f"{driver.title} is not installed")
    words = ("measure", name, "--only", "hints/none,hints/readOnly=true,answers/text", "--json")
    ended = Command(tmp_path, *words, PATH=os.environ["PATH"]).end(500)
    if ended.status == 2 and "version" in ended.stderr:
        pytest.skip(ended.stderr.strip())
    report = json.loads(ended.stdout)
    assert report["version"]
    assert any(cell["did"] != "unknown" for cell in report["cells"]), report["problems"]
