"""Secrets of a call: sent and asked about as they are, kept and repeated nowhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from signoff.app.approval.approval import approve
from signoff.app.calls.call import Outcome
from tests.engine.opened import Asked, opened

SERVER = Path(__file__).parents[1] / "servers" / "secretive.py"
ARGV = [sys.executable, str(SERVER), "--token", "hunter2-argv"]
SECRETS: dict[str, Any] = {"contraseña": "hunter2", "field": "hunter2-and-more", "number": 48151623}


def everything(folder: Path) -> str:
    files = [file for file in folder.rglob("*") if file.is_file() and file.name != "eras.json"]
    assert {"log.jsonl", "store.sqlite3"} <= {file.name for file in files}
    return "".join(file.read_bytes().decode("latin-1") for file in files)


async def test_the_question_has_them_and_nothing_on_the_disk_has(tmp_path: Path) -> None:
    store, log = tmp_path / "store", tmp_path / "log.jsonl"
    async with opened(argv=ARGV, store=store, log=log) as one:
        one.engine.approver = approver = Asked()
        number = one.begin("log_in", user="someone", **SECRETS)
        question = await approver.question()
        assert question.snapshot.arguments() == {"user": "someone", **SECRETS}
        assert "hunter2-argv" in question.server_command
        approver.answer(approve("you"))
        call = await one.ended(number)
        assert call.outcome is Outcome.OK
        assert call.answer is not None
        assert call.answer.structured == {"user": "someone", **SECRETS}
        past = one.engine.memory.arguments
        schema = one.tool("log_in").input_schema
        assert past.give_name("log_in", {"user": "a", **SECRETS}, "mine", None, schema)
        preset, row = past.all("log_in")
        assert preset.arguments() == {"user": "a"}
        assert row.arguments() == {"user": "someone"}
    kept = everything(tmp_path)
    assert "hunter2" not in kept
    assert "48151623" not in kept
    assert "someone" in kept


async def test_words_about_them_do_not_repeat_them(tmp_path: Path) -> None:
    store, log = tmp_path / "store", tmp_path / "log.jsonl"
    wrong: dict[str, Any] = {"contraseña": "hunt", "field": "hunter2-" * 9, "number": "hunter2"}
    async with opened(argv=ARGV, store=store, log=log) as one:
        one.engine.approver = approver = Asked()
        number = one.engine.call(one.tool("log_in"), wrong, although_invalid=True)
        question = await approver.question()
        assert "4 characters" in question.although_invalid
        call = one.engine.calls[number]
        said = [question.although_invalid, *question.verdict.reasons]
        said += [finding.message for finding in call.findings]
        assert len(call.findings) >= 3
        assert not [words for words in said if "hunt" in words]
        assert question.snapshot.arguments() == wrong
        one.engine.cancel(number)
        await one.ended(number)
    assert "hunt" not in everything(tmp_path)
