"""The line that shows how far a measurement is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from signoff.app.cli.output.progress_line import EVERY_SECONDS, EVERY_STEPS
from signoff.app.features.measure.progress import MeasureProgress, left_words
from signoff.app.features.measure.running.planning import Way
from signoff.app.features.measure.running.starts import MeasureStep
from signoff.app.hosts.measured.values import Did


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def usual(done: int, total: int, probe: str = "", did: Did | None = None) -> MeasureStep:
    return MeasureStep(Way.USUAL, 1, done, total, probe, did)


def test_a_line_has_the_probe_its_cell_and_the_time_left() -> None:
    clock = Clock()
    progress = MeasureProgress(clock)
    assert progress.words(80) == "starting"
    progress.on_step(usual(0, 36))
    assert progress.words(80) == "0/36  start 1"
    clock.now = 60.0
    progress.on_step(usual(12, 36, "hints/readOnly=true", Did.RAN))
    assert progress.words(80) == "12/36  hints/readOnly=true  ran  ~2 min left"
    clock.now = 120.0
    assert progress.words(80) == "12/36  hints/readOnly=true  ran  ~60 s left"


def test_a_second_start_is_named_and_counted_before_it() -> None:
    clock = Clock()
    progress = MeasureProgress(clock)
    progress.on_step(usual(0, 2))
    clock.now = 4.0
    progress.on_step(usual(1, 2, "hints/none", Did.ASKED))
    assert progress.words(80) == "1/2  hints/none  asked  ~8 s left"
    progress.on_step(usual(2, 2, "answers/text", Did.RAN))
    progress.on_step(MeasureStep(Way.APPROVES, 2, 0, 1))
    assert progress.words(80) == "0/1 after one yes  start 2"
    progress.on_step(MeasureStep(Way.APPROVES, 2, 1, 1, "hints/none", Did.ONCE))
    assert progress.words(80) == "1/1 after one yes  hints/none  once"


def test_without_a_terminal_lines_are_few(capsys: pytest.CaptureFixture[str]) -> None:
    progress = MeasureProgress(Clock())
    for number in range(37):
        progress.on_step(usual(number, 36, *((f"hints/{number}", Did.RAN) if number else ())))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "signoff: start 1, 36 probes to try"
    assert [one.split()[1] for one in lines[1:]] == ["12/36", "24/36", "36/36"]
    assert EVERY_STEPS == 12
    # A slow host has a line after a while.
    clock = Clock()
    progress = MeasureProgress(clock, is_quiet=True)
    progress.on_step(usual(0, 36))
    progress.on_step(usual(1, 36, "hints/none", Did.ASKED))
    for now in (EVERY_SECONDS, EVERY_SECONDS, 3 * EVERY_SECONDS):
        clock.now = now
        progress.line.show()
    assert len(capsys.readouterr().err.splitlines()) == 1


@given(
    probe=st.text(max_size=120),
    width=st.integers(60, 200),
    done=st.integers(0, 300),
    did=st.sampled_from([None, *Did]),
)
def test_a_line_fits_and_is_one(probe: str, width: int, done: int, did: Did | None) -> None:
    progress = MeasureProgress(Clock(), is_quiet=True)
    progress._newest = MeasureStep(Way.APPROVES, 2, done, 300, probe, did)
    words = progress.words(width)
    assert "\n" not in words
    assert "\x1b" not in words
    assert len(words) <= width
    assert cell_len(words) <= 2 * width


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5.0, "~1 s left"), (0.2, "~1 s left"), (89.2, "~90 s left"), (90.0, "~2 min left")],
)
def test_the_time_left_is_rounded_up(seconds: float, words: str) -> None:
    assert left_words(seconds) == words
