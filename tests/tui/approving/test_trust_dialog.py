"""Trust is asked about, with the names of what would run unasked; taking it away asks nothing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from signoff.app.approval.policies.policy_text import built_in
from signoff.app.approval.trusting import TrustEffect
from signoff.app.protocol.server import Trust
from signoff.app.tui.approving.trust_dialog import TrustDialog
from signoff.app.tui.main.main_screen import MainScreen
from signoff.widgets.server_bar import ServerBar
from tests.approval.test_trusting import DESTROYS, LISTED, READS, tools
from tests.approved import approved
from tests.tiers import first_quick
from tests.tui import regions
from tests.tui.bench_stage import BenchStage, bench_stage
from tests.tui.clocks import press_slowly
from tests.tui.stage import TrustStage, effect_on, readers, trust_stage

PROSE = approved("tui-approval")


async def agree(scene: TrustStage) -> None:
    await scene.press("end", "tab")
    await scene.until(lambda: scene.dialog.sheet.end_seen)
    await scene.press("enter")
    await scene.rest()


class TestDialog:
    async def test_it_names_what_would_run_and_what_is_odd_about_it(self) -> None:
        async with trust_stage(effect_on(LISTED)) as scene:
            PROSE.holds("trust: what would run", scene.sheet)
            rows = [row.strip("│ ") for row in scene.text.split("\n")]
            first = next(at for at, row in enumerate(rows) if "┃ delete_all" in row)
            assert rows[first + 1].startswith("▲ ")
            assert rows[first + 2].endswith("┃ look")

    async def test_what_may_destroy_is_counted(self) -> None:
        from signoff.app.storage.policy_files import find_hosts

        gemini = next(one for one in find_hosts().hosts if one.name == "gemini-cli")
        async with trust_stage(effect_on(LISTED, gemini)) as scene:
            PROSE.holds("trust: by the rules of a host", scene.sheet)
            assert "! destructive    ┃ wipe" in scene.text

    @pytest.mark.parametrize(
        ("effect", "key"),
        [
            (effect_on(LISTED, built_in("ask-always")), "trust: ignored"),
            (effect_on(LISTED, built_in("allow-all")), "trust: all run already"),
            (effect_on([]), "trust: no tools"),
        ],
    )
    async def test_where_nothing_would_change_it_says_so(
        self, effect: TrustEffect, key: str
    ) -> None:
        async with trust_stage(effect) as scene:
            PROSE.holds(key, scene.sheet)

    @pytest.mark.parametrize("key", ["enter", "space", "escape", "q", "ctrl+c"])
    async def test_every_way_out_leaves_it_untrusted(self, key: str) -> None:
        async with trust_stage(effect_on(LISTED)) as scene:
            await scene.press(key)
            assert scene.decisions == [None]

    async def test_a_press_that_is_meant_trusts(self) -> None:
        effect = effect_on(LISTED)
        async with trust_stage(effect) as scene:
            await agree(scene)
            assert scene.decisions == [effect]

    async def test_it_is_deaf_until_it_was_quiet(self) -> None:
        async with trust_stage(effect_on(LISTED), is_armed=False) as scene:
            await scene.hold("enter", 30)
            await scene.press("tab", "enter", after=0.1)
            assert scene.decisions == []
            assert scene.app.focused is scene.dialog.leave

    @pytest.mark.parametrize("deeds", ["tab space ~", "ctrl+y ctrl+y ~", "y t 1 ~"])
    async def test_no_other_key_trusts(self, deeds: str) -> None:
        async with trust_stage(effect_on(LISTED)) as scene:
            await scene.do(deeds)
            assert scene.decisions == []

    async def test_a_long_list_has_to_be_seen_to_its_end(self) -> None:
        async with trust_stage(effect_on(readers(100)), size=(80, 24)) as scene:
            assert "100 of 100 tools" in scene.text
            assert "more lines" in scene.text
            await scene.press("tab", "enter")
            await scene.rest()
            assert scene.decisions == []
            await scene.press("end")
            await scene.until(lambda: scene.dialog.sheet.end_seen)
            assert "read_99" in scene.text
            await scene.press("enter")
            await scene.rest()
            assert scene.decisions[0] is not None

    async def test_hidden_characters_are_seen_and_nothing_is_markup(self) -> None:
        listed = tools(("a\u202eb[/x]", READS), ("[@click=app.quit]q[/]\x1b[2J", READS))
        async with trust_stage(effect_on(listed)) as scene:
            assert '"a<U+202E>b[/x]"' in scene.text
            assert '"[@click=app.quit]q[/]␛[2J"' in scene.text
            assert "hidden" in scene.text or "has " in scene.text

    async def test_it_fits(self) -> None:
        async with trust_stage(effect_on(LISTED), size=(40, 10)) as scene:
            assert "Trust this server?" in scene.text
            assert "Leave it" in scene.text
            assert scene.app.focused is scene.dialog.leave
            await agree(scene)
            assert scene.decisions[0] is not None


class TestChangesMeanwhile:
    async def test_what_is_shown_is_shown_anew_and_nothing_before_counts(self) -> None:
        async with trust_stage(effect_on(LISTED)) as scene:
            await scene.press("tab")
            await scene.strike("enter", 0.4)
            assert scene.dialog.keys.is_waiting()
            other = effect_on([*LISTED, *tools(("wipe_disk", READS))])
            scene.dialog.show(other)
            assert not scene.dialog.is_armed
            await scene.rest()
            assert scene.decisions == []
            assert scene.app.focused is scene.dialog.leave
            await scene.until(lambda: "wipe_disk" in scene.text)
            PROSE.holds("trust: other tools", scene.sheet)
            await scene.arm()
            await agree(scene)
            assert scene.decisions == [other]

    async def test_what_stays_the_same_disturbs_nobody(self) -> None:
        async with trust_stage(effect_on(LISTED)) as scene:
            await scene.press("tab")
            scene.dialog.show(effect_on(LISTED))
            assert scene.dialog.is_armed
            assert "changed while" not in scene.text


async def opened(stage: BenchStage) -> TrustDialog:
    return await stage.asks(TrustDialog)


def is_trusted(stage: BenchStage) -> bool:
    return stage.engine.server.trust is Trust.TRUSTED


async def by_key(stage: BenchStage) -> None:
    await stage.press("ctrl+t")


async def by_click(stage: BenchStage) -> None:
    await stage.click_on("untrusted ctrl+t")


async def by_palette(stage: BenchStage) -> None:
    await stage.press("ctrl+p")
    await stage.type("trust")
    await stage.sees("Trust (ctrl+t)")
    await stage.rests()
    await stage.press("enter")


class TestOnTheBench:
    @pytest.mark.parametrize("way", first_quick([by_key, by_click, by_palette]))
    async def test_every_way_asks(self, way: object) -> None:
        assert callable(way)
        async with bench_stage(trust=Trust.UNTRUSTED) as stage:
            await way(stage)
            dialog = await opened(stage)
            assert not is_trusted(stage)
            await press_slowly(stage, "tab", "enter")
            await stage.has_left(dialog)
            assert is_trusted(stage)
            await stage.sees(" trusted ctrl+t")

    @pytest.mark.slow
    async def test_leaving_it_leaves_it_and_taking_it_away_asks_nothing(self) -> None:
        async with bench_stage(trust=Trust.UNTRUSTED) as stage:
            await stage.press("ctrl+t")
            await opened(stage)
            await stage.press("escape")
            await stage.is_open(MainScreen)
            assert stage.engine.server.trust is Trust.UNTRUSTED
            stage.engine.set_trust(Trust.TRUSTED)
            await stage.sees(" trusted ctrl+t")
            await stage.press("ctrl+t")
            assert isinstance(stage.app.screen, MainScreen)
            assert stage.engine.server.trust is Trust.UNTRUSTED

    async def test_tools_that_change_while_it_is_open_are_asked_about_anew(self) -> None:
        async with bench_stage(trust=Trust.UNTRUSTED) as stage:
            await stage.press("ctrl+t")
            dialog = await opened(stage)
            before = dialog.effect
            more = tools(("wipe_disk", READS))
            stage.engine.definitions.tools = (*stage.engine.tools, *more)
            stage.engine.definitions._changed(False)
            await stage.sees("changed while", "wipe_disk")
            assert dialog.effect.key != before.key

    async def test_an_answer_about_what_is_not_so_any_more_does_not_count(self) -> None:
        async with bench_stage(trust=Trust.UNTRUSTED) as stage:
            await stage.press("ctrl+t")
            dialog = await opened(stage)
            # Agreed to in the very moment in which the list is another.
            dialog.answer(TrustEffect("cautious", 0))
            await stage.until(
                lambda: (
                    isinstance(stage.app.screen, TrustDialog) and stage.app.screen is not dialog
                ),
                "the question again",
            )
            assert stage.engine.server.trust is Trust.UNTRUSTED

    async def test_before_the_tools_are_listed_nothing_can_be_said(self, tmp_path: Path) -> None:
        silent = tmp_path / "silent.py"
        silent.write_text("import time\ntime.sleep(60)\n")
        argv = (sys.executable, str(silent))
        async with bench_stage(argv=argv, is_listed=False, trust=Trust.UNTRUSTED) as stage:
            await stage.sees("starting")
            stage.app.screen.query_one(ServerBar).post_message(ServerBar.TrustClicked())
            await stage.until(lambda: regions.notices(stage.app), "the words on it")
            PROSE.holds("trust: before the tools are listed", regions.notices(stage.app))
            assert isinstance(stage.app.screen, MainScreen)
            assert stage.engine.server.trust is Trust.UNTRUSTED


def test_a_title_is_shown_with_the_name() -> None:
    from signoff.app.protocol.server import Server
    from signoff.app.tui.approving.trust_dialog import trust_lines

    listed = tools(("mail", {**READS, "title": "Send Email"}), ("x", DESTROYS))  # type: ignore[dict-item]
    server = Server("demo", "run", "stdio:run", Trust.UNTRUSTED)
    text = "\n".join(line.plain for line in trust_lines(server, effect_on(listed), 90))
    PROSE.holds("trust: a title", text)


async def test_a_key_that_came_too_soon_is_said_to_have_done_nothing() -> None:
    async with trust_stage(effect_on(LISTED), size=(80, 24), is_armed=False) as scene:
        await scene.press("enter")
        PROSE.holds("trust: one moment", scene.keys_said)
        await scene.arm()
        await scene.until(lambda: "too soon" in scene.keys_said)
        PROSE.holds("trust: too soon", scene.keys_said)
        assert scene.decisions == []
