"""Approvals of skills: given by a person who saw all of one, ended by each change."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from signoff.app.approval.grants import Remember, Scope
from signoff.app.engine.engine import Engine
from signoff.app.features.skills.approving import give, standings_of
from signoff.app.features.skills.reading import SkillReader
from signoff.app.storage.audit_log import AuditLog
from tests.e2e.program import signoff
from tests.e2e.terminal import Terminal
from tests.engine.opened import Approves, Opened, opened
from tests.features.skills.test_skills import CHECK, ON, Shelf, shelf
from tests.servers import skilful
from tests.skills_made import main, skill
from tests.tiers import first_quick

__all__ = ["shelf"]
WEEK = Remember(Scope.UNTIL, 7)
FILES = {"SKILL.md": main("notes"), "a.md": "one\ntwo\n"}


def serve(folder: Path, files: dict[str, str], served: dict[str, str] | None = None) -> list[str]:
    """Write one skill for the server; returns the command line of it."""
    entry = skill("notes", files)
    texts = {f"skill://notes/{path}": text for path, text in (served or files).items()}
    what = {"entries": [entry], "files": texts}
    (folder / "what.json").write_text(json.dumps(what), encoding="utf-8")
    return [sys.executable, "-S", skilful.__file__, str(folder / "what.json"), str(folder / "rec")]


async def looked(engine: Engine) -> SkillReader:
    reader = SkillReader(engine)
    await reader.look()
    return reader


async def given(engine: Engine) -> str:
    """Read the first skill, and approve it for a week; returns why that failed."""

    async def read(uri: str) -> Any:
        return await engine.ended(engine.read(uri))

    reader = await looked(engine)
    checked = await reader.check(reader.listing.skills[0], read)
    return await give(engine, checked, reader.listing.skills, WEEK)


async def state(engine: Engine) -> str:
    reader = await looked(engine)
    return standings_of(engine, reader.listing.skills, reader.runs)[0].state.value


def on(folder: Path, argv: list[str]) -> Any:
    store, log = folder / "store", folder / "log"
    return opened(argv=argv, experimental=("skills",), store=store, log=log, approver=None)


async def ready(it: Opened) -> Engine:
    it.engine.approver = Approves()
    return it.engine


async def test_an_approval_lasts_over_sessions_and_ends_with_a_change(tmp_path: Path) -> None:
    argv = serve(tmp_path, FILES)
    async with on(tmp_path, argv) as it:
        engine = await ready(it)
        assert await state(engine) == "new"
        assert await given(engine) == ""
        assert await state(engine) == "approved"
    async with on(tmp_path, argv) as it:
        engine = await ready(it)
        assert await state(engine) == "approved"
        serve(tmp_path, {**FILES, "a.md": "one\n2\n"})
        reader = await looked(engine)
        [found] = standings_of(engine, reader.listing.skills, reader.runs)
        assert found.state.value == "changed"
        assert found.change is not None
        assert found.change.lines == ("~ a.md",)
        assert found.before is not None
        assert "one\ntwo\n" in found.before.texts.values()
        assert engine.memory.grants() == ()
        # It stays ended when the old content is back.
        serve(tmp_path, FILES)
        assert await state(engine) == "lapsed"
    events = [one["event"] for one in map(json.loads, AuditLog(tmp_path / "log").path.open())]
    assert events.count("grant-given") == events.count("grant-voided") == 1


async def test_a_revoked_one_and_one_of_another_server_do_not_count(tmp_path: Path) -> None:
    argv = serve(tmp_path, FILES)
    async with on(tmp_path, argv) as it:
        engine = await ready(it)
        assert await given(engine) == ""
        [grant] = engine.memory.grants()
        assert engine.consent.revoke(grant)
        assert await state(engine) == "lapsed"
        assert await given(engine) == ""
    async with on(tmp_path, [*argv, "other"]) as it:
        assert await state(await ready(it)) == "new"


async def test_what_does_not_verify_is_not_approvable(tmp_path: Path) -> None:
    argv = serve(tmp_path, FILES, {**FILES, "a.md": "other\n"})
    async with on(tmp_path, argv) as it:
        engine = await ready(it)
        assert "verified" in await given(engine)
        assert engine.memory.grants() == ()


async def test_tools_and_skills_end_apart(tmp_path: Path) -> None:
    """A list of tools ends no approval of a skill, and a list of skills none of a tool."""
    async with on(tmp_path, serve(tmp_path, FILES)) as it:
        engine = await ready(it)
        assert await given(engine) == ""
        await asyncio.to_thread(engine.memory.take_list, list(engine.tools))
        assert await state(engine) == "approved"


def test_a_script_compares_with_a_baseline(shelf: Shelf, tmp_path: Path) -> None:
    base = str(tmp_path / "skills.json")
    shelf.add("notes", dict(FILES))
    shelf.add("b/other")
    assert shelf.signoff(*ON, *CHECK, "--write-baseline", base).status == 0
    assert shelf.signoff(*ON, "--baseline", base).status == 0
    written = Path(base).read_bytes()
    assert shelf.signoff(*ON, "--write-baseline", base).status == 0
    assert Path(base).read_bytes() == written
    shelf.add("third")
    ended = shelf.signoff(*ON, "--baseline", base, "--json")
    assert ended.status == 3
    assert [one["approval"]["state"] for one in ended.report["skills"]] == [
        "approved",
        "approved",
        "new",
    ]
    shelf.what = {"entries": [], "files": {}}
    shelf.add("notes", {**FILES, "a.md": "one\n2\n"})
    ended = shelf.signoff(*ON, "--baseline", base, "--json")
    assert ended.status == 4
    codes = {one["code"] for one in ended.report["findings"]}
    assert codes == {"skill-approval-ended", "skill-changed"}
    assert ended.report["skills"][0]["approval"]["changes"] == ["~ a.md"]


def test_without_an_approval_the_list_is_not_approved(shelf: Shelf) -> None:
    shelf.add("notes")
    ended = shelf.signoff(*ON, "--approved", "--json", keeps=True)
    assert ended.status == 3
    assert {one["code"] for one in ended.report["findings"]} == {"skill-not-approved"}
    assert shelf.reads == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"format": "signoff-skills", "version": 2, "skills": []}',
        '{"format": "signoff-skills", "version": 1, "skills": [{}]}',
        '{"format": "signoff-skills", "version": 1, "version": 1, "skills": []}',
    ],
)
def test_another_file_is_not_a_baseline(shelf: Shelf, tmp_path: Path, text: str) -> None:
    base = tmp_path / "base.json"
    base.write_text(text, encoding="utf-8")
    ended = shelf.signoff(*ON, "--baseline", str(base))
    assert ended.status == 2
    assert shelf.sent == []


def test_a_skill_that_lies_gives_no_baseline(shelf: Shelf, tmp_path: Path) -> None:
    shelf.add("notes")["resources"] = "dynamic"
    base = tmp_path / "base.json"
    assert shelf.signoff(*ON, "--write-baseline", str(base)).status == 2
    assert not base.exists()


@pytest.mark.parametrize("approve", ["always", "never"])
def test_a_check_that_fails_or_ends_early_gives_no_baseline(
    shelf: Shelf, tmp_path: Path, approve: str
) -> None:
    shelf.add("notes")
    if approve == "always":
        shelf.what["files"]["skill://notes/SKILL.md"] += "other"
    base = tmp_path / "base.json"
    words = ("--check", "--approve", approve, "--write-baseline", str(base))
    assert shelf.signoff(*ON, *words).status == 2
    assert not base.exists()


def test_a_server_whose_list_is_empty_passes_no_baseline(shelf: Shelf, tmp_path: Path) -> None:
    base, empty = tmp_path / "base.json", tmp_path / "empty.json"
    shelf.add("notes")
    assert shelf.signoff(*ON, "--write-baseline", str(base)).status == 0
    shelf.what = {"entries": [], "files": {}}
    for words in ((), CHECK, ("--approved",), ("--baseline", str(base))):
        assert shelf.signoff(*ON, *words).status == 5
    assert shelf.signoff(*ON, "--write-baseline", str(empty)).status == 2
    assert not empty.exists()


def test_nothing_is_remembered_without_a_person(shelf: Shelf) -> None:
    shelf.add("notes")
    ended = shelf.signoff(*ON, "--remember", "notes", "--approve", "always", keeps=True)
    assert ended.status == 2
    assert shelf.reads == []


TYPED = ["approve 7 days\r", "approve\r", "y\r", "\r", "approve session\r"]


@pytest.mark.parametrize("typed", first_quick(TYPED))
def test_only_the_words_approve(tmp_path: Path, typed: str) -> None:
    words = ("skills", *ON, "--remember", "notes", "--approve", "always", "--no-audit", "--")
    if sys.platform == "win32":
        pytest.skip("a pseudo-terminal is needed")
    with Terminal(signoff(*words, *serve(tmp_path, FILES)), rows=60) as terminal:
        terminal.wait_for("approves nothing")
        shown = terminal.text
        terminal.send(typed)
        status = terminal.wait_exit()
    assert status == (0 if "7" in typed else 3)
    assert all(one in shown for one in ("a.md", "two", "skill://notes/SKILL.md"))
