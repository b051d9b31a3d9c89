"""How far the tour is: kept, and begun anew where what was kept cannot be used."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from signoff.app.features.tour.progress import TourProgress, load_tour, save_tour
from signoff.app.storage.state_dir import state_folder
from tests.approved import approved

PROSE = approved("storage")

KNOWN = ("one", "two", "three")


def kept_file() -> Path:
    return state_folder() / "tour.json"


def write(text: str) -> None:
    assert save_tour("one", (), {}) == ""
    kept_file().write_text(text, encoding="utf-8")


def test_what_was_kept_comes_back_and_only_its_owner_can_read_it() -> None:
    assert load_tour(KNOWN) == TourProgress()
    assert save_tour("one", (), {}) == ""
    assert save_tour("two", {"one", "two"}, {"one": True, "two": False}) == ""
    guesses = {"one": True, "two": False}
    assert load_tour(KNOWN) == TourProgress("two", frozenset({"one", "two"}), guesses)
    kept = json.loads(kept_file().read_text(encoding="utf-8"))
    assert kept == {"version": 1, "at": "two", "done": ["one", "two"], "guesses": guesses}
    assert kept_file().stat().st_mode & 0o777 == 0o600
    assert os.listdir(state_folder()) == ["tour.json"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[1]",
        "null",
        '{"version": 2, "at": "one", "done": [], "guesses": {}}',
        '{"version": 1}',
        '{"version": 1, "at": 3, "done": [], "guesses": {}}',
        '{"version": 1, "at": "one", "done": "one", "guesses": {}}',
        '{"version": 1, "at": "one", "done": [7], "guesses": {}}',
        '{"version": 1, "at": "one", "done": [], "guesses": {"one": 1}}',
        '{"version": 1, "at": "gone", "done": [], "guesses": {}}',
        '{"version": 1, "at": "one", "done": ["gone"], "guesses": {}}',
        '{"version": 1, "at": "one", "done": [], "guesses": {"gone": true}}',
        "x" * 100_000,
    ],
)
def test_what_is_damaged_or_of_another_version_begins_anew_and_says_so(text: str) -> None:
    write(text)
    kept = load_tour(KNOWN)
    assert (kept.at, kept.done, kept.guesses) == ("", frozenset(), {})
    assert kept.problem in ("the file is damaged", "the file has another version")


def test_a_file_that_is_no_text_or_that_others_may_write_is_not_believed() -> None:
    write("")
    kept_file().write_bytes(b"\xff\xfe{")
    PROSE.holds("tour: damaged", load_tour(KNOWN).problem)
    save_tour("two", {"one"}, {})
    kept_file().chmod(0o666)
    kept = load_tour(KNOWN)
    assert kept.done == frozenset()
    PROSE.holds("tour: open to others", kept.problem, FILE=kept_file())


def test_a_folder_in_its_place_is_a_problem_in_words(tmp_path: Path) -> None:
    save_tour("one", (), {})
    kept_file().unlink()
    kept_file().mkdir()
    assert "is a folder" in load_tour(KNOWN).problem
    assert "cannot be written" in save_tour("one", (), {})
    assert os.listdir(state_folder()) == ["tour.json"]
