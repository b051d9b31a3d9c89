"""The verdict on what stands in the form, which follows the typing and never holds it up."""

from __future__ import annotations

from collections.abc import Sequence

from textual.worker import WorkType

from ...approval.policies.verdicts import Verdict
from ...engine.engine import Bench
from ..arguments.checking import SLOW_SECONDS
from .tool_pane import ToolPane


class LiveVerdict:
    """Shows what the policy says of the arguments that a pane has checked last.

    Where its patterns and schemas have to be tried on them first, that happens in a worker, and
    newer arguments stop it.
    """

    def __init__(self, bench: Bench, pane: ToolPane) -> None:
        self._bench = bench
        self._pane = pane

    def show(self) -> None:
        """At once, if everything is known for it; else as soon as it is."""
        pane, bench = self._pane, self._bench
        if pane.tool is None:
            return
        pane.workers.cancel_group(pane, "verdict")
        if bench.is_tried(pane.tool, pane.checked):
            self._draw(bench.verdict(pane.tool, pane.checked, self._problems))
        else:
            # Not the coroutine: what is stopped before it began would never be awaited.
            work: WorkType[None] = self._show_once_tried
            pane.run_worker(work, group="verdict", exit_on_error=False)

    @property
    def _problems(self) -> Sequence[str]:
        """Where something is missing or wrong, the verdict is on a call that has it right."""
        return () if any(self._pane.form.counts) else self._pane.problems

    async def _show_once_tried(self) -> None:
        pane = self._pane
        tool, arguments = pane.tool, pane.checked
        if tool is None:
            return
        slow = pane.set_timer(SLOW_SECONDS, pane.say_judging)
        try:
            verdict = await self._bench.tried_verdict(tool, arguments, self._problems)
        finally:
            slow.stop()
        if pane.tool is tool and pane.checked is arguments:
            self._draw(verdict)

    def _draw(self, verdict: Verdict) -> None:
        pane, server = self._pane, self._bench.server
        if pane.tool is not None:
            pane.show_verdict(
                self._bench.foreseen(pane.tool, pane.checked, self._problems, verdict),
                server.trust,
                is_open=server.is_open,
                overrides=self._bench.overrides(pane.tool),
            )
