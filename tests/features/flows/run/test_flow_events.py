"""What a server asks, reports and tells while a flow runs, in both eras."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.approved import approved
from tests.cli.running import run
from tests.features.flows.run.test_flow_runs import failed

PROSE = approved("flows")

FLOW = """\
server: demo
protocol: {protocol}
log_level: debug
decision_seconds: 0.4
steps:
  - call: ask_every_field
    answers: {{elicitation: decline}}
    expect: {{asked: {{kind: elicitation, answered: deny}}, outcome: ok}}
  - call: ask_two_questions
    answers: {{elicitation: {{content: {{name: Ada, drink: tea}}}}}}
    expect: {{asked: {{message: "Who are you", answered: approve}}, content: Ada}}
  - call: imitate_approval
    answers: {{elicitation: [cancel]}}
    expect: {{asked: {{answered: cancel}}}}
  - name: nobody answers the form
    call: ask_every_field
    person: absent
    expect: {{asked: {{answered: deny}}, within: 5}}
  - call: ask_the_model
    answers: {{sampling: hello from nobody}}
    expect:
      asked: {{kind: sampling, message: How does an approval work, answered: approve}}
      content: hello from nobody
  - call: progress_backwards
    expect: {{progress: {{reports: 3, increasing: false}}}}
  - call: add_prompt
    with: {{name: x}}
    person: approve
  - wait: prompts/list_changed
  - call: log_every_level
  - wait: message
    expect: {{result: {{at: /level, regex: "^[a-z]+$"}}}}
  - subscribe: clock://now
  - wait: resources/updated
    expect: {{result: {{at: /uri, equals: "clock://now"}}, within: 5}}
"""


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["legacy", "'2026-07-28'"])
def test_what_a_server_asks_reports_and_tells(tmp_path: Path, protocol: str) -> None:
    (tmp_path / "a.flow.yaml").write_text(FLOW.format(protocol=protocol))
    ended = run(tmp_path, "test", "a.flow.yaml", "--json")
    assert failed(ended.report) == []
    assert ended.status == 0


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
