"""The tour panel on the main screen: keeps the progress, notices finished parts, moves the focus.

It observes the engine and the open screens, and changes neither: the steps are done with the keys
of the main screen, and the dialogs in between are the real ones.

`obstacle` explains why a step cannot be done now, and the remedy.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Mapping

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.widget import Widget

from ....widgets.keys import RESTART_KEY, is_text
from ....widgets.tour_panel import TourPanel
from ...approval.approval import BY_REMEMBERED_APPROVAL, BY_REMEMBERED_DENIAL, DecisionAnswer
from ...approval.policies.policy import BUILT_IN_NAMES, Policy
from ...calls.call import Outcome
from ...content.text import sentence, visible
from ...engine.engine import Engine
from ...engine.policy_state import read_rulebook
from .course import Course, StepPhase, TourStep, begin
from .list_screen import BEGIN_ANEW, TourListScreen, tour_words
from .progress import load_tour, save_tour
from .scene import Scene, scene_of
from .steps import STEPS

STUCK_SECONDS = 45.0
"""Seconds without a step forward, after which the hint is shown automatically."""


def obstacle(step: TourStep, scene: Scene) -> str:
    """One sentence about the newest obstacle; empty if there is none."""
    if not scene.is_open:
        return f"The server is gone. {RESTART_KEY}: restart."
    missing = [name for name in step.tools if name not in scene.tools]
    if missing:
        return f"This server has no tool {missing[0]}. Run signoff tour for the bundled server."
    calls = [call for call in scene.calls if call.is_over and call.request.name in step.tools]
    if calls:
        last = calls[-1]
        decision = last.decision
        if last.outcome is Outcome.TOOL_ERROR:
            return f"{last.request.display_name} returned an error: read it and fix the arguments."
        if last.outcome is Outcome.OK and step.id == "progress" and not last.cancel_requested:
            return "It finished first. Press f5, approve, then ctrl+x while it runs."
        if last.outcome is Outcome.NOT_SENT:
            return f"It was not sent: {sentence(visible(last.reason))} Call it again."
        if decision is not None and decision.by == BY_REMEMBERED_APPROVAL:
            return "It ran because of an earlier approval of yours. f10: revoke it."
        if decision is not None and decision.for_session:
            return "You denied it for this session. Revoke that with f10, then press f5."
        if decision is not None and decision.by == BY_REMEMBERED_DENIAL:
            return "It was refused: you denied it for this session. f10: revoke that."
        if decision is not None and decision.by == "policy":
            if decision.answer is DecisionAnswer.DENY:
                refused = f"It was refused: {sentence(visible(decision.reason))}"
                return f"{refused} f10 and ctrl+o change that."
            if scene.policy.name != BUILT_IN_NAMES[0]:
                return _other_policy(scene)
    if scene.policy.name != BUILT_IN_NAMES[0] and not calls:
        return _other_policy(scene)
    return ""


def _other_policy(scene: Scene) -> str:
    name = visible(scene.policy.shown_name)
    return f"The policy is {name}, but the tour needs cautious. ctrl+o: change it."


KEYS_SHOWN = 5
SETTLING_SECONDS = 0.25
"""Seconds from the end of a step until its result takes the focus: the bench goes to the response
first. A key pressed in that time keeps the focus."""
TYPING_SECONDS = 1.5
"""A letter typed so recently keeps it as well."""
_SHORT = {"escape": "esc"}


class TourDock(Container):
    """Holds the panel and the course.

    Args:
        engine: The engine that the steps are done on.
        go_back: Puts the focus on the main screen, if the widget that had it is gone.
        is_presenting: Large and slow, for an audience.
        keeps: Whether the progress is saved for the next run.
        clock: Monotonic seconds.
    """

    DEFAULT_CSS = "TourDock { height: auto; }"

    class Left(Message):
        """The tour was left."""

    def __init__(
        self,
        engine: Engine,
        go_back: Callable[[], None],
        *,
        is_presenting: bool = False,
        keeps: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._engine = engine
        self._go_back = go_back
        self._is_presenting = is_presenting
        self._keeps = keeps
        self._clock = clock
        self._course = begin(STEPS)
        self._since = 0
        self._screens: set[str] = set()
        self._hosts: Mapping[str, Policy] = {}
        self._wants_hint = False
        self._moved_at = 0.0
        self._before: Widget | None = None
        self._heard: deque[str] = deque(maxlen=KEYS_SHOWN)
        self._due = math.inf
        """When the result takes the focus."""
        self._typed_at = -math.inf

    @property
    def course(self) -> Course:
        return self._course

    @property
    def panel(self) -> TourPanel:
        return self.query_one(TourPanel)

    def compose(self) -> ComposeResult:
        yield TourPanel(is_presenting=self._is_presenting)

    def on_mount(self) -> None:
        rulebook = read_rulebook()
        self._hosts = {host.name: host for host in rulebook.hosts}
        if self._keeps:
            kept = load_tour(step.id for step in STEPS)
            self._course = begin(STEPS, kept.at, kept.done, kept.guesses)
            if kept.problem:
                words = f"The saved progress cannot be used: {sentence(kept.problem)}"
                self._say(words, "The tour starts over")
        self.app.screen_change_signal.subscribe(self, self._note_screen)
        self._open(self._course.at)

    def enter(self) -> None:
        """Give the panel the focus, or return the focus to its former widget."""
        if self.panel.has_focus:
            self._give_back()
        else:
            self._take_focus()

    def look(self) -> None:
        """Notice finished parts; cheap, and called often."""
        if not self.is_mounted or not self.query(TourPanel):
            return
        course = self._course.looked(self._scene())
        if course is not self._course:
            if course.attempt.parts_done != self._course.attempt.parts_done:
                self._moved_at, self._wants_hint = self._clock(), False
            is_news = (course.done, course.guesses) != (self._course.done, self._course.guesses)
            is_told = course.attempt.phase is StepPhase.TOLD is not self._course.attempt.phase
            self._course = course
            if is_news:
                self._save()
            if is_told and self._clock() - self._typed_at > TYPING_SECONDS:
                self._due = self._clock() + SETTLING_SECONDS
        # What lies over the bench, a question above all, is left alone.
        if self._clock() > self._due and self.screen.is_active:
            self._due = math.inf
            self._take_focus()
        self._draw()

    def hear(self, key: str, character: str | None) -> None:
        """Take a key pressed on the main screen; for an audience, all but letters are shown."""
        is_letter = character is not None and character.isprintable()
        self._due = math.inf
        if is_letter and self._is_typing():
            self._typed_at = self._clock()
            if self.query(TourPanel):
                self.panel.put_away()
        elif key.startswith(("f", "ctrl+")) and not is_letter:
            # A command, the call above all, ends the typing.
            self._typed_at = -math.inf
        if self._is_presenting and not is_letter:
            self._heard.append(_SHORT.get(key, key))
            if self.query(TourPanel):
                self.panel.show_keys(tuple(self._heard))

    @on(TourPanel.Guessed)
    def _guessed(self, message: TourPanel.Guessed) -> None:
        message.stop()
        self._course = self._course.guessed(message.choice)
        self._moved_at = self._clock()
        self.look()
        self._save()
        if self._course.attempt.phase is StepPhase.DO:
            self._give_back()

    @on(TourPanel.Wanted)
    def _wanted(self, message: TourPanel.Wanted) -> None:
        message.stop()
        at, phase = self._course.at, self._course.attempt.phase
        match message.verb:
            case "next" if phase is StepPhase.TOLD:
                self._go_on()
            case "next" if phase is StepPhase.GUESS:
                self._say("Guess first: press its number. s: skip the step.")
            case "next":
                self._say("This is not done yet. h: hint, s: skip the step.")
            case "skip":
                self._go_on()
            case "back":
                self._open(at - 1)
            case "list":
                self.app.push_screen(TourListScreen(self._course), self._picked)
            case "hint":
                self._wants_hint = True
                self._draw()
            case "fold":
                self.panel.put_away()
                self._give_back()
            case "leave":
                self._leave()

    def _picked(self, at: int | None) -> None:
        if at == BEGIN_ANEW:
            self._course = begin(STEPS)
            self._open(0)
        elif at is not None:
            self._open(at)

    def _go_on(self) -> None:
        """The next step; after the last one those that are left."""
        if self._course.at + 1 < len(STEPS):
            self._open(self._course.at + 1)
        else:
            self.app.push_screen(TourListScreen(self._course), self._picked)

    def _open(self, at: int) -> None:
        self._course = self._course.opened(at)
        self._since = max(self._engine.calls, default=0)
        self._screens.clear()
        self._wants_hint = False
        self._moved_at = self._clock()
        self._save()
        self._draw()
        self._take_focus()

    def _leave(self) -> None:
        self._save()
        self._give_back()
        self.post_message(self.Left())

    def _take_focus(self) -> None:
        focused = self.screen.focused
        if focused is not self.panel:
            self._before = focused
        self.screen.set_focus(self.panel)

    def _give_back(self) -> None:
        before = self._before
        if before is not None and before.is_attached and before.region.height and before.focusable:
            self.screen.set_focus(before)
        else:
            self._go_back()

    def _note_screen(self, screen: object) -> None:
        self._screens.add(type(self.app.screen).__name__)

    def _scene(self) -> Scene:
        return scene_of(self._engine, self._since, self._hosts, self._screens)

    def _draw(self) -> None:
        attempt, hint = self._course.attempt, ""
        if attempt.phase is StepPhase.DO and attempt.part is not None:
            is_stuck = self._clock() - self._moved_at > STUCK_SECONDS
            in_the_way = obstacle(attempt.step, self._scene())
            hint = in_the_way or (attempt.part.hint if self._wants_hint or is_stuck else "")
        key = "alt+t" if self._is_typing() else "T"
        self.panel.show(tour_words(self._course, hint, key))

    def _is_typing(self) -> bool:
        """True if a letter would be text where the focus is."""
        return is_text("T", self.screen.focused)

    def _save(self) -> None:
        if self._keeps:
            course = self._course
            problem = save_tour(course.attempt.step.id, course.done, course.guesses)
            if problem:
                self._keeps = False
                self._say(f"The tour progress cannot be saved: {sentence(problem)}", "Tour")

    def _say(self, words: str, title: str = "") -> None:
        self.notify(words, title=title, timeout=6, markup=False)
