"""How long remembering takes: opening a long history, finding and giving an approval."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from signoff.app.approval.grants import Remember, Scope, new_grant
from signoff.app.approval.snapshot import Snapshot
from signoff.app.content.json.jsonio import JsonValue, digest
from signoff.app.storage.store import Store
from tests.bench.figures import Figure, Samples

DEFINITIONS = 10_000
GRANTS = 200
OPENING_TARGET = 0.05
FINDING_TARGET = 0.001
SERVER = "python server.py"


def measure(rounds: int = 10) -> list[Figure]:
    """Opening a history of 10,000 definitions of one server; find, use and give of one grant."""
    samples = Samples()
    with tempfile.TemporaryDirectory(prefix="signoff-bench-") as name:
        folder = Path(name) / "state"
        _fill(folder)
        for number in range(rounds):
            _open(folder, samples)
            _ask(folder, samples, number)
    opening = f"under {OPENING_TARGET * 1000:.0f} ms"
    finding = f"under {FINDING_TARGET * 1000:.0f} ms"
    return [
        samples.figure(OPEN, opening, _met(samples.median(OPEN) < OPENING_TARGET)),
        samples.figure(DEFINITIONS_TOO),
        samples.figure(FIND, finding, _met(samples.median(FIND) < FINDING_TARGET)),
        samples.figure(FIND_NOTHING, finding, _met(samples.median(FIND_NOTHING) < FINDING_TARGET)),
        samples.figure(USE),
        samples.figure(GIVE),
    ]


OPEN = f"open, and the last list of {DEFINITIONS:,} tools"
DEFINITIONS_TOO = f"the {DEFINITIONS:,} definitions themselves"
FIND, FIND_NOTHING = f"find an approval among {GRANTS}", f"find none among {GRANTS}"
USE, GIVE = "count a use, on the disk", "give an approval, on the disk"


def _fill(folder: Path) -> None:
    now = time.time()
    entries: list[tuple[str, str, JsonValue]] = []
    for number in range(DEFINITIONS):
        raw: JsonValue = {
            "name": f"tool_{number}",
            "description": f"Tool {number}. " + "It does what its name says. " * 20,
            "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}},
        }
        entries.append((f"tool_{number}", digest(raw), raw))
    with Store.open(folder) as store:
        assert not store.problem, store.problem
        store.history.record(SERVER, "bench", entries, now)
        for number in range(GRANTS):
            _give(store, number, now)


def _open(folder: Path, samples: Samples) -> None:
    began = time.perf_counter()
    store = Store.open(folder)
    listed = store.history.last_list(SERVER)
    samples.add(OPEN, time.perf_counter() - began)
    assert listed is not None
    assert len(listed) == DEFINITIONS
    began = time.perf_counter()
    store.history.definitions(SERVER)
    samples.add(DEFINITIONS_TOO, time.perf_counter() - began)
    store.close()


def _ask(folder: Path, samples: Samples, number: int) -> None:
    now = time.time()
    with Store.open(folder) as store:
        for name, tool in ((FIND, f"tool_{number % GRANTS}"), (FIND_NOTHING, "tool_none")):
            began = time.perf_counter()
            found = store.grants.find(_snapshot(tool), "bench", now)
            samples.add(name, time.perf_counter() - began)
            assert (found is None) == (name == FIND_NOTHING)
            if found is not None:
                began = time.perf_counter()
                assert store.grants.use(found.id, "bench", now)
                samples.add(USE, time.perf_counter() - began)
        began = time.perf_counter()
        _give(store, number % GRANTS, now)
        samples.add(GIVE, time.perf_counter() - began)


def _give(store: Store, number: int, now: float) -> None:
    snapshot = _snapshot(f"tool_{number}")
    grant = new_grant(snapshot, "bench", Remember(Scope.UNTIL, 7), "bench", now)
    assert grant is not None
    store.grants.give(grant)


def _snapshot(tool: str) -> Snapshot:
    return Snapshot(SERVER, "0" * 64, tool, '{"path": "notes.txt"}')


def _met(is_met: bool) -> str:
    return "met" if is_met else "missed"
