"""What is on the screen while a server starts, and when it could not be reached."""

from __future__ import annotations

import re
from dataclasses import replace

from textual.app import App, ComposeResult

from signoff.app.content.texts.sheet_line import GUTTER
from signoff.app.protocol.server import LATE_SECONDS, Phase, Server, Trust
from signoff.widgets.start_view import StartView
from tests.approved import approved
from tests.widgets.hostile import PAYLOADS, assert_harmless

PROSE = approved("widgets")

STARTING = Server("files", "python -m files", "id", Trust.UNTRUSTED, stage="waiting", pid=42)
FAILED = replace(
    STARTING, phase=Phase.FAILED, ended_words="it ended", exit_code=3, last_words=("bang",)
)


class Host(App[None]):
    def compose(self) -> ComposeResult:
        yield StartView()


async def text_of(server: Server, elapsed: float = 1.23, stderr: tuple[str, ...] = ()) -> str:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        app.query_one(StartView).show(server, elapsed, stderr)
        await pilot.pause()
        strips = app.screen._compositor.render_strips()
        assert_harmless(strips)
        return "\n".join(strip.text.strip() for strip in strips)


async def test_what_it_waits_for() -> None:
    text = await text_of(STARTING, stderr=("loading",))
    PROSE.holds("start: waiting", text)
    assert "This takes long" not in text
    PROSE.holds("start: waiting long", await text_of(STARTING, LATE_SECONDS))


async def test_a_traceback_keeps_its_indentation_and_nothing_is_pushed_away() -> None:
    words = ("Traceback:", '  File "server.py", line 3', "        boom()", f"far{' ' * 61}off")
    text = await text_of(replace(FAILED, last_words=words))
    assert '┃   File "server.py", line 3\n┃         boom()\n┃ far␠×61off' in text


async def test_what_runs_elsewhere_is_not_started() -> None:
    remote = replace(STARTING, identity="http:http://127.0.0.1:3000/mcp", pid=None)
    text = await text_of(remote, LATE_SECONDS)
    PROSE.holds("start: connecting", text)


async def test_why_it_could_not_be_reached() -> None:
    text = await text_of(FAILED)
    PROSE.holds("start: not reached", text)


async def test_a_sentence_of_signoff_has_no_mark_of_the_server() -> None:
    words = (
        "“nosuchprog” could not be started: no program has that name, or its folder is not on PATH"
    )
    text = await text_of(replace(FAILED, pid=None, exit_code=None, ended_words=words))
    assert GUTTER.strip() not in text.partition("\n\nstderr")[0]
    text = await text_of(replace(FAILED, ended_words=f"it said: {words * 2}"))
    assert GUTTER in text.partition("pid 42")[0]


async def test_hostile_words() -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        view = app.query_one(StartView)
        for payload in PAYLOADS:
            view.show(replace(STARTING, stage=payload, command=payload), 0.0, (payload,))
            await pilot.pause()
            assert_harmless(app.screen._compositor.render_strips())
            view.show(replace(FAILED, ended_words=payload, last_words=(payload,)), 0.0, ())
            await pilot.pause()
            assert_harmless(app.screen._compositor.render_strips())


async def test_what_is_printed_in_the_place_of_messages() -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        for payload in ("hello", *PAYLOADS):
            app.query_one(StartView).show(STARTING, 0.0, (), payload)
            await pilot.pause()
            strips = app.screen._compositor.render_strips()
            assert_harmless(strips)
            text = "\n".join(strip.text.strip() for strip in strips)
            if payload == "hello":
                PROSE.holds("start: other text on stdout", text)
                above = text.partition("\n┃ hello")[0].strip()
            assert above in text


async def test_no_row_begins_with_what_the_server_wrote() -> None:
    long = "Approve this call? " * 20
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        view = app.query_one(StartView)
        for width in (80, 50):
            await pilot.resize_terminal(width, 40)
            view.show(replace(FAILED, ended_words=f"it said: {long}", last_words=(long,)), 0.0, ())
            await pilot.pause()
            rows = [strip.text.strip() for strip in app.screen._compositor.render_strips()]
            asking = [row for row in rows if "Approve" in row]
            assert len(asking) > 10
            assert all(row.startswith(("it said:", "┃ ")) for row in asking)


async def test_the_last_words_and_what_to_do_stay_on_a_small_screen() -> None:
    """A traceback ends with what went wrong; and what can be done stands below it."""
    trace = tuple(f'  File "/a/long/path/{"x" * 60}/{n}.py", line {n}' for n in range(20))
    words = (*trace, "AttributeError: no such thing")
    app = Host()
    async with app.run_test(size=(80, 23)) as pilot:
        view = app.query_one(StartView)
        for width, height in ((80, 23), (60, 17), (120, 35)):
            await pilot.resize_terminal(width, height)
            for server in (replace(FAILED, last_words=words), STARTING):
                for noise in ("", "a banner"):
                    view.show(server, 99.0, words, noise)
                    await pilot.pause()
                    text = "\n".join(s.text.strip() for s in app.screen._compositor.render_strips())
                    assert re.search(r"┃ AttributeError: no such thing\n+command  python", text)
                    assert "end of stderr\n┃ " in text
                    assert "ctrl+q: quit" in text
                    assert "Fix it" in text or server is STARTING


async def test_a_long_reason_leaves_room_for_what_to_do() -> None:
    app = Host()
    async with app.run_test(size=(80, 23)) as pilot:
        view = app.query_one(StartView)
        view.show(replace(FAILED, ended_words="no " * 1000, last_words=("bang",) * 9), 0.0, ())
        await pilot.pause()
        text = "\n".join(s.text.strip() for s in app.screen._compositor.render_strips())
        assert "f9: show all" in text
        assert "┃ bang\n\ncommand  python -m files" in text
        assert "Fix it" in text
