"""What runs as the server, in the dialog: on one row or two, whole on `v`, values never."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.fingerprint import Role, RunFile, ServerFingerprint, unknown_runs
from signoff.app.approval.grants import Remember, Scope
from signoff.app.approval.questions.questions import AboutCall
from signoff.app.approval.questions.server_lines import run_lines
from signoff.app.content.text import visible
from signoff.app.protocol.answers.content import read_answer
from signoff.widgets.sheets import layout
from tests.approved import approved
from tests.questions import of_answer, of_read
from tests.tiers import first_quick
from tests.tui.regions import whole
from tests.tui.stage import ask, digests, stage

PROSE = approved("tui-approval")
PROGRAM = RunFile(Role.PROGRAM, "/home/me/p/.venv/bin/python3", "/usr/bin/python3.12", 7, "1a" * 32)
SCRIPT = RunFile(Role.SCRIPT, "/home/me/p/build/server.py", "/p/server.py", 9, "9f" * 32)
RUNS = ServerFingerprint(
    (PROGRAM, SCRIPT), "t", (("API_KEY", "digest-of-a"), ("REGION", "digest-of-b"))
)
UNKNOWN = unknown_runs("server.py was changed after the server had been started", (PROGRAM,))
DEEP = replace(PROGRAM, path=f"/{'deep/' * 60}bin/python3", real=f"/{'real/' * 60}python3.12")


def question(runs: ServerFingerprint | None = RUNS) -> AboutCall:
    one = ask()
    return replace(one, snapshot=replace(one.snapshot, runs=runs))


def rows_of(text: str, label: str) -> list[str]:
    """The rows of the screen under a label, without the frame."""
    lines = [line.strip(" │┃") for line in text.splitlines()]
    at = next(at for at, line in enumerate(lines) if line.startswith(f"{label} "))
    end = next(at for at, line in enumerate(lines) if line.startswith("tool "))
    return lines[at:end]


@pytest.mark.slow
@pytest.mark.parametrize("size", first_quick([(120, 36), (80, 24)]))
async def test_files_and_names_stand_under_the_server(size: tuple[int, int]) -> None:
    async with stage(question(), size=size) as scene:
        rows = rows_of(scene.text, "program")
        shown = " ".join(rows)
        assert len(rows) <= (2 if size[1] >= 30 else 1)
        assert "server.py" in shown
        assert "python3" in shown
        assert "with API_KEY" in shown
        assert "digest-of" not in scene.text
        places = [scene.text.index(f"{label} ") for label in ("server", "program", "tool")]
        assert places == sorted(places)


@pytest.mark.parametrize("size", first_quick([(120, 36), (80, 24), (60, 18), (38, 14)]))
async def test_what_is_cut_is_whole_on_v(size: tuple[int, int]) -> None:
    names = [f"VARIABLE_NUMBER_{number}" for number in range(12)]
    runs = replace(RUNS, files=(DEEP, SCRIPT), values=tuple((name, "") for name in names))
    async with stage(question(runs), size=size) as scene:
        rows = rows_of(scene.text, "program")
        assert len(rows) <= (1 if size == (80, 24) else 2)
        shown = " ".join(rows)
        assert "v: all" in shown
        assert "python3" in shown
        assert DEEP.path not in shown
        await scene.arm()
        await scene.press("v")
        sheet = scene.dialog._box.sheet
        told = "".join(line.plain for line in sheet._lines)
        for part in (DEEP.path, DEEP.real, SCRIPT.path, *names):
            assert part in told


@pytest.mark.parametrize(
    ("runs", "words"), [(None, ""), (UNKNOWN, "▲ server.py was changed")], ids=["none", "unknown"]
)
async def test_without_a_program_there_is_no_line(
    runs: ServerFingerprint | None, words: str
) -> None:
    async with stage(question(runs), size=(120, 36)) as scene:
        assert words in scene.text
        assert bool(runs) or "program " not in scene.text


async def test_reads_and_answers_say_it_too() -> None:
    read = of_read(question(), "file:///x")
    answer = read_answer({"content": [{"type": "text", "text": "hello"}]})
    for one in (read, of_answer(question(), answer)):
        async with stage(one, size=(120, 36)) as scene:
            assert PROGRAM.path in scene.text


async def test_remembering_says_what_it_is_bound_to() -> None:
    async with stage(replace(question(), can_remember=True), size=(120, 36)) as scene:
        await scene.arm()
        scene.dialog._box.remember.pick(2)
        assert scene.dialog._box.remember.remember == Remember(Scope.SESSION)
        await scene.pilot.pause()
        scope, _, _ = whole(scene.dialog._box.remember.words).rpartition("; revoke")
        PROSE.holds("remember: what runs", scope, **digests(question()))


PATHS = st.text(st.characters(), max_size=90)


@given(
    st.lists(PATHS, max_size=3),
    st.lists(PATHS, max_size=6),
    st.sampled_from([(11, 110, True), (11, 74, False), (9, 54, False), (0, 38, False)]),
)
def test_it_never_takes_more_rows(
    paths: list[str], names: list[str], place: tuple[int, int, bool]
) -> None:
    indent, columns, is_roomy = place
    files = tuple(RunFile(role, path, path, 1) for role, path in zip(Role, paths, strict=False))
    runs = ServerFingerprint(files, "", tuple((name, "") for name in names))
    lines = list(run_lines(runs, indent, columns, is_roomy=is_roomy, whole=False))
    rows = list(layout(lines, columns))
    assert len(rows) <= 2
    if all(len(visible(path)) < 20 for path in paths) and len(paths) < 3:
        assert len(rows) <= 1 + is_roomy or columns < 74
    assert not any(char in line.plain for line in lines for char in "\x1b\n\u202e\u200b")
