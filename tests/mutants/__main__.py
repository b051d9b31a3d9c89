"""Break the code on purpose, and see which faults no test finds.

    python -m tests.mutants --rooms approval,engine/calls --count 30 --jobs 1

Makes small faults, spread over the rooms, and runs the tests of the room on each, in a copy of the
checkout. Rooms of consent and sending get twice as many. The same seed makes the same faults.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tests.mutants.making import Mutant, mutants_of
from tests.mutants.running import KILLED, SURVIVED, UNDECIDED, Copy, Outcome, room_tests

ROOT = Path(__file__).resolve().parent.parent.parent
TWICE = ("approval", "engine/calls", "transport/gate.py", "transport/relaying.py")
"""Rooms of consent and sending."""
Planned = tuple[str, Mutant]


def rooms_of(root: Path) -> list[str]:
    """Every room, and those of consent and sending apart."""
    folders = sorted(one.parent.name for one in (root / "app").glob("*/__init__.py"))
    twice = [one for one in TWICE if (root / "app" / one).exists()]
    return [*twice, *(one for one in folders if one not in twice), "widgets"]


def files_of(root: Path, room: str, others: Sequence[str]) -> list[Path]:
    """The files of a room, without those of another one that is inside it."""
    top = root / room if room.partition("/")[0] == "widgets" else root / "app" / room
    inner = [root / "app" / one for one in others if one != room and one.startswith(f"{room}/")]
    files = [top] if top.is_file() else sorted(top.rglob("*.py"))
    return [one for one in files if not any(one.is_relative_to(other) for other in inner)]


def plan(root: Path, rooms: Sequence[str], count: int, seed: int) -> list[Planned]:
    """So many mutants, spread over the rooms; the same ones for the same seed."""
    dice = random.Random(seed)
    pools: dict[str, list[Mutant]] = {}
    for room in rooms:
        pools[room] = [
            mutant
            for file in files_of(root, room, rooms)
            for mutant in mutants_of(file.relative_to(root), file.read_text(encoding="utf-8"))
        ]
        dice.shuffle(pools[room])
    planned: list[Planned] = []
    while len(planned) < count and any(pools.values()):
        for room in [one for one in rooms for _ in range(1 + (one in TWICE))]:
            if pools[room] and len(planned) < count:
                planned.append((room, pools[room].pop()))
    return planned


def run(root: Path, planned: Sequence[Planned], jobs: int, seconds: float) -> list[Outcome]:
    """Run the tests on each mutant, in as many copies at once as there are jobs."""
    copies: SimpleQueue[Copy] = SimpleQueue()

    def judge(one: Planned) -> Outcome:
        room, mutant = one
        copy = copies.get()
        try:
            verdict = copy.verdict(mutant, room_tests(root, mutant.path), seconds)
        finally:
            copies.put(copy)
        print(f"{verdict:9}  {mutant.path}:{mutant.line}  {mutant.kind}", flush=True)
        return Outcome(room, mutant, verdict)

    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        for at in range(jobs):
            copy = Copy(root, Path(folder, str(at)))
            copy.check()
            copies.put(copy)
        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(judge, planned))


def report(root: Path, outcomes: Sequence[Outcome]) -> str:
    """A table of the rooms, and the difference of each mutant that no test has seen."""
    counts = Counter((one.room, one.verdict) for one in outcomes)
    rooms = list(dict.fromkeys(one.room for one in outcomes))
    lines = [f"{'room':24} {KILLED:>9} {SURVIVED:>9} {UNDECIDED:>9}"]
    for room in rooms:
        numbers = (counts[room, verdict] for verdict in (KILLED, SURVIVED, UNDECIDED))
        lines.append(f"{room:24} " + " ".join(f"{number:9}" for number in numbers))
    killed = sum(one.verdict == KILLED for one in outcomes)
    lines.append(f"{killed} of {len(outcomes)} killed")
    for one in outcomes:
        if one.verdict == SURVIVED:
            source = (root / one.mutant.path).read_text(encoding="utf-8")
            lines += ["", f"survived: {one.mutant.kind}", one.mutant.diff(source)]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None, root: Path = ROOT) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--rooms", default="", help="folders or files below app (default: all)")
    parser.add_argument("--count", type=int, default=120, help="number of mutants (default: 120)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the choice (default: 1)")
    parser.add_argument("--jobs", type=int, default=2, help="copies at once (default: 2)")
    parser.add_argument(
        "--seconds", type=float, default=60, help="limit of the tests of a mutant (default: 60)"
    )
    options = parser.parse_args(argv)
    rooms = options.rooms.split(",") if options.rooms else rooms_of(root)
    planned = plan(root, rooms, options.count, options.seed)
    outcomes = run(root, planned, options.jobs, options.seconds)
    print(report(root, outcomes))
    return 0


if __name__ == "__main__":
    # The copies go away whoever ends it.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    sys.exit(main())
