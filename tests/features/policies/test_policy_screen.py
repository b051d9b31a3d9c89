from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from textual.app import App
from textual.geometry import Offset

from signoff.app.approval.policies.policy import Policy
from signoff.app.approval.policies.policy_text import built_ins, read_policy
from signoff.app.approval.policies.verdicts import Case
from signoff.app.features.policies.screen import PolicyScreen
from signoff.app.hosts.rules import host_names, read_host
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool import ToolDefinition
from signoff.widgets.lists.policy_list import PolicyList
from signoff.widgets.lists.row_list import Heading
from signoff.widgets.sheets import SheetView
from tests.approved import approved
from tests.tiers import first_quick
from tests.tui.screen_stage import ScreenStage
from tests.widgets.tool_samples import HOSTILE, SAMPLE, assert_inert, definitions, entry

PROSE = approved("tui-browse")
TOOLS = {tool.name: tool for tool in definitions(SAMPLE)}
OWN = read_policy(
    """
name = "team"
summary = "What our team agreed on."
[[rule]]
name = "scratch"
tool = "scratch_*"
then = "allow"
reason = "it is only scratch"
[[rule]]
name = "our files"
tool = "delete_*"
then = "refuse"
reason = "we delete by hand"
""",
    "team.toml",
)
POLICIES = (*built_ins(), OWN, *(read_host(name) for name in host_names()))


@dataclass
class Stage(ScreenStage):
    answers: list[str | None] = field(default_factory=list)

    @property
    def list(self) -> PolicyList:
        return self.screen.query_one(PolicyList)

    @property
    def detail(self) -> str:
        """All that is said about the policy under the cursor."""
        return self.whole("SheetView")

    @property
    def title(self) -> str:
        return self.frame("#box").split("\n")[0]

    @property
    def at(self) -> str:
        """The name of the policy under the cursor."""
        assert self.list.highlighted is not None
        return self.list.highlighted.policy.name

    def line(self, word: str) -> str:
        return next(line for line in self.text.splitlines() if word in line)

    async def go_to(self, name: str) -> None:
        for _ in range(len(POLICIES)):
            if self.at == name:
                return
            await self.press("down")
        raise AssertionError(f"no {name}")


@asynccontextmanager
async def stage(
    tool: ToolDefinition | None = TOOLS["delete_file"],
    current: str = "cautious",
    policies: tuple[Policy, ...] = POLICIES,
    *,
    trust: Trust = Trust.UNTRUSTED,
    size: tuple[int, int] = (120, 36),
) -> AsyncIterator[Stage]:
    app: App[None] = App()
    case = Case(tool, trust, "demo") if tool else None
    async with app.run_test(size=size) as pilot:
        screen = PolicyScreen(policies, current, tool, case)
        scene = Stage(app, pilot)
        app.push_screen(screen, scene.answers.append)
        await pilot.pause()
        yield scene


async def test_every_policy_stands_under_its_kind_with_its_verdict() -> None:
    async with stage() as scene:
        headings = [row.label for row in scene.list._rows if isinstance(row, Heading)]
        PROSE.holds("policy: kinds", "\n".join(headings))
        PROSE.holds("policy: title", scene.title)
        assert scene.line("● cautious").split()[2:4] == ["cautious", "ASK"]
        assert "ref" in scene.line("team")
        assert "team.toml" in scene.line("team")
        assert f"read on {read_host('codex').date}" in scene.line("Codex")
        await scene.go_to("team")
        PROSE.holds("policy: which rule matches", scene.detail)
        await scene.press("escape")
        assert scene.answers == [None]


async def test_what_runs_everything_is_marked_loudly_by_sign_and_words() -> None:
    async with stage(current="codex", size=(80, 24)) as scene:
        assert scene.at == "codex"
        assert "› ● Codex" in scene.text
        await scene.press("home")
        await scene.go_to("allow-all")
        assert "! allow-all" in scene.text
        assert "NEVER ASKS" in scene.line("allow-all")
        PROSE.holds("policy: never asks", scene.detail)


async def test_rules_that_are_not_reached_and_no_rule_that_matches() -> None:
    async with stage(TOOLS["calculate_sum"]) as scene:
        assert "not reached" in scene.text
        await scene.go_to("team")
        PROSE.holds("policy: no rule matches", scene.detail)


async def test_keys_and_the_mouse_pass_headings_over_and_take_a_policy() -> None:
    async with stage() as scene:
        for key in ("home", "up"):
            await scene.press(key)
            assert scene.list.cursor == 1
        await scene.go_to("team")
        below = scene.list.cursor
        await scene.press("down", "up")
        assert scene.list.cursor == below
        await scene.press("end")
        assert scene.list.cursor == scene.list.row_count - 1
        await scene.press("home", "down", "down", "enter")
        assert scene.answers == ["confirm-destructive"]
    async with stage() as scene:
        at = next(n for n, row in enumerate(scene.list._rows) if not isinstance(row, Heading))
        place = Offset(8, at + 1)
        await scene.pilot.click(PolicyList, offset=place)
        assert (scene.at, scene.answers) == ("first-use", [])
        await scene.pilot.double_click(PolicyList, offset=place)
        await scene.pilot.pause()
        assert scene.answers == ["first-use"]


async def test_without_a_tool_the_policies_speak_for_themselves() -> None:
    async with stage(None) as scene:
        assert "verdict" not in scene.text
        PROSE.holds("policy: no tool", f"{scene.title}\n{scene.detail}")
        await scene.press("down", "enter")
        assert scene.answers == ["first-use"]


@pytest.mark.slow
@pytest.mark.parametrize("size", [(120, 36), (100, 30), (80, 24), (60, 18)])
async def test_at_every_size_verdict_and_rule_are_to_be_seen(size: tuple[int, int]) -> None:
    async with stage(size=size) as scene:
        assert all(words in scene.text for words in ("● cautious", "asks with", "rule 1"))
        if size == (60, 18):
            sheet = scene.screen.query_one(SheetView)
            assert "more lines" in scene.text
            await scene.press(*["shift+down"] * 40)
            assert not sheet.below
            await scene.press("down")
            assert sheet.scroll_offset.y == 0


@pytest.mark.parametrize("text", first_quick(HOSTILE, 2))
async def test_hostile_names_are_shown_literally(text: str) -> None:
    tool = definitions([entry(text, title=text, read_only=text)])[0]
    async with stage(tool, size=(80, 24)) as scene:
        await scene.go_to("team")
        for widget in (scene.list, scene.screen.query_one(SheetView)):
            assert_inert(widget)
        assert all(line.isprintable() for line in scene.text.splitlines())


async def test_rules_on_what_a_server_asks_are_shown_beside_those_on_calls() -> None:
    rules = (
        '[[rule]]\nthen = "ask"\n'
        '[[rule]]\nname = "no [b]pages"\non = "elicitation"\nmode = "url"\nhost = "*.test"\n'
        'then = "refuse"\nreason = "not from here"\n'
    )
    asking = read_policy(f'name = "asking"\nsummary = "A test."\n{rules}', "asking.toml")
    async with stage(current="asking", policies=(asking,)) as scene:
        PROSE.holds("policy: rules on requests of a server", scene.detail)
