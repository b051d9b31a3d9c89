"""Policy screen: all policies, the verdict of each on the selected tool, and its reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from ....widgets.bindings import bindings_of
from ....widgets.key_bar import BarKey
from ....widgets.labels import that_fits
from ....widgets.lists.policy_list import PolicyList, PolicyRow
from ....widgets.lists.row_list import Heading
from ...approval.matrix import column_title
from ...approval.policies.policy import Policy
from ...approval.policies.verdicts import Case
from ...content.text import visible
from ...content.texts.sheet_line import SheetLine
from ...presentation.policies import KINDS, mark, policy_lines
from ...protocol.tool import ToolDefinition
from ...tui.base.browser_screen import BrowserDialog
from ...tui.base.context import ScreenContext, Shown

INDENT = 11


def policy_rows(
    policies: Sequence[Policy], current: str, case: Case | None
) -> list[PolicyRow | Heading]:
    """Built-in policies, own ones and hosts, each kind under its heading."""
    rows: list[PolicyRow | Heading] = []
    for kind, label in KINDS.items():
        members = [policy for policy in policies if policy.kind is kind]
        if members:
            rows.append(Heading(label))
        rows += [_row(policy, current, case) for policy in members]
    return rows


def _row(policy: Policy, current: str, case: Case | None) -> PolicyRow:
    return PolicyRow(
        policy,
        visible(column_title(policy)),
        note=mark(policy),
        verdict=policy.judge(case) if case else None,
        is_current=policy.name == current,
    )


class PolicyScreen(BrowserDialog[PolicyRow, str]):
    """Every policy with its verdict on one tool; below, the rules of the one under the cursor.

    Dismissed with the name of the policy to use, or None.

    Args:
        policies: Built-in ones, those from files, host rules.
        current: The name of the active policy.
        tool: The selected tool, None if there is none.
        case: Input of the policies for a call of it.
    """

    ENTER_HELP = "Use this policy from now on."
    HELP = """
# Policy

A policy decides which calls run without asking, ask or are refused. A host entry uses the rules of
that program. `enter`: use the selected one from now on.
"""

    DEFAULT_CSS = """
    PolicyScreen > #box {
        width: 100%; max-width: 130; height: 100%; padding: 0; background: $background;
        border-title-color: $foreground;
    }
    PolicyScreen #detail {
        height: 45%; border-top: solid $foreground 30%; padding: 0 1;
        border-title-color: $foreground;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("policy")
    BOX_KEYS = (
        BarKey("policy.close"),
        BarKey("enter", "Use this"),
        BarKey("policy.rules-down", "", 1),
    )

    def __init__(
        self,
        policies: Sequence[Policy],
        current: str,
        tool: ToolDefinition | None = None,
        case: Case | None = None,
    ) -> None:
        super().__init__()
        self._shown = (tuple(policies), current, tool, case)

    def take(
        self,
        policies: Sequence[Policy],
        current: str,
        tool: ToolDefinition | None,
        case: Case | None,
    ) -> None:
        """Show them as they are by now; the cursor stays on its policy."""
        given = (tuple(policies), current, tool, case)
        # Some definitions are equal in Python and different in JSON.
        is_same = given == self._shown and tool is self._shown[2]
        self._shown = given
        if not is_same and self.is_mounted:
            self._show_rows()
            self.draw_detail()
            self._draw_frame()

    def compose_list(self) -> ComposeResult:
        yield PolicyList()

    def on_mount(self) -> None:
        self._draw_frame()
        self._show_rows()

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._draw_frame)

    def choose(self, row: PolicyRow) -> None:
        self.dismiss(row.policy.name)

    def describe(self, row: PolicyRow | None) -> list[SheetLine]:
        _, _, _, case = self._shown
        return list(policy_lines(row.policy, case, INDENT)) if row is not None else []

    def name_of(self, row: PolicyRow) -> str:
        return visible(row.title)

    def _show_rows(self) -> None:
        policies, current, _, case = self._shown
        self.row_list.show(policy_rows(policies, current, case))

    def _draw_frame(self) -> None:
        box = self.query_one("#box")
        box.border_title = that_fits(box, self._titles())

    def _titles(self) -> list[Content]:
        """Titles naming the choice and the tool of the verdicts; the longest wording first."""
        _, _, tool, case = self._shown
        words = Content.assemble(("Policy", "bold"), " for the next calls")
        if tool is None or case is None:
            return [words]
        about = Content.assemble((tool.display_name, "bold"), f", {case.trust.value}")
        return [
            Content.assemble(words, " · verdicts on ", about),
            Content.assemble(("Policy", "bold"), " · verdicts on ", about),
            Content.assemble("Verdicts on ", about),
        ]


def show(context: ScreenContext) -> Shown:
    """Let the user choose the active policy."""
    rulebook, engine = context.rulebook(), context.engine

    def shown() -> tuple[Sequence[Policy], str, ToolDefinition | None, Case | None]:
        tool = _tool_of_now(context)
        case = engine.case(tool) if tool is not None else None
        return context.with_current(rulebook), engine.policy.name, tool, case

    screen = PolicyScreen(*shown())
    context.screen.app.push_screen(screen, lambda name: context.live_by(rulebook, name))
    return screen, lambda: screen.take(*shown())


def _tool_of_now(context: ScreenContext) -> ToolDefinition | None:
    """The tool that was chosen, as it is listed by now."""
    chosen = context.tool
    same = [one for one in context.engine.tools if chosen and one.name == chosen.name]
    in_place = [one for one in same if chosen and one.index == chosen.index]
    return next(iter(in_place or same), None)
