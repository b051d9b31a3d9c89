"""Values of the running program, since a step was opened: the goals of the tour need them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field

from ...approval.approval import DecisionAnswer
from ...approval.policies.policy import Policy
from ...calls.call import Call, Outcome
from ...content.frozen import frozen
from ...engine.engine import Engine
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition

ANSWERED = (Outcome.OK, Outcome.TOOL_ERROR)


@frozen
class Scene:
    """The engine's current values. `calls`: those begun since the step was opened, oldest first."""

    tools: Mapping[str, ToolDefinition]
    """By exact name, as the server lists them."""
    calls: tuple[Call, ...]
    trust: Trust
    policy: Policy
    hosts: Mapping[str, Policy] = field(default_factory=dict)
    """Host rules, by name."""
    screens: frozenset[str] = frozenset()
    """Names of the classes of the screens that were opened over the bench since then."""
    server: str = ""
    """The configured name."""
    is_open: bool = True
    """Whether the server is connected."""

    def of(self, tool: str) -> Iterator[Call]:
        """The calls of one tool, oldest first."""
        return (call for call in self.calls if call.request.name == tool)

    def newest(self, tool: str) -> Call | None:
        found = tuple(self.of(tool))
        return found[-1] if found else None


Goal = Callable[[Scene], bool]
"""Whether what a step asks for was really done."""


def was_asked(call: Call) -> bool:
    """True if a person answered the question about a call."""
    return call.decision is not None and call.decision.by == "you"


def was_approved_by_hand(call: Call) -> bool:
    return (
        call.decision is not None
        and was_asked(call)
        and call.decision.answer is DecisionAnswer.APPROVE
    )


def was_answered(call: Call) -> bool:
    """True if the server answered it, well or with isError, and the answer may be seen."""
    return call.is_over and call.sent and call.outcome in ANSWERED and not call.withheld


def answered(tool: str, *, times: int = 1) -> Goal:
    """The tool was called so often and answered without an error."""

    def is_done(scene: Scene) -> bool:
        found = (call for call in scene.of(tool) if was_answered(call))
        return sum(call.outcome is Outcome.OK for call in found) >= times

    return is_done


def denied(tool: str) -> Goal:
    """A person saw the dialog for a call of the tool and did not approve it."""

    def is_done(scene: Scene) -> bool:
        return any(
            call.is_over and was_asked(call) and call.outcome is Outcome.DENIED
            and call.decision is not None
            and call.decision.answer is DecisionAnswer.DENY
            for call in scene.of(tool)
        )  # fmt: skip

    return is_done


def approved(tool: str) -> Goal:
    """A person approved a call of the tool, and it was answered."""
    return lambda scene: any(
        was_approved_by_hand(call) and was_answered(call) for call in scene.of(tool)
    )


def decided(tool: str) -> Goal:
    """A person saw the dialog for a call of the tool and decided, either way."""
    return lambda scene: any(call.is_over and was_asked(call) for call in scene.of(tool))


def edited(tool: str) -> Goal:
    """A question about the tool was sent back to the form."""
    return lambda scene: any(_is_edit(call) for call in scene.of(tool))


def approved_after_edit(tool: str) -> Goal:
    """After that a call of the tool with other arguments was approved and answered."""

    def is_done(scene: Scene) -> bool:
        edits = [call for call in scene.of(tool) if _is_edit(call)]
        return bool(edits) and any(
            call.id > edits[0].id
            and was_approved_by_hand(call)
            and was_answered(call)
            and call.snapshot.arguments() != edits[0].snapshot.arguments()
            for call in scene.of(tool)
        )

    return is_done


def decided_after(tool: str, other: str) -> Goal:
    """A person decided on a call of the tool that was begun after `other` had been answered."""

    def is_done(scene: Scene) -> bool:
        changes = [call.id for call in scene.of(other) if was_answered(call)]
        return bool(changes) and any(
            call.id > changes[0] and call.is_over and was_asked(call) for call in scene.of(tool)
        )

    return is_done


def asked_untrusted(tool: str) -> Goal:
    """A person decided on a call of the tool while the server is not trusted."""
    return lambda scene: (
        scene.trust is Trust.UNTRUSTED
        and any(call.is_over and was_asked(call) for call in scene.of(tool))
    )


def trust_is(trust: Trust) -> Goal:
    return lambda scene: scene.trust is trust


def runs(tool: str, least: float = 1) -> Goal:
    """A call of the tool is running and has reported progress of at least so much."""
    return lambda scene: any((call.progress.value or 0) >= least for call in scene.of(tool))


def cancelled(tool: str) -> Goal:
    """The user cancelled a call of the tool after it was sent, and the call is over."""
    return lambda scene: any(
        call.sent and call.cancel_requested and call.is_over for call in scene.of(tool)
    )


def turned_page(tool: str) -> Goal:
    """A further page of the tool's answer was asked for and came."""
    return lambda scene: any(
        call.page is not None and was_answered(call) for call in scene.of(tool)
    )


def same_key_twice(tool: str, key: str) -> Goal:
    """Two calls of the tool with the same value under `key` were answered."""
    return lambda scene: same_key_calls(scene, tool, key) is not None


def same_key_calls(scene: Scene, tool: str, key: str) -> tuple[Call, Call] | None:
    """The first two answered calls of the tool that have the same value under `key`."""
    seen: dict[str, Call] = {}
    for call in scene.of(tool):
        value = call.snapshot.arguments().get(key)
        if not was_answered(call) or not isinstance(value, str) or not value:
            continue
        if value in seen:
            return seen[value], call
        seen[value] = call
    return None


def opened(screen: str) -> Goal:
    """A screen was opened over the main screen; `screen` is the name of its class."""
    return lambda scene: screen in scene.screens


def _is_edit(call: Call) -> bool:
    return (
        call.is_over
        and call.decision is not None
        and call.decision.answer is DecisionAnswer.EDIT
        and was_asked(call)
    )


def scene_of(
    engine: Engine, since: int, hosts: Mapping[str, Policy], screens: Iterable[str]
) -> Scene:
    """`since`: the last call from before the step; `screens`: those that were open in it."""
    return Scene(
        tools={tool.name: tool for tool in engine.tools},
        calls=tuple(call for at, call in engine.calls.items() if at > since),
        trust=engine.server.trust,
        policy=engine.policy,
        hosts=hosts,
        screens=frozenset(screens),
        server=engine.server.name,
        is_open=engine.server.is_open,
    )
