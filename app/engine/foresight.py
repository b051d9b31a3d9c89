"""What would be said of calls that nobody has made yet, or not once more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..protocol.requests import ToolCall

if TYPE_CHECKING:
    from ..approval.policies.verdicts import Case, Verdict
    from ..approval.trusting import TrustEffect
    from ..calls.call import Call
    from ..calls.retries import Advice
    from ..content.json.jsonio import JsonValue
    from ..protocol.tool import ToolDefinition
    from .surroundings import Surroundings


class Foresight:
    """The verdicts that a bench can tell beforehand. What judges is imported with the first."""

    def trust_effect(self: Surroundings) -> TrustEffect:
        """What trusting the server changes for the tools that it lists."""
        from .judging import trust_effect

        return trust_effect(self, self.definitions.tools)

    def verdict(
        self: Surroundings,
        tool: ToolDefinition,
        arguments: Mapping[str, JsonValue] | None = None,
        problems: Sequence[str] = (),
    ) -> Verdict:
        """What the policy says of a tool; `problems`: how the arguments break its schema."""
        from .judging import first_verdict

        return first_verdict(self, ToolCall(tool), arguments, problems)

    async def tried_verdict(
        self: Surroundings,
        tool: ToolDefinition,
        arguments: Mapping[str, JsonValue] | None,
        problems: Sequence[str],
    ) -> Verdict:
        """`verdict`, once the policy's patterns and schemas were tried on the arguments."""
        from .judging import tried_verdict

        return await tried_verdict(self, ToolCall(tool), arguments, problems)

    def foreseen(
        self: Surroundings,
        tool: ToolDefinition,
        arguments: Mapping[str, JsonValue] | None,
        problems: Sequence[str],
        verdict: Verdict,
    ) -> Verdict:
        """The verdict, or what a remembered approval makes of it."""
        from .judging import foreseen

        return foreseen(self, ToolCall(tool), arguments, problems, verdict)

    def case(
        self: Surroundings,
        tool: ToolDefinition,
        arguments: Mapping[str, JsonValue] | None = None,
        problems: Sequence[str] = (),
    ) -> Case:
        """What the policy knows of a call."""
        from .judging import case_of

        return case_of(self, ToolCall(tool), arguments, problems)

    def is_tried(
        self: Surroundings, tool: ToolDefinition, arguments: Mapping[str, JsonValue] | None
    ) -> bool:
        """Whether the verdict is the last word; `tried` sees to it that it becomes so."""
        from .judging import case_of, open_trials

        if arguments is None:
            return True
        case = case_of(self, ToolCall(tool), arguments, ())
        return self.trials.are_known(open_trials(self, case))

    async def tried(
        self: Surroundings,
        tool: ToolDefinition,
        arguments: Mapping[str, JsonValue] | None = None,
        problems: Sequence[str] = (),
    ) -> Case:
        """`case`, once the policy's patterns and schemas were tried on the arguments."""
        from .judging import case_of, tried

        return await tried(self, case_of(self, ToolCall(tool), arguments, problems))

    def advice(self: Surroundings, call: Call) -> Advice:
        """Whether the call is offered for a retry, and why."""
        from ..calls.retries import advise
        from .judging import first_verdict

        request = self.definitions.current(call)
        verdict = first_verdict(self, request, call.snapshot.arguments())
        return advise(call, request.definition, self.server.trust, verdict)

    async def advised(self: Surroundings, call: Call) -> Advice:
        """`advice`, once the policy's patterns and schemas were tried on the arguments."""
        from .judging import case_of, tried

        case = case_of(self, self.definitions.current(call), call.snapshot.arguments(), ())
        await tried(self, case)
        return Foresight.advice(self, call)
