"""What hosts do before they run the tool, in a question without a screen."""

from __future__ import annotations

from dataclasses import replace

from signoff.app.approval.approval import Decision, deny
from signoff.app.approval.questions.questions import AboutCall, Question
from signoff.app.cli.approving.elsewhere import HostsElsewhere
from signoff.app.cli.approving.question_text import question_lines
from signoff.app.engine.session_config import Target
from tests.engine.opened import opened


class Notes:
    """An approver that denies, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[AboutCall] = []

    async def ask(self, question: Question) -> Decision:
        assert isinstance(question, AboutCall)
        self.asked.append(question)
        return deny("you")


async def test_a_question_about_a_call_has_a_line_about_hosts() -> None:
    async with opened() as one:
        notes = Notes()
        one.engine.approver = notes
        await one.call("delete_thing", name="a")
        (question,) = notes.asked
        elsewhere = HostsElsewhere(one.engine, Target("test", ("server",)))
        groups = await elsewhere.groups(question)
        assert groups == await elsewhere.groups(question)
        lines = question_lines(replace(question, elsewhere=groups))
    (said,) = [line for line in lines if line.startswith("elsewhere")]
    assert "VS Code" in " ".join(lines[lines.index(said) :])
    assert not any(line.startswith("elsewhere") for line in question_lines(question))
