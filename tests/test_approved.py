"""Approved texts: what fails, how a file is updated, and that no entry is left over."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.approved import FOLDER, Approved, read, untimed, used_keys, written

TEST = 'TEXTS = approved("food")\nTEXTS.holds("bread", "")\nTEXTS.holds("soup", "")\n'


@pytest.fixture
def food(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Approved:
    """A surface with two entries, one of which no test names."""
    monkeypatch.delenv("UPDATE_GOLDEN", raising=False)
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    (tmp_path / "test_food.py").write_text(TEST)
    (tmp_path / "test_drinks.py").write_text('approved("drinks").holds("wine", "")\n')
    (tmp_path / "food.txt").write_text("## bread\nIt is\ndone.\n\n## wine\nIt is red.\n")
    return Approved(tmp_path / "food.txt", tmp_path)


def test_the_approved_text_passes(food: Approved) -> None:
    food.holds("bread", "It is\ndone.")
    food.holds("bread", "\nIt is\ndone.\n\n")


def test_what_differs_between_machines_has_a_name(food: Approved) -> None:
    food.file.write_text("## bread\nFOLDER/bread: COUNT\n")
    food.holds("bread", "/tmp/x/bread: 7", FOLDER=Path("/tmp/x"), COUNT=7)


def test_times_are_left_out() -> None:
    assert untimed("2 calls in 12.34 s, 0.1 s each, 3 s in all") == (
        "2 calls in 0.0 s, 0.0 s each, 3 s in all"
    )


def test_another_text_fails_with_the_difference(food: Approved) -> None:
    with pytest.raises(AssertionError) as failed:
        food.holds("bread", "It is\nburnt.")
    lines = str(failed.value).splitlines()
    assert "--- food.txt: bread" in lines
    assert [line for line in lines if line.endswith(".")] == ["-done.", "+burnt."]


def test_a_missing_entry_names_the_variable(food: Approved) -> None:
    with pytest.raises(AssertionError, match=r"'soup'.*UPDATE_GOLDEN=1"):
        food.holds("soup", "It is hot.")


def test_a_missing_file_has_no_entries(tmp_path: Path) -> None:
    assert read(tmp_path / "none.txt") == {}


class TestUpdating:
    @pytest.fixture(autouse=True)
    def _is_on(self, food: Approved, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("UPDATE_GOLDEN", "1")

    def test_an_entry_is_added_and_what_no_test_names_is_removed(self, food: Approved) -> None:
        food.holds("soup", "It is hot.\n")
        assert food.file.read_text() == "## bread\nIt is\ndone.\n\n## soup\nIt is hot.\n"

    def test_a_changed_text_is_replaced(self, food: Approved) -> None:
        food.holds("bread", "It is burnt.")
        assert read(food.file)["bread"] == "It is burnt."

    def test_one_key_has_one_text(self, food: Approved) -> None:
        food.holds("soup", "It is hot.")
        food.holds("soup", "It is hot.")
        with pytest.raises(AssertionError, match="two texts"):
            food.holds("soup", "It is cold.")

    def test_a_key_is_a_string_of_a_test(self, food: Approved) -> None:
        with pytest.raises(AssertionError, match="'wine'"):
            food.holds("wine", "It is red.")

    def test_several_workers_do_not_write(
        self, food: Approved, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw1")
        before = food.file.read_text()
        with pytest.raises(AssertionError, match="-n 0"):
            food.holds("soup", "It is hot.")
        assert food.file.read_text() == before

    def test_a_line_cannot_look_like_a_heading(self, food: Approved) -> None:
        with pytest.raises(AssertionError, match="begins with"):
            food.holds("soup", "Soups:\n## wine\n")


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*")), ids=lambda file: file.stem)
def test_a_file_is_sorted_and_each_entry_is_used(file: Path) -> None:
    entries = read(file)
    assert file.read_text(encoding="utf-8") == written(entries)
    assert not entries.keys() - used_keys(file.stem)
