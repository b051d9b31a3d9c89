"""How fast Signoff is, beside the least that could be: medians, with their range.

    python -m tests.bench.bench [--runs N] [--server everything|demo|raw] [--json] [--part NAME]

What is compared is measured in turn, so that whatever else the machine does hits both alike. The
targets are printed beside the figures; nothing fails on them. server-everything is started by the
command line in the environment variable SIGNOFF_EVERYTHING, or else by node itself, not through
npx.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Callable, Sequence

from tests.bench import (
    audit,
    evidence,
    first_dialogs,
    floods,
    flows,
    forms,
    pictures,
    policies,
    several,
    sizes,
    store,
    texts,
    trees,
    wire,
)
from tests.bench.bursts import measure_bursts, measure_progress
from tests.bench.calls import measure_calls
from tests.bench.commands import measure_commands
from tests.bench.figures import Figure
from tests.bench.keys import measure_keys
from tests.bench.leaving import measure_leaving
from tests.bench.places import private_place, server
from tests.bench.startup import measure_startup

PRESSES_A_RUN = 4
CALLS_A_RUN = 30
PARTS = (
    "startup",
    "leaving",
    "commands",
    "keys",
    "dialogs",
    "floods",
    "calls",
    "bursts",
    "progress",
    "policies",
    "store",
    "audit",
    "forms",
    "pictures",
    "texts",
    "trees",
    "sizes",
    "wire",
    "evidence",
    "flows",
    "several",
)

OF_SERVER = ("startup", "leaving", "commands")
"""Parts that are measured on the server that was asked for."""


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="How fast Signoff is.")
    parser.add_argument("--runs", type=int, default=10, metavar="N", help="rounds (10)")
    parser.add_argument("--server", choices=["everything", "demo", "raw"], default="everything")
    parser.add_argument("--part", choices=PARTS, help="only this part")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    runs = max(1, options.runs)
    found: dict[str, list[Figure]] = {}
    with private_place() as place:
        # The link remembers the era of a server in the cache of this process.
        os.environ["XDG_CACHE_HOME"] = place.env["XDG_CACHE_HOME"]
        parts: dict[str, Callable[[], list[Figure]]] = {
            "startup": lambda: measure_startup(place, server(options.server), runs),
            "leaving": lambda: measure_leaving(place, server(options.server), runs),
            "commands": lambda: measure_commands(
                place, options.server, server(options.server), runs
            ),
            "keys": lambda: measure_keys(place, runs * PRESSES_A_RUN),
            "dialogs": lambda: first_dialogs.measure(place, runs),
            "floods": lambda: floods.measure(place, runs),
            "calls": lambda: measure_calls(runs * CALLS_A_RUN),
            "bursts": lambda: measure_bursts(place, runs),
            "progress": lambda: measure_progress(place, runs),
            "policies": lambda: policies.measure(runs),
            "store": lambda: store.measure(runs),
            "audit": lambda: audit.measure(runs * CALLS_A_RUN),
            "forms": lambda: forms.measure(runs),
            "pictures": lambda: pictures.measure(runs),
            "texts": lambda: texts.measure(runs),
            "trees": lambda: trees.measure(place, runs),
            "sizes": lambda: sizes.measure(place, runs),
            "wire": lambda: wire.measure(runs),
            "evidence": lambda: evidence.measure(runs),
            "flows": lambda: flows.measure(runs * CALLS_A_RUN),
            "several": lambda: several.measure(place, runs),
        }
        for name, measure in parts.items():
            if options.part in (None, name):
                found[name] = measure()
                if not options.json:
                    _print(name, options.server, found[name])
    if options.json:
        plain = {name: [figure.as_json() for figure in figures] for name, figures in found.items()}
        machine = {"python": platform.python_version(), "processors": os.cpu_count()}
        print(json.dumps({"machine": machine, "server": options.server, **plain}, indent=2))


def _print(name: str, server_name: str, figures: Sequence[Figure]) -> None:
    about = f"{name}, {server_name}" if name in OF_SERVER else name
    print(f"{about}\n{'':<52} {'median':>9}  {'min - max':>21}")
    for figure in figures:
        print(figure.as_line())
    print(flush=True)


if __name__ == "__main__":
    main()
