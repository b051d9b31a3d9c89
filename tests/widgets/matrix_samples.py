"""Rows and columns of verdicts to draw."""

from __future__ import annotations

from collections.abc import Sequence

from signoff.app.approval.policies.verdicts import Verdict, VerdictAnswer
from signoff.app.protocol.tool import ToolDefinition
from signoff.widgets.matrix.rows import GridColumn, GridRow, Pair
from tests.widgets.tool_samples import SAMPLE, definitions

RUN = Verdict(VerdictAnswer.ALLOW, ("it may",))
RUN_REVIEWED = Verdict(VerdictAnswer.ALLOW, ("it may",), reviews_result=True)
ASK = Verdict(VerdictAnswer.ASK, ("perhaps",))
ASK_WITH_WARNING = Verdict(VerdictAnswer.ASK, ("may be destructive",), strong=True)
REFUSED = Verdict(VerdictAnswer.REFUSE, ("no",))
HIDDEN = Verdict(VerdictAnswer.HIDE, ("not shown",))
UNKNOWN = Verdict(VerdictAnswer.UNKNOWN, ("nobody knows",))

TOOLS = definitions(SAMPLE)
COLUMNS = (
    GridColumn("cautious"),
    GridColumn("confirm-destructive"),
    GridColumn("allow-all"),
    GridColumn("VS Code", is_host=True),
    GridColumn("Codex", is_host=True),
    GridColumn("Copilot code review", is_host=True),
)


def both(verdict: Verdict) -> Pair:
    """The same whether the server is trusted or not."""
    return Pair(verdict, verdict)


READ_ONLY = (
    *(Pair(ASK, RUN), Pair(ASK, RUN), both(RUN)),
    *(both(RUN_REVIEWED), both(UNKNOWN), both(RUN)),
)
DESTRUCTIVE = (
    *(both(ASK_WITH_WARNING), both(ASK_WITH_WARNING), both(RUN)),
    *(both(ASK), both(REFUSED), both(HIDDEN)),
)


def rows(tools: Sequence[ToolDefinition] = TOOLS) -> list[GridRow]:
    """A row for each tool: one of two kinds, by what it claims."""
    return [GridRow(tool, DESTRUCTIVE if tool.effect.may_destroy else READ_ONLY) for tool in tools]
