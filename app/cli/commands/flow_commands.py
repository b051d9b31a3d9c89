"""`signoff flow`: the schema of flow files, and what is wrong with some."""

from __future__ import annotations

from collections.abc import Sequence

from ...content.text import count, visible
from ...headless.exit_status import ExitStatus
from ...headless.live import print_json
from ...headless.printing import say, tell
from ...testing.grammar import flow_schema
from ...testing.run.flow_files import load_flows


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
