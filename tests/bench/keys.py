"""From a key press to the repainted list, with few tools and with many."""

from __future__ import annotations

from tests.bench.figures import Figure, Samples
from tests.bench.places import Place
from tests.bench.timed_tty import Tty
from tests.servers import raw

SIZES = (10, 1_000, 5_000)
TARGET_SECONDS = 0.030
PANE_TARGET_SECONDS = 0.060
DOWN, UP, BACKSPACE = b"\x1b[B", b"\x1b[A", b"\x7f"
GAP = 0.06
"""A longer pause ends a burst."""
REST = 0.3
WORD = b"ated_00"


def measure_keys(place: Place, presses: int) -> list[Figure]:
    """Down through the list and a word typed into the filter, for every size of the list."""
    figures = []
    for size in SIZES:
        samples = Samples()
        argv = raw("--only", "echo", "--tools", str(size))
        with Tty(place.signoff(argv), place.env, place.home) as signoff:
            signoff.seen(lambda text: text.count("generated_") >= 5)
            signoff.quiet(1.5)
            cursor = f"{size:,} tools, Down: the cursor"
            pane = f"{size:,} tools, Down: tool pane follows"
            for press in range(presses):
                # Its two rows come in one piece; the pane may follow with no pause.
                first, _, all_of_it = signoff.press(_way(press, size), GAP, REST)
                samples.add(cursor, first)
                samples.add(pane, all_of_it)
            figures += [_judged(samples, cursor), _judged(samples, pane, PANE_TARGET_SECONDS)]

            signoff.press(b"/", GAP, REST)
            echo, shown = (f"{size:,} tools, filter: {what}" for what in ("the letter", "the list"))
            for letter in _letters(presses):
                first, last, _ = signoff.press(letter, GAP, REST)
                samples.add(echo, first)
                samples.add(shown, last)
            figures += [samples.figure(echo), _judged(samples, shown)]
    return figures


def _way(press: int, size: int) -> bytes:
    """Down and up again without ever standing at an end; far enough to scroll a long list."""
    turn = min(40, size - 2)
    return DOWN if press % (2 * turn) < turn else UP


def _letters(count: int) -> list[bytes]:
    """A word typed and taken back, again and again."""
    word = [WORD[at : at + 1] for at in range(len(WORD))]
    turn = word + [BACKSPACE] * len(word)
    return [turn[at % len(turn)] for at in range(count)]


def _judged(samples: Samples, name: str, target: float = TARGET_SECONDS) -> Figure:
    seconds = samples.median(name)
    return samples.figure(name, f"< {target * 1000:g} ms", f"{seconds * 1000:.1f} ms")
