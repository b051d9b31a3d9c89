"""Several processes on one store, and one that is killed at any moment."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from signoff.app.approval.grants import Remember, Scope, new_grant
from signoff.app.content.json.jsonio import digest
from tests.storage.stored import NOW, SESSION, definition, entries, is_whole, opened, snapshot
from tests.tiers import first_quick

ROOT = Path(__file__).resolve().parents[2]
SECONDS = "1.0"
HEAD = """
import sys, time
from pathlib import Path
from signoff.app.storage.store import Store, StoreError
from tests.storage.stored import NOW, SESSION, definition, entries, grant, opened, snapshot
folder = Path(sys.argv[1])
def patiently(action):
    while True:
        try: return action()
        except StoreError as problem:
            assert "another program is using it" in str(problem), problem
def say(*words): print(*words, flush=True)
"""
GIVING = """
store = opened(folder)
end = time.monotonic() + float(sys.argv[2])
number = 0
while time.monotonic() < end:
    one = patiently(lambda: store.grants.give(grant(of=snapshot(f"tool {number % 20}"))))
    say("given", one.id)
    tools = entries(definition("a", n=number))
    patiently(lambda: store.history.record(sys.argv[3], "x", tools, NOW))
    number += 1
"""
REVOKING = """
store = opened(folder)
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    for one in store.grants.all(NOW):
        if patiently(lambda: store.grants.revoke(one.id)):
            say("revoked", one.id, time.monotonic_ns())
"""
USING = """
store = opened(folder)
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    for one in store.grants.all(NOW):
        began = time.monotonic_ns()
        if patiently(lambda: store.grants.use(one.id, SESSION, NOW)): say("used", one.id, began)
"""
ENDLESS = """
store = Store.open(folder, NOW)
assert not store.problem, store.problem
say("ready")
lists = [entries(*(definition(f"{name}{n}") for n in range(40))) for name in "ab"]
number = int(sys.argv[2])
while True:
    number += 1
    one = store.grants.give(grant(of=snapshot(f"tool {number}")))
    say("given", one.id, number)
    if number % 3 == 0:
        store.history.record("endless", "demo", lists[number % 2], NOW + number)
    if number % 5 == 0:
        assert store.grants.revoke(one.id)
        say("revoked", one.id, number)
"""
OPENING = """
store = Store.open(folder, NOW)
say(store.problem or "good")
"""


def start(code: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", HEAD + code, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def ends(process: subprocess.Popen[str]) -> list[list[str]]:
    stdout, stderr = process.communicate(timeout=40)
    assert process.returncode == 0, stderr
    return [line.split() for line in stdout.splitlines()]


@pytest.mark.slow
def test_two_give_while_one_revokes_and_one_uses(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    kinds = ((GIVING, "one"), (GIVING, "two"), (REVOKING, ""), (USING, ""))
    running = [start(code, str(folder), SECONDS, *words) for code, *words in kinds]
    said = [ends(process) for process in running]
    given = {int(line[1]) for line in (*said[0], *said[1])}
    revoked = {int(line[1]): int(line[2]) for line in said[2]}
    used = [(int(line[1]), int(line[2])) for line in said[3]]
    assert said[0]
    assert said[1]
    assert revoked
    assert revoked.keys() <= given
    for one, began in used:
        assert one not in revoked or began < revoked[one], "used after it had been revoked"
    with opened(folder) as store:
        left = {one.id for one in store.grants.all(NOW)}
        assert left == given - revoked.keys()
        assert store.history.last_list("one") is not None
        assert store.history.last_list("two") is not None
    assert is_whole(folder)


def test_many_make_the_store_at_once(tmp_path: Path) -> None:
    running = [start(OPENING, str(tmp_path / "s")) for _ in range(5)]
    assert [ends(process) for process in running] == [[["good"]]] * 5


@pytest.mark.parametrize("seed", first_quick([1, 2]))
def test_a_kill_at_any_moment_loses_nothing_that_was_said(tmp_path: Path, seed: int) -> None:
    folder = tmp_path / "s"
    chance = random.Random(seed)
    given: dict[int, int] = {}
    number = 0
    for _ in range(3):
        process = start(ENDLESS, str(folder), str(number))
        assert process.stdout is not None
        for _ in range(chance.randrange(1, 60)):
            line = process.stdout.readline().split()
            take(line, given)
        process.kill()
        # Not by `communicate`, which leaves out what was read ahead with the lines before.
        rest = process.stdout.read()
        process.communicate()
        for text in rest.splitlines():
            take(text.split(), given)
        number = max(given.values(), default=0) + 100
        check(folder, given)


def take(line: list[str], given: dict[int, int]) -> None:
    if line[:1] == ["given"] and len(line) == 3:
        given[int(line[1])] = int(line[2])
    elif line[:1] == ["revoked"] and len(line) == 3:
        given.pop(int(line[1]))


def check(folder: Path, given: dict[int, int]) -> None:
    with opened(folder) as store:
        kept = {one.id: one.tool for one in store.grants.all(NOW)}
        for one, number in given.items():
            # The last one may have been revoked before it could be said.
            assert kept.get(one) == f"tool {number}" or (number % 5 == 0 and one == max(given))
        unsaid = kept.keys() - given.keys()
        assert len([one for one in unsaid if one > max(given, default=0)]) <= 1
        for one in unsaid:
            given[one] = int(kept[one].split()[1])
        found = store.history.definitions("endless")
        if found is not None:
            assert [past.tool for past in found] in [
                [f"{name}{number}" for number in range(40)] for name in "ab"
            ]
            assert all(past.digest == digest(past.raw) for past in found)
    assert is_whole(folder)


def test_a_copy_taken_after_a_kill_opens_without_the_log_of_another(tmp_path: Path) -> None:
    """The log of a killed run is taken up; what it says was done is done."""
    folder = tmp_path / "s"
    process = start(ENDLESS, str(folder), "0")
    assert process.stdout is not None
    while process.stdout.readline().split()[:1] != ["revoked"]:
        pass
    process.kill()
    process.communicate()
    assert os.path.getsize(folder / "store.sqlite3-wal") > 0
    with opened(folder) as store:
        assert store.grants.find(snapshot("tool 5"), SESSION, NOW) is None
        assert store.grants.find(snapshot("tool 4"), SESSION, NOW) is not None
        made = new_grant(snapshot(), "demo", Remember(Scope.UNTIL, 1), SESSION, NOW)
        assert made is not None
        assert store.grants.give(made)
        store.history.record("endless", "demo", entries(definition("z")), NOW)
