"""The README's film: one SVG that shows each picture in turn, and nothing else."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from screenshots.film import SHOTS, film

PICTURE = '<svg class="rich-terminal" viewBox="0 0 90 40" xmlns="http://www.w3.org/2000/svg"></svg>'
SVG = "{http://www.w3.org/2000/svg}"


def visible_at(text: str, number: int, percent: float) -> bool:
    """True if a shot is shown at this part of the film, by its steps."""
    found = re.search(rf"@keyframes shot-{number}\{{(.*?\}})\}}", text)
    assert found is not None
    state = "visible"
    steps: list[tuple[float, str]] = []
    for places, value in re.findall(r"([\d.%,]+)\{visibility:(\w+)\}", found[1]):
        steps += [(float(place), value) for place in places.replace("%", "").split(",")]
    for place, value in sorted(steps, key=lambda step: step[0]):
        if place <= percent:
            state = value
    return state == "visible"


def test_one_picture_is_shown_at_any_time_and_each_for_its_seconds() -> None:
    text = film([(PICTURE, shot) for shot in SHOTS])
    whole = sum(shot.seconds for shot in SHOTS)
    began = 0.0
    for number, shot in enumerate(SHOTS):
        middle = 100 * (began + shot.seconds / 2) / whole
        shown = [one for one in range(len(SHOTS)) if visible_at(text, one, middle)]
        assert shown == [number]
        began += shot.seconds


def test_the_film_is_one_picture_without_script_or_address() -> None:
    root = ElementTree.fromstring(film([(PICTURE, shot) for shot in SHOTS]))
    assert root.tag == f"{SVG}svg"
    assert root.attrib["viewBox"] == "0 0 90 86"
    assert [one.text for one in root.iter(f"{SVG}text")] == [shot.words for shot in SHOTS]
    text = film([(PICTURE, shot) for shot in SHOTS])
    assert "<script" not in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    # Readers who want no motion see the first picture.
    hidden = [one.get("visibility") for one in root.iter(f"{SVG}g")]
    assert hidden == [None, *["hidden"] * (len(SHOTS) - 1)]
    assert "prefers-reduced-motion" in text
