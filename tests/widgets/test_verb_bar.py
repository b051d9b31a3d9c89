"""A row of words that can be clicked."""

from __future__ import annotations

from signoff.widgets.bars import Verb, VerbBar
from tests.showing import Stage, showing

VERBS = (Verb("call", "Call", "f5", is_main=True), Verb("more", "schemas", "f4"))
MANY = (*(Verb(f"v{at}", "Verb", f"f{at}") for at in range(1, 6)), Verb("close", "Close", "esc"))


def picked(stage: Stage[VerbBar]) -> list[str]:
    return [one.name for one in stage.posted(VerbBar.Picked)]


async def test_each_verb_is_picked_where_it_stands() -> None:
    async with showing(VerbBar(VERBS), size=(60, 3)) as stage:
        assert stage.rows[0].startswith("[ f5 Call ]   f4 schemas")
        for x in (0, 10, 12, 14, 23, 24):
            await stage.click(x, 0)
        assert picked(stage) == ["call", "call", "more", "more"]
        stage.widget.show([Verb("other", "Other")])
        await stage.pause()
        assert stage.rows[0].strip() == "Other"


async def test_verbs_that_do_not_fit_are_left_out_whole_and_the_last_one_stays() -> None:
    async with showing(VerbBar(MANY), size=(60, 2)) as stage:
        for line in (
            "f1 Verb   f2 Verb   f3 Verb   f4 Verb   f5 Verb   esc Close",
            "f1 Verb  f2 Verb  f3 Verb  f4 Verb  f5 Verb  esc Close",
            "f1 Verb f2 Verb f3 Verb f4 Verb f5 Verb esc Close",
            "f1 Verb f2 Verb f3 Verb f4 Verb … esc Close",
            "f1 Verb … esc Close",
            "… esc Close",
            "esc Close",
        ):
            width = {43: 48, 19: 20, 11: 12, 9: 10, 54: 58}.get(len(line), len(line))
            await stage.resize(width, 2)
            assert stage.rows[0] == line
            stage.messages.clear()
            await stage.click(line.index("esc"), 0)
            if "…" in line:
                await stage.click(line.index("…"), 0)
            assert picked(stage) == ["close"]
        stage.widget.show(())
        await stage.pause()
        assert stage.rows[0] == ""
