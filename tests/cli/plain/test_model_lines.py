"""Plain mode shows what the models of hosts would get of a response."""

from __future__ import annotations

from pathlib import Path

from signoff.app.hosts.model_view.table import model_hosts
from tests.cli.plain.test_offer_lines import said


def test_a_line_for_each_host_and_the_view_of_one(tmp_path: Path) -> None:
    empty, _, lines, view, unknown = said(
        tmp_path, "model", "call count_stock !{}", "M", "model 1 codex", "model 1 codx"
    )
    assert "No calls yet" in empty
    assert all(one.words in lines for one in model_hosts().values())
    assert "▲ loses text" in lines
    assert "lost" not in lines
    assert "Wall time: … seconds" in view
    assert "did you mean codex" in unknown
