"""Formats: what is of them, and an example of each."""

from __future__ import annotations

import pytest

from signoff.app.schemas.formats import format_note, shape_of


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("date", "2026-02-28", "2026-02-30"),
        ("date", "2026-11-21", "20261121"),
        ("date-time", "2026-11-21T09:30:00.5+01:00", "2026-11-21"),
        ("time", "23:59:59Z", "24:00:00Z"),
        ("duration", "P1DT2H", "1 day"),
        ("email", "a@example.com", "a@"),
        ("hostname", "a-b.example", "-a"),
        ("ipv4", "192.0.2.1", "192.0.2.256"),
        ("ipv6", "::1", "1::2::3"),
        ("uri", "mailto:a@example.com", "/path"),
        ("uri-reference", "../a", "a b"),
        ("uuid", "F81D4FAE-7DEC-41D0-A765-00A0C91E6BF6", "f81d4fae7dec41d0a76500a0c91e6bf6"),
        ("json-pointer", "/a~1b/0", "a"),
    ],
)
def test_formats(name: str, good: str, bad: str) -> None:
    assert format_note(name, good) == ""
    assert format_note(name, shape_of(name)) == ""
    assert format_note(name, bad).endswith(f"{shape_of(name)} expected")


@pytest.mark.parametrize("name", ["odd", None, ["date"], 5])
def test_unknown_formats_are_not_looked_at(name: object) -> None:
    assert (shape_of(name), format_note(name, "anything")) == ("", "")
