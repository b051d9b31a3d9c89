"""Earlier arguments, presets and files: what is listed, what is picked, what is forgotten."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.widgets import Input, Static

from signoff.app.calls.argument_history import document_of
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine.past_arguments import PastArguments
from signoff.app.protocol.tool_reading import read_tool
from signoff.app.storage.arguments import Noted
from signoff.app.storage.store import Store
from signoff.app.tui.arguments.arguments_screen import ArgumentsScreen
from signoff.app.tui.arguments.pane import PickedArguments
from signoff.widgets.lists.argument_list import ArgumentList, InForm
from tests.approved import approved
from tests.tui.hand import Hand

PROSE = approved("tui-arguments")

SCHEMA: Any = {"type": "object", "properties": {"field": {"format": "password"}}}
TOOL = read_tool(0, {"name": "delete_file", "inputSchema": SCHEMA})
IN_FORM = {"path": "typed", "token": "abc", "field": "secret by its schema"}
NOON = 1_795_000_000.0
CALLED: list[tuple[dict[str, JsonValue], str, bool]] = [
    ({"path": "oldest.txt", "password": "hunter2"}, "ok", False),
    ({"path": 5}, "denied", True),
    ({"path": "newest\u202e.txt"}, "tool-error", False),
]


@dataclass
class Scene(Hand):
    screen: ArgumentsScreen
    store: Store
    picked: list[PickedArguments | None] = field(default_factory=list)

    @property
    def told(self) -> str:
        return str(self.screen.query_one("#told", Static).content)

    @property
    def rows(self) -> list[str]:
        rows = self.screen.query_one(ArgumentList).rows
        return [row.words if isinstance(row, InForm) else row.name or "call" for row in rows]

    async def says(self, words: str) -> None:
        await self.until(lambda: words in self.told, words)

    async def answer(self, typed: str) -> None:
        self.screen.query_one("#ask", Input).value = typed
        await self.pilot.pause()
        await self.press("enter")

    async def picks(self) -> PickedArguments:
        """Wait until the screen has been left with arguments."""
        await self.until(lambda: self.picked, "the choice")
        (picked,) = self.picked
        assert picked is not None
        return picked


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    with Store.open(folder) as store:
        for number, (arguments, outcome, invalid) in enumerate(CALLED):
            noted = Noted(
                TOOL.name,
                document_of(json.dumps(arguments)),
                NOON + number,
                outcome=outcome,
                was_sent=outcome != "denied",
                although_invalid=invalid,
            )
            store.arguments.add("server", [noted])
        preset = document_of(json.dumps({"path": "from a preset"}))
        store.arguments.give_name("server", TOOL.name, preset, "nightly", NOON)
    return folder


@asynccontextmanager
async def shown(
    folder: Path, size: tuple[int, int] = (80, 24), **more: Any
) -> AsyncIterator[Scene]:
    with Store.open(folder) as store:
        past = PastArguments("server", lambda: store, lambda: NOON + 100, pytest.fail)
        screen = ArgumentsScreen(TOOL, past, dict(IN_FORM), **more)
        app: App[None] = App()
        async with app.run_test(size=size) as pilot:
            scene = Scene(app, pilot, screen, store)
            app.push_screen(screen, scene.picked.append)
            await pilot.pause()
            await scene.until(lambda: scene.rows)
            yield scene
        past.close()


async def test_presets_first_then_the_newest_with_how_they_ended(
    filled: Path,
) -> None:
    async with shown(filled, (80, 24), before={"path": "replaced"}) as scene:
        PROSE.holds("kept: rows", "\n".join(scene.rows))
        places = [scene.text.index(word) for word in ("★ nightly", "isError", "denied", "answered")]
        assert places == sorted(places)
        assert '"path": "from a preset"' in scene.text
        await scene.press("end")
        await scene.says("1 secret not kept: $.password")
        assert '"password": "«not kept»"' in scene.text
        await scene.press("up")
        await scene.until(lambda: "although inv" in scene.text)
        assert "hunter2" not in scene.text


async def test_enter_puts_into_the_form_and_f5_calls(filled: Path) -> None:
    async with shown(filled) as scene:
        await scene.press("enter")
        await scene.until(lambda: scene.picked)
        assert scene.picked == [
            PickedArguments(TOOL.name, {"path": "from a preset"}, source="preset nightly")
        ]
    for key, although_invalid in (("f5", False), ("f12", True)):
        async with shown(filled) as scene:
            await scene.press("down", "down", key)
            picked = await scene.picks()
            assert picked.arguments == {"path": "newest\u202e.txt"}
            assert (picked.calls, picked.although_invalid) == (True, although_invalid)


async def test_what_lacks_secrets_is_not_called_at_once(filled: Path) -> None:
    async with shown(filled) as scene:
        await scene.press("end", "f5")
        picked = await scene.picks()
        assert picked.arguments == {"path": "oldest.txt"}
        assert (picked.calls, picked.missing) == (False, (("password",),))


async def test_what_stands_in_the_form_gets_a_name(filled: Path) -> None:
    async with shown(filled) as scene:
        await scene.press("down", "n")
        await scene.answer("bad\tname")
        await scene.says("A name cannot have invisible characters.")
        await scene.answer("nightly")
        await scene.says("The preset nightly exists. Press enter again to replace it.")
        await scene.answer(" mine ")
        await scene.says("Kept as preset mine, 2 secrets not kept.")
        assert scene.rows[:2] == ["mine", "nightly"]
        assert scene.store.arguments.all("server", TOOL.name)[0].arguments() == {"path": "typed"}


@pytest.mark.slow
async def test_a_preset_is_replaced_and_renamed(filled: Path) -> None:
    async with shown(filled) as scene:
        await scene.press("end", "n")
        await scene.answer("nightly")
        await scene.says("Press enter again")
        await scene.press("enter")
        await scene.says("Kept as preset nightly, 1 secret not kept.")
        PROSE.holds("kept: rows after a preset was replaced", "\n".join(scene.rows))
        await scene.press("home", "n")
        await scene.answer("daily")
        await scene.says("Kept as preset daily")
        PROSE.holds("kept: rows after a preset was renamed", "\n".join(scene.rows))


@pytest.mark.slow
async def test_forgetting(filled: Path) -> None:
    async with shown(filled) as scene:
        await scene.press("end", "delete")
        await scene.says("Forgotten.")
        await scene.until(lambda: scene.rows.count("call") == 2)
        await scene.press("home", "delete")
        await scene.says("Press delete again to forget the preset nightly.")
        assert "nightly" in scene.rows
        await scene.press("X")
        await scene.says("Press X again")
        await scene.press("X")
        await scene.says("2 forgotten, presets stay.")
        await scene.press("home", "delete", "delete")
        await scene.until(lambda: scene.rows == ["in the form now"])
        assert scene.store.arguments.all("server", TOOL.name) == ()


@pytest.mark.slow
async def test_the_filter(filled: Path) -> None:
    async with shown(filled) as scene:
        await scene.press("slash", *"denied")
        await scene.until(lambda: scene.rows == ["call"])
        await scene.press("enter", "escape")
        await scene.until(lambda: len(scene.rows) == 5)
        await scene.press("slash", *"zzz")
        await scene.until(lambda: "none fits the filter" in scene.text)
        await scene.press("escape", "escape")
        await scene.until(lambda: scene.picked == [None])


async def test_a_file_is_loaded(filled: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"path": 1,\n "path": 2}', encoding="utf-8")
    async with shown(filled) as scene:
        await scene.press("l")
        await scene.answer(str(file))
        await scene.says("given twice, again at line 2, column 2")
        file.write_text('{"path": "from a file"}', encoding="utf-8")
        await scene.press("enter")
        picked = await scene.picks()
        assert picked.arguments == {"path": "from a file"}
        assert not picked.calls
        assert picked.source == str(file)


async def test_nothing_is_saved_over_another_file_or_with_secrets_unasked(
    filled: Path, tmp_path: Path
) -> None:
    file = tmp_path / "a.json"
    file.write_text("mine", encoding="ascii")
    async with shown(filled) as scene:
        await scene.press("down", "s")
        await scene.answer(str(file))
        await scene.says("will contain 2 secrets")
        await scene.press("enter")
        await scene.says("exists already. Press enter again to overwrite it.")
        assert file.read_text(encoding="ascii") == "mine"
        await scene.press("enter")
        await scene.says("which only you can read.")
        assert json.loads(file.read_text(encoding="ascii")) == IN_FORM
        await scene.press("s")
        await scene.answer(str(tmp_path / "b.json"))
        await scene.says("will contain 2 secrets")
        await scene.press("escape")
        assert not (tmp_path / "b.json").exists()
        await scene.press("end", "s")
        await scene.answer(str(tmp_path / "c.json"))
        await scene.says("1 secret not kept and left out")
        assert (tmp_path / "c.json").read_text(encoding="ascii").split() == [
            "{",
            '"path":',
            '"oldest.txt"',
            "}",
        ]


async def test_a_store_that_another_program_holds_is_said(filled: Path) -> None:
    async with shown(filled) as scene:
        other = sqlite3.connect(filled / "store.sqlite3", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        await scene.press("end", "delete")
        await scene.says("another program is using it")
        assert scene.rows.count("call") == 3
        other.execute("ROLLBACK")
        other.close()
        await scene.press("delete")
        await scene.until(lambda: scene.rows.count("call") == 2)
