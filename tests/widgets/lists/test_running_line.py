"""The line of the newest running call, while an answer is being judged."""

from __future__ import annotations

from dataclasses import replace

from signoff.app.calls.call import State
from signoff.widgets.lists.call_list import RunningLine
from tests.showing import showing
from tests.widgets.call_samples import ended, running


async def test_a_call_whose_answer_is_being_validated_runs_no_longer() -> None:
    async with showing(RunningLine(), size=(80, 3)) as stage:
        line = stage.widget
        validating = replace(ended(4), state=State.RUNNING)
        waiting = running(3, value=9, total=15, message="", sent_at=7.9)
        line.show([waiting, validating], 10.0)
        await stage.pilot.pause()
        assert line.display
        assert "9/15" in line.render_line(0).text
        line.show([validating], 10.0)
        await stage.pilot.pause()
        assert not line.display
