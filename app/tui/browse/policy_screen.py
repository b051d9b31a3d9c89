"""Policy screen: all policies, the verdict of each on the selected tool, and its reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from ....widgets.labels import that_fits
from ....widgets.lists.policy_list import PolicyList, PolicyRow
from ....widgets.lists.row_list import RowList
from ....widgets.sheets import SheetView
from ...approval.policies.policy import Policy
from ...approval.policies.verdicts import Case
from ...content.text import visible
from ...protocol.tool import ToolDefinition
from .detail_screen import DetailScreen
from .policy_lines import policy_lines, policy_rows


class PolicyScreen(ModalScreen[str | None], DetailScreen):
    """Every policy with its verdict on one tool; below, the rules of the one under the cursor.

    Dismissed with the name of the policy to use, or None.

    Args:
        policies: Built-in ones, those from files, models of hosts.
        current: The name of the active policy.
        tool: The selected tool, None if there is none.
        case: Input of the policies for a call of it.
    """

    HELP = """
# Who decides

A policy says which calls run at once, which are asked about and which are refused; a host decides
as that program does. `enter` lives by the one under the cursor from now on.
"""

    CSS_PATH = "policy.tcss"
    AUTO_FOCUS = "PolicyList"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "shift+down,tab",
            "scroll_detail(1)",
            "Scroll the rules",
            show=False,
            id="policy.rules-down",
            tooltip="Scroll the rules down.",
        ),
        Binding(
            "shift+up,shift+tab",
            "scroll_detail(-1)",
            "Scroll the rules back",
            show=False,
            id="policy.rules-up",
            tooltip="Scroll the rules up.",
        ),
        Binding("escape,q", "close", "Close", id="policy.close", tooltip="Leave it as it is."),
    ]

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
        # Python takes some definitions for equal that JSON tells apart.
        is_same = given == self._shown and tool is self._tool
        self._shown = given
        if not is_same and self.is_mounted:
            self._show_rows()
            self._draw()
            self._draw_frame()

    @property
    def _policies(self) -> tuple[Policy, ...]:
        return self._shown[0]

    @property
    def _tool(self) -> ToolDefinition | None:
        return self._shown[2]

    @property
    def _case(self) -> Case | None:
        return self._shown[3]

    def compose(self) -> ComposeResult:
        with Vertical(id="policy-box"):
            yield PolicyList(id="policy-list")
            with Vertical(id="policy-detail"):
                yield SheetView(id="policy-words")

    def on_mount(self) -> None:
        box = self.query_one("#policy-box")
        self._draw_frame()
        box.border_subtitle = Content("enter live by this · shift+↓ more rules · esc close")
        self._show_rows()

    def _show_rows(self) -> None:
        policies, current, _, case = self._shown
        self.query_one(PolicyList).show(policy_rows(policies, current, case))

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._draw)
        self.call_after_refresh(self._draw_frame)

    @on(RowList.Highlighted, "#policy-list")
    def _highlighted(self, message: RowList.Highlighted[PolicyRow]) -> None:
        message.stop()
        self._draw()

    @on(RowList.Chosen, "#policy-list")
    def _chosen(self, message: RowList.Chosen[PolicyRow]) -> None:
        message.stop()
        self.dismiss(message.row.name)

    def _draw_frame(self) -> None:
        box = self.query_one("#policy-box")
        box.border_title = that_fits(box, self._titles())

    def _titles(self) -> list[Content]:
        """Titles naming the choice and the tool of the verdicts; the longest wording first."""
        words = Content.assemble(("Policy", "bold"), " that decides what is asked")
        if self._tool is None or self._case is None:
            return [words]
        about = Content.assemble((self._tool.display_name, "bold"), f", {self._case.trust.value}")
        return [
            Content.assemble(words, " · verdicts on ", about),
            Content.assemble(("Policy", "bold"), " · verdicts on ", about),
            Content.assemble("Verdicts on ", about),
        ]

    def _draw(self) -> None:
        row = self.query_one(PolicyList).highlighted
        if row is None:
            return
        policy = next(one for one in self._policies if one.name == row.name)
        self._show_detail(policy_lines(policy, self._case), about=policy.name)

    def _draw_title(self) -> None:
        row = self.query_one(PolicyList).highlighted
        if row is not None:
            title = Content.assemble((visible(row.title), "bold"), self._more)
            self.query_one("#policy-detail").border_title = title
