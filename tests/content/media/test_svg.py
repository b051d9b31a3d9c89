from __future__ import annotations

import time

import pytest

from signoff.app.content.media.image_facts import svg_size


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ('<svg xmlns="x" width="640" height="400px">', "640 x 400px"),
        ("<?xml version='1.0'?>\n<!-- a -->\n<SVG viewBox = '0 0 64 40' />", "viewBox 0 0 64 40"),
        ('<svg width="1" viewBox="0 0 1 1">', "1 x ?, viewBox 0 0 1 1"),
        ('<svg data-width="5">', ""),
        ("<svgx width='5'>", ""),
        ("no picture", ""),
        ('<svg width="\x1b[2J\u202e">', "␛[2J<U+202E> x ?"),
        (f'<svg width="{"9" * 150}">', f"{'9' * 40} x ?"),
        (f'<svg width="{"9" * 500}">', ""),
    ],
)
def test_the_size_is_what_the_root_says(text: str, size: str) -> None:
    assert svg_size(text) == size


def test_an_entity_is_not_expanded() -> None:
    bomb = '<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;">]><svg width="&b;"/>'
    assert svg_size(bomb) == "&b; x ?"


@pytest.mark.parametrize(
    "hostile",
    [
        "<svg " * 200_000,
        "<svg" + " width" * 200_000,
        "<svg " + 'width="' * 200_000,
        "<svg" * 90_000,
    ],
)
def test_no_text_takes_long(hostile: str) -> None:
    started = time.perf_counter()
    svg_size(hostile)
    assert time.perf_counter() - started < 5
