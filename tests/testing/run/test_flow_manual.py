"""The worked example of the manual runs."""

from __future__ import annotations

import re
from pathlib import Path

from tests.headless.commands import run

MANUAL = (Path(__file__).resolve().parents[3] / "app" / "MANUAL.md").read_text(encoding="utf-8")


def test_the_flow_of_the_manual_passes(tmp_path: Path) -> None:
    (text,) = re.findall(r"```yaml\n(flow:.*?)```", MANUAL, flags=re.DOTALL)
    (tmp_path / "careful.flow.yaml").write_text(text, encoding="utf-8")
    ended = run(tmp_path, "test", "careful.flow.yaml")
    assert ended.status == 0, ended.stdout
    assert "call delete_file  ask with a warning; a dialog; denied by you; 0 tools/call frames" in (
        ended.stdout
    )
