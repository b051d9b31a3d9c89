"""The worked example of the manual runs."""

from __future__ import annotations

import re
from pathlib import Path

from tests.approved import approved, untimed
from tests.cli.running import run
from tests.manual import page

PROSE = approved("flows")


def test_the_flow_of_the_manual_passes(tmp_path: Path) -> None:
    text = re.findall(r"```yaml\n(flow:.*?)```", page("how-to/flow-files"), flags=re.DOTALL)[0]
    (tmp_path / "careful.flow.yaml").write_text(text, encoding="utf-8")
    ended = run(tmp_path, "test", "careful.flow.yaml")
    assert ended.status == 0, ended.stdout
    step = next(line for line in ended.stdout.splitlines() if "delete_file" in line)
    PROSE.holds("manual: a denied call", untimed(step))
