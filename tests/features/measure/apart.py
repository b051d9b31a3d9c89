"""`signoff measure` in a process of its own, with the agents of the manual."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

AGENTS = Path(__file__).parents[2] / "servers" / "agents"


def measured_apart(
    *words: str, agent: Path = AGENTS / "careless.py"
) -> subprocess.CompletedProcess[str]:
    signoff = shutil.which("signoff", path=str(Path(sys.executable).parent))
    assert signoff is not None
    return subprocess.run(
        [signoff, "measure", *words, "--", sys.executable, str(agent)],
        capture_output=True,
        text=True,
        timeout=180,
    )


def report_of(ended: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def did(report: dict[str, Any]) -> dict[str, str]:
    """What was done with each probe."""
    return {cell["probe"]: cell["did"] for cell in report["cells"]}
