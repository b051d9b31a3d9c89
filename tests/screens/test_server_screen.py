"""The screen of the server: its log messages, which go on while they are read."""

from __future__ import annotations

from signoff.app.screens.server_screen import ServerScreen
from tests.screens.bench_stage import bench_stage


async def test_log_messages_come_while_they_are_read_and_the_level_is_asked_for() -> None:
    async with bench_stage(is_demo=True) as stage:
        await stage.press("f9", "L")
        assert isinstance(stage.app.screen, ServerScreen)
        await stage.sees("0 log messages, asked for from debug on")
        call = stage.bench.call(
            next(one for one in stage.bench.tools if one.name == "log_every_level"), {}
        )
        await stage.bench.ended(call)
        await stage.sees("8 log messages", "notice    demo.door", "emergency Leave the kitchen.")
        await stage.press("L", "L")
        await stage.sees("asked for from notice on")
        await stage.no_longer_sees("181.4 degrees")
        await stage.press("escape")
        assert not isinstance(stage.app.screen, ServerScreen)
