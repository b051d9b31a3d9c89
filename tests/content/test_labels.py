"""Names in a sentence, and how long ago something was."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.labels import ago, all_named, some_listed, some_named

_NAMES = st.lists(st.text("abc", min_size=1, max_size=3), max_size=12)


def test_names_are_listed_in_words() -> None:
    assert some_named(["a", "b", "c"], 3) == "a, b, c"
    assert some_named(list("abcdef"), 2) == "a, b and 4 more"
    assert some_named("ab", 2, str.upper, beyond=1_998) == "A, B and 1,998 more"
    assert some_listed(list("abcdef"), 2) == ["a", "b", "and 4 more"]
    assert all_named([]) == ""
    assert all_named(["a"]) == "a"
    assert all_named(["a", "b", "c"]) == "a, b and c"


@given(_NAMES, st.integers(0, 5), st.integers(1, 9))
def test_every_name_is_shown_or_counted(names: list[str], beyond: int, most: int) -> None:
    asked: list[str] = []

    def words(name: str) -> str:
        asked.append(name)
        return name

    lines = some_listed(names, most, words, beyond=beyond)
    shown, rest = lines, 0
    if lines and lines[-1].startswith("and "):
        shown, rest = lines[:-1], int(lines[-1].split()[1])
    assert shown == asked == names[:most]
    assert len(shown) + rest == len(names) + beyond
    if shown:
        ending = f" and {rest} more" if rest else ""
        assert some_named(names, most, beyond=beyond) == ", ".join(shown) + ending


@given(st.floats(0, 1e9), st.floats(1, 1e9))
def test_the_age_of_what_is_older_is_never_less(first: float, later: float) -> None:
    lengths = {"s": 1, "min": 60, "h": 3_600, "d": 86_400}

    def least(age: float) -> int:
        number, unit, _ = ago(0, age).split()
        return int(number.replace(",", "")) * lengths[unit]

    assert least(later) <= later < least(later) * 2
    assert least(later) <= least(later + first)


def test_the_clock_of_what_happened_may_differ() -> None:
    assert [ago(at, 100) for at in (200, 100.5, 99.5, 99)] == [
        "in the future",
        "just now",
        "just now",
        "1 s ago",
    ]
