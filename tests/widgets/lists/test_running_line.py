"""The line of the newest running call, while an answer is being judged."""

from __future__ import annotations

from dataclasses import replace

from textual.app import App, ComposeResult

from signoff.app.calls.call import State
from signoff.widgets.lists.call_list import RunningLine
from tests.widgets.call_samples import ended, running


class Shown(App[None]):
    def compose(self) -> ComposeResult:
        yield RunningLine()


async def test_a_call_whose_answer_is_being_validated_runs_no_longer() -> None:
    app = Shown()
    async with app.run_test(size=(80, 3)) as pilot:
        line = app.query_one(RunningLine)
        validating = replace(ended(4), state=State.RUNNING)
        waiting = running(3, value=9, total=15, message="", sent_at=7.9)
        line.show([waiting, validating], 10.0)
        await pilot.pause()
        assert line.display
        assert "9/15" in line.render_line(0).text
        line.show([validating], 10.0)
        await pilot.pause()
        assert not line.display
