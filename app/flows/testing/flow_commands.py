"""`signoff flow`: the schema of flow files, and what is wrong with some."""

from __future__ import annotations

from collections.abc import Sequence

from signoff.app.core.approval_flows.grammar import flow_schema
from signoff.app.core.exit_status import ExitStatus
from signoff.app.core.text import count, visible
from signoff.app.flows.live import print_json
from signoff.app.flows.printing import say, tell
from signoff.app.flows.testing.flow_files import load_flows


def run_schema() -> int:
    """Print the schema."""
    print_json(flow_schema())
    return ExitStatus.OK


def run_check(given: Sequence[str], as_json: bool) -> int:
    """Name every mistake; the status is that of wrong usage where there are any."""
    flows, refused = load_flows(given)
    if as_json:
        mistakes = [
            {
                "file": problem.file,
                "line": one.spot.line or None,
                "column": one.spot.column or None,
                "message": one.message,
            }
            for problem in refused
            for one in problem.mistakes
        ]
        print_json({"flows": [visible(flow.file) for flow in flows], "mistakes": mistakes})
    else:
        for flow in flows:
            say(f"{visible(flow.file)}: {count(len(flow.steps), 'step')}, no mistakes")
        for problem in refused:
            for line in problem.lines:
                tell(line)
    return ExitStatus.USAGE if refused else ExitStatus.OK
