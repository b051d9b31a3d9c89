"""The script that breaks the code on purpose, on a package of two functions."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.mutants.__main__ import files_of, main, plan, rooms_of
from tests.mutants.making import mutants_of
from tests.mutants.running import room_tests

ROOT = Path(__file__).resolve().parent.parent

ADDING = '''\
"""Adds."""


def add(one: int, other: int) -> int:
    return one + other


def is_small(one: int) -> bool:
    return one < 1_000
'''
TESTS = """\
from signoff.app.toy.adding import add


def test_add() -> None:
    assert add(2, 3) == 5
"""
EVERY = '''\
def every(one, other, self):
    """Not this: True, 1."""
    self.log(f"{one}")
    self.count = 1
    if not one and other == 2:
        raise ValueError
    return [True]
'''


def test_every_kind_of_fault_is_made_once_at_each_place() -> None:
    found = mutants_of(Path("a.py"), EVERY)
    assert [(one.line, one.kind) for one in found] == [
        (3, "statement removed"),
        (4, "statement removed"),
        (4, "constant off by one"),
        (5, "not removed"),
        (5, "and/or swapped"),
        (5, "comparison turned"),
        (5, "constant off by one"),
        (6, "statement removed"),
        (7, "return value lost"),
        (7, "boolean turned"),
    ]
    for one in found:
        source = one.source(EVERY)
        compile(source, "a.py", "exec")
        assert source != EVERY
    assert "if (not one or other == 2):" in found[4].source(EVERY)


@pytest.mark.parametrize("text", ["größe = self.größe == 1\n", 'x = "ä" if a is None else not b\n'])
def test_places_are_bytes(text: str) -> None:
    for one in mutants_of(Path("a.py"), text):
        compile(one.source(text), "a.py", "exec")


def test_the_same_seed_chooses_the_same_and_consent_comes_twice() -> None:
    rooms = ["engine/calls", "transport/gate.py", "sandbox"]
    planned = plan(ROOT, rooms, 20, 7)
    assert planned == plan(ROOT, rooms, 20, 7)
    assert planned != plan(ROOT, rooms, 20, 8)
    counts = [sum(one == room for one, _ in planned) for room in rooms]
    assert counts == [8, 8, 4]


def test_every_file_is_in_one_room() -> None:
    rooms = rooms_of(ROOT)
    files = [file for room in rooms for file in files_of(ROOT, room, rooms)]
    assert len(files) == len(set(files))
    below = [file for top in ("app", "widgets") for file in (ROOT / top).glob("*/**/*.py")]
    assert {*below} <= {*files}


def test_the_tests_of_a_module_come_first() -> None:
    found = room_tests(ROOT, Path("app/approval/grants.py"))
    assert found[-1] == "tests/approval"
    assert "tests/approval/test_grants.py" in found[:-1]
    assert room_tests(ROOT, Path("widgets/bars.py"))[-1] == "tests/widgets"


@pytest.mark.slow
def test_a_fault_that_a_test_sees_is_killed_and_another_survives(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if sys.platform == "win32":
        pytest.skip("links need a right there")
    files = {
        "app/__init__.py": "",
        "app/toy/__init__.py": "",
        "app/toy/adding.py": ADDING,
        "tests/__init__.py": "",
        "tests/toy/test_adding.py": TESTS,
        "pytest.ini": "[pytest]\nmarkers = \n  slow\n  thorough\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert main(["--rooms", "toy", "--count", "3", "--jobs", "1"], tmp_path) == 0
    said = capsys.readouterr().out
    assert "1 of 3 killed" in said
    assert "-    return one < 1_000\n+    return (one >= 1000)" in said
    assert {name: (tmp_path / name).read_text() for name in files} == files
