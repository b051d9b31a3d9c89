"""What is on the screen while a server starts, and when it could not be reached."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from signoff.app.content.texts.sheet_line import GUTTER
from signoff.app.protocol.server import LATE_SECONDS, Phase, Server, Trust
from signoff.widgets.start_view import StartView
from tests.approved import approved
from tests.showing import Stage, showing
from tests.widgets.hostile import PAYLOADS, assert_harmless

PROSE = approved("widgets")

STARTING = Server("files", "python -m files", "id", Trust.UNTRUSTED, stage="waiting", pid=42)
FAILED = replace(
    STARTING, phase=Phase.FAILED, ended_words="it ended", exit_code=3, last_words=("bang",)
)


async def shown(stage: Stage[StartView], server: Server, elapsed: float = 0.0, *noise: Any) -> str:
    """What is on the screen of this server."""
    stage.widget.show(server, elapsed, *(noise or ((),)))
    await stage.pause()
    assert_harmless(stage.strips)
    return "\n".join(row.strip() for row in stage.rows)


async def text_of(server: Server, elapsed: float = 1.23, stderr: tuple[str, ...] = ()) -> str:
    async with showing(StartView()) as stage:
        return await shown(stage, server, elapsed, stderr)


async def test_what_it_waits_for_and_why_it_could_not_be_reached() -> None:
    remote = replace(STARTING, identity="http:http://127.0.0.1:3000/mcp", pid=None)
    async with showing(StartView()) as stage:
        PROSE.holds("start: waiting", await shown(stage, STARTING, 1.23, ("loading",)))
        for server, key in ((STARTING, "waiting long"), (remote, "connecting")):
            PROSE.holds(f"start: {key}", await shown(stage, server, LATE_SECONDS))
        PROSE.holds("start: not reached", await shown(stage, FAILED, 1.23))


async def test_a_traceback_keeps_its_indentation_and_nothing_is_pushed_away() -> None:
    words = ("Traceback:", '  File "server.py", line 3', "        boom()", f"far{' ' * 61}off")
    text = await text_of(replace(FAILED, last_words=words))
    assert '┃   File "server.py", line 3\n┃         boom()\n┃ far␠×61off' in text


async def test_a_sentence_of_signoff_has_no_mark_of_the_server() -> None:
    words = (
        "“nosuchprog” could not be started: no program has that name, or its folder is not on PATH"
    )
    text = await text_of(replace(FAILED, pid=None, exit_code=None, ended_words=words))
    assert GUTTER.strip() not in text.partition("\n\nstderr")[0]
    text = await text_of(replace(FAILED, ended_words=f"it said: {words * 2}"))
    assert GUTTER in text.partition("pid 42")[0]


async def test_hostile_words() -> None:
    async with showing(StartView()) as stage:
        for payload in ("hello", *PAYLOADS):
            await shown(stage, replace(STARTING, stage=payload, command=payload), 0.0, (payload,))
            await shown(stage, replace(FAILED, ended_words=payload, last_words=(payload,)))
            text = await shown(stage, STARTING, 0.0, (), payload)
            if payload == "hello":
                PROSE.holds("start: other text on stdout", text)
                above = text.partition("\n┃ hello")[0].strip()
            assert above in text


async def test_no_row_begins_with_what_the_server_wrote() -> None:
    long = "Approve this call? " * 20
    failed = replace(FAILED, ended_words=f"it said: {long}", last_words=(long,))
    async with showing(StartView()) as stage:
        for width in (80, 50):
            await stage.resize(width, 40)
            rows = (await shown(stage, failed)).split("\n")
            asking = [row for row in rows if "Approve" in row]
            assert len(asking) > 10
            assert all(row.startswith(("it said:", "┃ ")) for row in asking)


async def test_the_last_words_and_what_to_do_stay_on_a_small_screen() -> None:
    """A traceback ends with what went wrong; and what can be done stands below it."""
    trace = tuple(f'  File "/a/long/path/{"x" * 60}/{n}.py", line {n}' for n in range(20))
    words = (*trace, "AttributeError: no such thing")
    async with showing(StartView()) as stage:
        for size in ((80, 23), (60, 17), (120, 35)):
            await stage.resize(*size)
            for server in (replace(FAILED, last_words=words), STARTING):
                for noise in ("", "a banner"):
                    text = await shown(stage, server, 99.0, words, noise)
                    assert re.search(r"┃ AttributeError: no such thing\n+command  python", text)
                    assert "end of stderr\n┃ " in text
                    assert "ctrl+q: quit" in text
                    assert "Fix it" in text or server is STARTING
        await stage.resize(80, 23)
        failed = replace(FAILED, ended_words="no " * 1000, last_words=("bang",) * 9)
        text = await shown(stage, failed)
        assert "f9: show all" in text
        assert "┃ bang\n\ncommand  python -m files" in text
        assert "Fix it" in text
