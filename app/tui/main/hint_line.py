"""The hint line of the main screen: a first step with this server; gone after the first call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from ....widgets.keys import way_to
from ....widgets.labels import say
from ...approval.policies.verdicts import VerdictAnswer
from ...content.text import visible
from ...engine.engine import Engine
from ...protocol.hints import Effect
from ...protocol.tool import ToolDefinition

KEYS: Mapping[str, str] = {
    "call": "main.call",
    "filter": "main.filter",
    "tour": "main.tour",
}
"""Verbs of the line with the ids of their bindings: it shows the keys in use."""
MOST_JUDGED = 2_000
"""Longest list whose asking tools are counted: judging more would hold up the screen."""


class HintLine(Static):
    """One line; it hides itself if it is empty."""

    DEFAULT_CSS = """
    HintLine { height: 1; padding: 0 1; color: $foreground; text-style: bold; display: none; }
    HintLine.-said { display: block; }
    """

    def __init__(self, *, is_bundled: bool) -> None:
        super().__init__(markup=False, id="first")
        self._is_bundled = is_bundled
        self._wordings: tuple[str, ...] = ()
        self._tour_key = ""

    def on_mount(self) -> None:
        self.watch(self.screen, "focused", self._draw, init=False)

    def show(self, engine: Engine) -> None:
        """Show the hint for the current trust and policy; nothing once there was a call."""
        self._tour_key = keys_of(self.screen).get("tour", "")
        self._wordings = () if engine.calls else self._words(engine)
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        self._draw()

    def _words(self, engine: Engine) -> tuple[str, ...]:
        tools, keys = engine.tools[:MOST_JUDGED], keys_of(self.screen)
        if not tools or len(engine.tools) > MOST_JUDGED:
            return ()
        if self._is_bundled:
            says = {one.name: engine.verdict(one).answer for one in tools}
            return lesson_words(tools, keys, says)
        return server_words((engine.verdict(one).answer for one in tools), keys)

    def _draw(self) -> None:
        width = self.app.size.width - 2
        # In a text field the key of the tour is a letter.
        key = self._tour_key
        way = way_to(key, self.screen.focused) if key else ""
        wordings = [one.replace(f"{key}: tour", f"{way}: tour") for one in self._wordings]
        fitting = [one for one in wordings if cell_len(one) <= width]
        words = fitting[0] if fitting else ""
        self.set_class(bool(words), "-said")
        say(self, Content(visible(words)))


def keys_of(screen: Screen[object]) -> dict[str, str]:
    """The key of each verb that the line names, as the footer shows it; without those that are
    bound to nothing."""
    ids = {identity: verb for verb, identity in KEYS.items()}
    found: dict[str, str] = {}
    for key in screen._bindings.key_to_bindings.values():
        for binding in key:
            verb = ids.get(binding.id or "")
            if verb is not None and verb not in found:
                found[verb] = screen.app.get_key_display(binding)
    return found


_GENTLE: Final = ("calculate_sum", "add")
_HARMFUL: Final = ("delete_file",)
_MEANS: Final[Mapping[VerdictAnswer, tuple[str, str]]] = {
    VerdictAnswer.ALLOW: ("runs", "run"),
    VerdictAnswer.ASK: ("asks first", "ask first"),
    VerdictAnswer.JUDGE: ("is judged by a model", "are judged by a model"),
    VerdictAnswer.UNKNOWN: ("has no known verdict", "have no known verdict"),
    VerdictAnswer.REFUSE: ("is refused", "are refused"),
    VerdictAnswer.HIDE: ("is hidden", "are hidden"),
}


def lesson_words(
    tools: Sequence[ToolDefinition], keys: Mapping[str, str], says: Mapping[str, VerdictAnswer]
) -> tuple[str, ...]:
    """The line for the bundled server, the longest wording first.

    `keys` are those of `call`, `filter` and, if there is one, `tour`; `says` is the policy's
    verdict on a tool by its name.
    """
    call, find, tour = keys.get("call", ""), keys.get("filter", ""), keys.get("tour", "")
    found = (
        _example(tools, _GENTLE, (Effect.READ_ONLY,)),
        _example(tools, _HARMFUL, (Effect.DESTRUCTIVE,)),
    )
    examples = [one for one in found if one is not None]
    start = f"New here? {tour}: tour (5 min)." if tour else ""
    if not examples or not call:
        return (start,) if start else ()
    short = " or ".join(f"{one.name} ({_means(says, one)})" for one in examples)
    either = "Or " if start else ""
    how = f"{find}, type {short}" if find else f"choose {short}"
    wordings = (
        f"{start} {either}{how}, enter, fill in, {call}.",
        f"{start} {either}enter on a tool, fill it in, {call}.",
        f"{tour}: tour · enter, {call}: call" if tour else f"enter, {call}: call",
    )
    return tuple(one.strip() for one in wordings)


def server_words(answers: Iterable[VerdictAnswer], keys: Mapping[str, str]) -> tuple[str, ...]:
    """The line for any other server: how a call is made, and how many of its tools will ask."""
    call = keys.get("call", "")
    counts = Counter(_MEANS[one][1] for one in answers)
    total = sum(counts.values())
    if not total or not call:
        return ()
    if len(counts) == 1:
        (plural,) = counts
        singular = next(one for one, other in _MEANS.values() if other == plural)
        told = f"the only one {singular}" if total == 1 else f"all {total:,} {plural}"
    else:
        told = ", ".join(
            f"{count:,} {words if count > 1 else _singular(words)}"
            for words, count in counts.most_common()
        )
    return (
        f"Choose a tool, enter, fill in, {call} calls it: {told}",
        f"Enter fills in, {call} calls: {told}",
        f"{call} calls: {told}",
    )


def _example(
    tools: Sequence[ToolDefinition], names: Sequence[str], effects: Sequence[Effect]
) -> ToolDefinition | None:
    """One of these tools, else the first with such an effect whose name is plain."""
    by_name = {one.name: one for one in tools if one.effect in effects}
    known = [by_name[name] for name in names if name in by_name]
    return next(iter([*known, *by_name.values()]), None)


def _means(says: Mapping[str, VerdictAnswer], tool: ToolDefinition) -> str:
    return _MEANS[says.get(tool.name, VerdictAnswer.UNKNOWN)][0]


def _singular(plural: str) -> str:
    return next(one for one, other in _MEANS.values() if other == plural)
