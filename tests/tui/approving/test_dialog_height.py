"""The dialog is as high as its content, and says which hosts ask elsewhere."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.questions.definition_lines import description_lines
from signoff.app.approval.questions.questions import AboutCall
from signoff.app.approval.questions.sheet import Room
from signoff.app.approval.who_asks import WhoAsks
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool_reading import read_tool
from signoff.app.storage.policy_files import find_hosts
from signoff.app.tui.main.workplace import Workplace
from tests.approved import approved
from tests.tui.bench_stage import bench_stage
from tests.tui.regions import whole
from tests.tui.stage import DESTRUCTIVE, ask, digests, stage

PROSE = approved("tui-approval")


def asked() -> AboutCall:
    """A question about one argument, with the hosts that would ask."""
    question = ask()
    hosts = WhoAsks(find_hosts().hosts, ["zed"])
    groups = hosts.groups(question.tool, Trust.UNTRUSTED, {})
    return replace(question, can_remember=True, elsewhere=tuple(groups))


async def test_one_argument_takes_18_rows_and_one_blank_one() -> None:
    async with stage(asked(), size=(120, 36)) as scene:
        assert scene.dialog.query_one("ApprovalBox").region.height <= 18
        rows = [row.strip(" ") for row in scene.text.splitlines()]
        assert sum(row.startswith("┃") and not row.strip("┃ ") for row in rows) == 1
        assert "more line" not in scene.text


async def test_the_hosts_have_one_row_after_the_reason() -> None:
    async with stage(asked()) as scene:
        for size in ((120, 36), (80, 24), (60, 18), (40, 12)):
            await scene.resize(*size)
            sheet = scene.sheet
            (row,) = [row for row in sheet.splitlines() if "Zed" in row]
            assert row.startswith(("elsewhere", "hosts"))
            assert sheet.index("why ") < sheet.index(row) < sheet.index("hints ")
            assert sheet.index("Arguments") < sheet.index(row)


async def test_full_details_name_every_host() -> None:
    question = asked()
    async with stage(question) as scene:
        PROSE.holds("call: elsewhere", scene.sheet, **digests(question))
        await scene.press("v")
        await scene.arm()
        for group in question.elsewhere:
            assert all(host.words in whole(scene.dialog._box.sheet) for host in group.hosts)


async def test_the_main_screen_gives_its_dialog_what_its_line_of_hosts_says() -> None:
    async with bench_stage(trust=Trust.UNTRUSTED) as stage:
        await stage.choose("delete_thing")
        await stage.until(lambda: stage.app.screen.query_one(Workplace).hosts.who_asks, "the hosts")
        await stage.press("f5")
        await stage.sees("Approve this call?")
        await stage.sees("elsewhere")


@given(st.text(st.characters(codec="utf-8"), max_size=200), st.integers(40, 120))
def test_of_any_description_the_beginning_is_shown(text: str, columns: int) -> None:
    tool = read_tool(0, {**DESTRUCTIVE, "description": f"x{text}"})
    lines = list(description_lines(tool, Room(columns)))
    assert lines[0].plain.startswith("x")
    assert sum(line.gutter for line in lines) <= max(4, 1 + text.count("\n"))
