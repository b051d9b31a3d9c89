"""How many keys the usual deeds take from the first list on; typed text and waits do not count."""

from __future__ import annotations

from collections.abc import Sequence

from signoff.app.calls.call import Outcome
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.main.workplace import Workplace
from signoff.app.tui.tools.hosts_line import PENDING, HostsLine
from tests.tui.bench_stage import BenchStage, bench_stage
from tests.tui.clocks import arm


class Counting:
    """Presses keys and counts them; text is typed beside."""

    def __init__(self, stage: BenchStage) -> None:
        self._stage = stage
        self.keys = 0

    async def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        self.keys += len(keys)
        await self._stage.press(*keys)

    async def chosen(self, name: str) -> None:
        """Find a tool by its name, and go to its form."""
        await self.press("f3")
        await self._stage.type(name)
        await self._stage.rests()
        await self.press("enter")
        await self._stage.sees_tool(name)


async def test_a_read_only_tool_takes_four_keys() -> None:
    async with bench_stage(is_demo=True) as stage:
        person = Counting(stage)
        await person.chosen("calculate_sum")
        await stage.type("2")
        await person.press("tab")
        await stage.type("3")
        await person.press("f5")
        assert (await stage.end()).outcome is Outcome.OK
        assert person.keys <= 4


async def test_the_tool_that_is_chosen_first_takes_three_keys() -> None:
    async with bench_stage(is_demo=True) as stage:
        person = Counting(stage)
        await stage.sees_tool("calculate_sum")
        await person.press("enter")
        await stage.type("2")
        await person.press("tab")
        await stage.type("3")
        await person.press("f5")
        assert (await stage.end()).outcome is Outcome.OK
        assert person.keys == 3


async def test_a_destructive_tool_takes_five_keys_with_its_approval() -> None:
    async with bench_stage(is_demo=True) as stage:
        person = Counting(stage)
        await person.chosen("delete_file")
        await stage.type("notes/todo.txt")
        await person.press("f5")
        dialog = await stage.asks(ApprovalDialog)
        await person.press("ctrl+y")
        await arm(stage, dialog)
        await person.press("ctrl+y")
        assert (await stage.end()).sent
        assert person.keys <= 7


async def test_which_hosts_run_a_tool_takes_none() -> None:
    async with bench_stage(is_demo=True) as stage:
        await stage.until(
            lambda: PENDING not in stage.app.screen.query_one(HostsLine).render().plain, "the hosts"
        )
        words: Sequence[str] = ("VSC", "Cod", "run it: ", "ask: ")
        await stage.sees(*words)


async def test_to_start_the_server_again_takes_one() -> None:
    async with bench_stage(keeps=True) as stage:
        await stage.rests()
        before = stage.engine.server.pid
        person = Counting(stage)
        await person.press("shift+f5")
        await stage.until(
            lambda: stage.engine.server.is_open and stage.engine.server.pid != before, "a new one"
        )
        assert person.keys == 1
        assert stage.app.screen.query_one(Workplace).display
