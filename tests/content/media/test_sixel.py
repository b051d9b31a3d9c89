from __future__ import annotations

import re
from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from signoff.app.content.media.images import sixel_of
from tests.tiers import examples


def drawn(data: bytes) -> tuple[int, int, dict[tuple[int, int], tuple[int, ...]]]:
    """What a terminal makes of it: width, height, and a colour in per cent for each pixel."""
    found = re.fullmatch(rb'\x1bP0;1;0q"1;1;(\d+);(\d+)(.*)\x1b\\', data, re.S)
    assert found is not None
    registers: dict[int, tuple[int, ...]] = {}
    pixels: dict[tuple[int, int], tuple[int, ...]] = {}
    x = y = colour = 0
    token = rb"#(\d+);2;(\d+);(\d+);(\d+)|#(\d+)|!(\d+)([?-~])|([?-~])|([$-])"
    at = 0
    body = found[3]
    while at < len(body):
        one = re.compile(token).match(body, at)
        assert one is not None, body[at : at + 20]
        at = one.end()
        if one[1]:
            registers[int(one[1])] = tuple(int(one[n]) for n in (2, 3, 4))
        elif one[5]:
            colour = int(one[5])
        elif one[9]:
            x, y = 0, y + (6 if one[9] == b"-" else 0)
        else:
            bits, count = (one[7] or one[8])[0] - 63, int(one[6] or 1)
            for column, bit in product(range(x, x + count), range(6)):
                if bits >> bit & 1:
                    assert (column, y + bit) not in pixels
                    pixels[column, y + bit] = registers[colour]
            x += count
    return int(found[1]), int(found[2]), pixels


@examples(60)
@given(
    width=st.integers(1, 20),
    height=st.integers(1, 20),
    data=st.data(),
)
def test_a_terminal_draws_every_pixel_once_in_its_colour(
    width: int, height: int, data: st.DataObject
) -> None:
    few = [(0, 0, 0), (255, 0, 0), (0, 255, 0), (255, 255, 255), (51, 102, 204)]
    colours = data.draw(
        st.lists(st.sampled_from(few), min_size=width * height, max_size=width * height)
    )
    image = Image.new("RGB", (width, height))
    image.putdata(colours)
    wide, high, pixels = drawn(sixel_of(image))
    assert (wide, high) == (width, height)
    assert len(pixels) == width * height
    for index, colour in enumerate(colours):
        per_cent = pixels[index % width, index // width]
        assert all(abs(a - b * 100 // 255) <= 3 for a, b in zip(per_cent, colour, strict=True))


def test_long_runs_are_counted() -> None:
    assert len(sixel_of(Image.new("RGB", (900, 6), (9, 9, 9)))) < 80
