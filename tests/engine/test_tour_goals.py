"""What ticks a step of the tour, by calls of the real bundled server."""

from __future__ import annotations

import pytest

from signoff.app.approval.approval import Decision, DecisionAnswer
from signoff.app.approval.questions.questions import Question
from signoff.app.calls.call import Outcome
from signoff.app.cli.targets.targets import demo_command
from signoff.app.features.tour import quizzes, scene
from signoff.app.features.tour.dock import obstacle
from signoff.app.features.tour.scene import Goal, Scene
from signoff.app.features.tour.steps import STEPS
from signoff.app.protocol.server import Trust
from tests.engine.opened import Approves, Denies, Opened, opened

FILE = {"path": "notes/todo.txt"}


class Edits:
    """Sends every question back to the form."""

    async def ask(self, question: Question) -> Decision:
        return Decision(DecisionAnswer.EDIT, "you")


def seen(on: Opened, since: int = 0) -> Scene:
    engine = on.engine
    return Scene(
        tools={tool.name: tool for tool in engine.tools},
        calls=tuple(call for at, call in engine.calls.items() if at > since),
        trust=engine.server.trust,
        policy=engine.policy,
        server=engine.server.name,
        is_open=engine.server.is_open,
    )


def holding(now: Scene, **goals: Goal) -> set[str]:
    return {name for name, goal in goals.items() if goal(now)}


ABOUT_A_FILE = {
    "denied": scene.denied("delete_file"),
    "approved": scene.approved("delete_file"),
    "decided": scene.decided("delete_file"),
    "edited": scene.edited("delete_file"),
    "answered": scene.answered("delete_file"),
}


@pytest.mark.slow
async def test_yes_no_and_edit_tick_what_they_are() -> None:
    async with opened(argv=demo_command(), trust=Trust.TRUSTED) as on:
        assert holding(seen(on), **ABOUT_A_FILE) == set()
        on.engine.approver = Edits()
        await on.call("delete_file", **FILE)
        assert holding(seen(on), **ABOUT_A_FILE) == {"edited", "decided"}
        on.engine.approver = Approves()
        last = (await on.call("delete_file", **FILE)).id
        assert holding(seen(on, last - 1), **ABOUT_A_FILE) == {"approved", "decided", "answered"}
        assert not scene.approved_after_edit("delete_file")(seen(on))
        await on.call("delete_file", path="drafts/letter.txt")
        assert scene.approved_after_edit("delete_file")(seen(on))
        on.engine.approver = Denies()
        last = (await on.call("delete_file", path="notes/ideas.md")).id
        assert holding(seen(on, last - 1), **ABOUT_A_FILE) == {"denied", "decided"}
        # What is refused for the session was asked of nobody.
        refused = await on.call("delete_file", path="notes/ideas.md")
        assert holding(seen(on, last), **ABOUT_A_FILE) == set()
        assert refused.outcome is Outcome.DENIED
        step = next(one for one in STEPS if one.id == "deny")
        assert "f10" in obstacle(step, seen(on, last))


async def test_what_a_policy_let_run_was_not_approved_by_hand() -> None:
    async with opened(argv=demo_command(), trust=Trust.TRUSTED) as on:
        await on.call("read_settings")
        now = seen(on)
        assert scene.answered("read_settings")(now)
        assert not scene.approved("read_settings")(now)
        assert not scene.decided("read_settings")(now)
        assert not scene.asked_untrusted("read_settings")(now)
        told = quizzes.signoff_does("?", "read_settings").tell(now)
        assert told is not None
        assert told.right == 0
        on.engine.set_trust(Trust.UNTRUSTED)
        on.engine.approver = Denies()
        await on.call("read_settings")
        assert scene.asked_untrusted("read_settings")(seen(on))


@pytest.mark.slow
async def test_the_same_key_twice_and_the_answers_tell_how_often_it_was_sent() -> None:
    async with opened(argv=demo_command(), trust=Trust.TRUSTED) as on:
        on.engine.approver = Approves()
        goal = scene.same_key_twice("slack_send_message", "idempotencyKey")
        message = {"channel": "#general", "text": "Lunch?"}
        await on.call("slack_send_message", **message)
        await on.call("slack_send_message", **message)
        assert not goal(seen(on))
        for key in ("a", "b"):
            await on.call("slack_send_message", **message, idempotencyKey=key)
        assert not goal(seen(on))
        await on.call("slack_send_message", **message, idempotencyKey="a")
        assert goal(seen(on))
        told = quizzes.key_protects("slack_send_message", "idempotencyKey").tell(seen(on))
        assert told is not None
        assert told.right == 0
        assert "Duplicate request" in told.why


@pytest.mark.slow
async def test_a_promise_is_judged_by_the_answer_that_came() -> None:
    async with opened(argv=demo_command(), trust=Trust.TRUSTED) as on:
        on.engine.approver = Approves()
        for name, right in (
            ("generate_fantasy_character", 0),
            ("generate_fantasy_character_broken", 1),
            ("calculate_sum", 2),
        ):
            await on.call(name, **({"a": 1, "b": 2} if name == "calculate_sum" else {}))
            told = quizzes.keeps_schema(name).tell(seen(on))
            assert told is not None, name
            assert told.right == right


async def test_a_server_that_is_gone_and_tools_that_are_not_there_are_said() -> None:
    async with opened() as on:
        assert "signoff tour" in obstacle(STEPS[0], seen(on))
        on.engine.link.kill()
        await on.watch.until(lambda: not on.engine.server.is_open)
        assert "shift+f5: restart" in obstacle(STEPS[0], seen(on))
