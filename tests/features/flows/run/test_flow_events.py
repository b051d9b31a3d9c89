"""What a server asks, reports and tells while a flow runs, in both eras."""

from __future__ import annotations

from pathlib import Path

from tests.approved import approved
from tests.cli.running import run
from tests.features.flows.run.test_flow_runs import failed

PROSE = approved("flows")


def test_what_was_not_asked_and_did_not_come_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.flow.yaml").write_text(
        "server: demo\nsteps:\n"
        "  - call: calculate_sum\n    with: {a: 1, b: 2}\n"
        "    expect: {asked: {kind: sampling}, progress: {reports: 1}}\n"
        "  - wait: tools/list_changed\n    timeout: 0.2\n"
        "  - subscribe: demo://nothing/like/it\n"
        "  - call: ask_two_questions\n    answers: {elicitation: accept}\n"
    )
    found = failed(run(tmp_path, "test", "a.flow.yaml", "--json").report)
    PROSE.holds("events: what was not received", "\n".join(found))
