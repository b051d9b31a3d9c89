"""What is on the screen about the server: its bar, and the page while it starts."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from signoff.app.content.texts.sheet_line import GUTTER
from signoff.app.protocol.server import LATE_SECONDS, UNCHECKED, Phase, Server, Trust, VersionSource
from signoff.widgets.server_bar import INSECURE, ServerBar, describe
from signoff.widgets.start_view import StartView
from tests.approved import approved
from tests.showing import Stage, showing
from tests.widgets.hostile import PAYLOADS, assert_harmless

PROSE = approved("widgets")

SERVER = Server(
    "files", "python -m files", "id", Trust.UNTRUSTED, Phase.CONNECTED, pid=42, version="2025-11-25"
)
FAR = Server("far", "https://far.example/mcp", "http:x", Trust.UNTRUSTED)


def rows(stage: Stage[ServerBar]) -> list[str]:
    return [row.strip() for row in stage.rows[: stage.widget.region.height]]


async def test_a_guess_at_the_protocol_is_shown_as_one() -> None:
    async with showing(ServerBar(), size=(100, 20)) as stage:
        bar = stage.widget
        for basis in VersionSource:
            bar.show(replace(SERVER, basis=basis))
            await stage.pause()
            assert ("connected, 2025-11-25 (a guess)" in rows(stage)[0]) == (
                basis is VersionSource.GUESSED
            )


async def test_a_policy_that_asks_nothing_is_never_left_out() -> None:
    async with showing(ServerBar(), size=(36, 20)) as stage:
        bar = stage.widget
        bar.show(SERVER)
        await stage.pause()
        assert "cautious" not in rows(stage)[0]
        await stage.resize(50, 20)
        bar.show_policy("allow-all", is_loud=True)
        await stage.pause()
        assert " allow-all" in "".join(rows(stage))
        bar.show_policy("ask-always")
        await stage.pause()
        assert "allow-all" not in "".join(rows(stage))


async def rows_of(server: Server, width: int, findings: int = 0) -> list[str]:
    """The rows of the bar of this server."""
    async with showing(ServerBar(), size=(width, 20)) as stage:
        stage.widget.show(server, findings)
        await stage.pause()
        assert_harmless(stage.strips)
        return rows(stage)


async def test_changed_files_stay_in_sight_however_narrow_it_is() -> None:
    async with showing(ServerBar(), size=(120, 20)) as stage:
        bar = stage.widget
        bar.show(SERVER, 3)
        bar.show_changed(["ser\x1b[2Jver.py"])
        for width in (120, 80, 40):
            await stage.resize(width, 20)
            shown = " ".join(" ".join(rows(stage)).split())
            assert "changed on disk · shift+f5" in shown, width
            assert_harmless(stage.strips)
        bar.show_changed(["server.py", "node"])
        await stage.pause()
        assert "2 files changed on disk" in " ".join(" ".join(rows(stage)).split())
        bar.show_changed([])
        await stage.pause()
        assert "changed" not in " ".join(rows(stage))


async def test_one_line_where_there_is_room() -> None:
    (line,) = await rows_of(SERVER, 120)
    PROSE.holds("bar: one line", line)


async def test_the_command_moves_to_its_own_line() -> None:
    first, second = await rows_of(SERVER, 80)
    assert first.endswith("untrusted ctrl+t  policy cautious")
    assert second == "python -m files"


async def test_only_a_very_long_command_is_cut_and_says_where_the_rest_is() -> None:
    whole = "python " + "a" * 100
    rows = await rows_of(replace(SERVER, command=whole), 80)
    assert "".join(rows[1:]).replace(" ", "") == whole.replace(" ", "")
    cut = await rows_of(replace(SERVER, command="python " + "a" * 5000), 80)
    assert len(cut) <= 5
    assert cut[-1].endswith("… f9: show all")


async def test_how_a_server_ended() -> None:
    lost = replace(
        SERVER,
        phase=Phase.LOST,
        ended_words="the server exited: exit code 7",
        last_words=("first", "the last"),
    )
    rows = await rows_of(lost, 120)
    PROSE.holds("bar: the server exited", "\n".join(rows))
    crowded = await rows_of(lost, 80, findings=4)
    assert crowded[0].split("untrusted")[0].strip().endswith("· 4 problems f9")
    silent = await rows_of(replace(lost, last_words=()), 120)
    PROSE.holds("bar: nothing on stderr", silent[-1])
    over_url = await rows_of(replace(lost, pid=None, last_words=()), 120)
    PROSE.holds("bar: over a URL", over_url[-1])


@pytest.mark.slow
async def test_the_policy_stands_there_where_the_pid_leaves() -> None:
    """A pid is under f9; who decides has to be in sight, and no word is torn from its number."""
    named = replace(SERVER, name="mcp-server-fetch", pid=12345)
    first, second = await rows_of(named, 80)
    PROSE.holds("bar: a long name", "\n".join((first, second)))
    for name in ("raw", "mcp-server-fetch", "mcp-server-filesystem", "n" * 40):
        for findings in (0, 12):
            for width in (60, 80, 100):
                rows = await rows_of(replace(named, name=name), width, findings)
                assert "cautious" in rows[0]
                assert not any(row.endswith("pid") for row in rows)


async def test_long_last_words_leave_room_for_everything_else() -> None:
    lost = replace(SERVER, phase=Phase.LOST, ended_words="the server exited: exit code 7")
    rows = await rows_of(replace(lost, last_words=("word " * 1000,)), 80)
    assert len(rows) == 5
    assert rows[2].startswith("end of stderr ┃ word ")
    assert rows[3].startswith("┃ word ")
    assert "…" in rows[4]
    assert rows[4].endswith("f9: show all · shift+f5: restart")


@pytest.mark.parametrize(
    ("phase", "words"), [(Phase.CONNECTING, "starting"), (Phase.FAILED, "not connected")]
)
async def test_brief_until_it_is_connected(phase: Phase, words: str) -> None:
    (line,) = await rows_of(replace(SERVER, phase=phase), 120)
    assert line.startswith(f"Signoff  files · {words}  ")
    assert "python" not in line


async def test_findings_are_counted() -> None:
    assert "· 1 problem f9 " in (await rows_of(SERVER, 120, 1))[0]
    assert "· 1,200 problems f9" in (await rows_of(SERVER, 120, 1200))[0]


async def test_a_click_on_the_switch_and_only_there() -> None:
    async with showing(ServerBar(), size=(120, 20)) as stage:
        stage.widget.show(SERVER)
        await stage.pause()
        await stage.click(rows(stage)[0].index("untrusted") + 2, 0)
        assert len(stage.posted(ServerBar.TrustClicked)) == 1
        await stage.click(4, 0)
        assert len(stage.posted(ServerBar.TrustClicked)) == 1


@pytest.mark.slow
async def test_hostile_words() -> None:
    async with showing(ServerBar(), size=(60, 20)) as stage:
        bar = stage.widget
        for payload in PAYLOADS:
            bar.show(replace(SERVER, name=payload, command=payload, version=payload))
            await stage.pause()
            assert_harmless(stage.strips)
            lost = replace(SERVER, phase=Phase.LOST, ended_words=payload, last_words=(payload,))
            bar.show(lost)
            await stage.pause()
            assert_harmless(stage.strips)


@pytest.mark.parametrize(
    ("server", "words"),
    [
        (replace(FAR, lenient=("issuer", "pkce")), " sign-in not checked: issuer, pkce "),
        (replace(FAR, identity=f"http:x{UNCHECKED}"), INSECURE),
    ],
    ids=["sign-in", "certificates"],
)
def test_what_is_not_checked_is_on_every_arrangement_of_the_bar(server: Server, words: str) -> None:
    for phase in Phase:
        shown = describe(
            replace(server, phase=phase), with_program=False, with_pid=False, with_version=False
        )
        assert words in shown.plain
        assert any("$error" in str(span.style) for span in shown.spans)
    assert words not in describe(FAR).plain


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
        for server, key in (
            (STARTING, "start: waiting long"),
            (remote, "start: connecting"),
        ):
            PROSE.holds(key, await shown(stage, server, LATE_SECONDS))
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


async def test_hostile_words_at_the_start() -> None:
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
