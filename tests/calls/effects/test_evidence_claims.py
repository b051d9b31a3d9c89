"""What was seen of calls, held against hints: a table of deeds and verdicts."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.app.calls.effects.claims import ClaimStatus, ClaimVerdict, Watched, judge
from signoff.app.calls.effects.deeds import (
    FileAccess,
    FileLoss,
    Method,
    Observation,
    SeenAddress,
    SeenFile,
)
from signoff.app.calls.effects.folders import FileState, compare, loss_between
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.hints import read_hints
from tests.approved import approved

PROSE = approved("evidence")

READ: JsonValue = {"readOnlyHint": True, "openWorldHint": False}
ADDS: JsonValue = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True}
C, N, X = ClaimStatus.CONSISTENT, ClaimStatus.NOT_EXERCISED, ClaimStatus.CONTRADICTED


def seen(*files: SeenFile, **further: Any) -> Watched:
    return Watched(Observation(Method.STRACE, files, scratch="/w", **further), is_answered=True)


def judged(hints: JsonValue, *calls: Watched) -> dict[str, ClaimVerdict]:
    found = read_hints(hints)
    return {one.hint: one for one in judge(found, calls)}


CREATED = SeenFile("/w/new.txt", FileAccess.CREATED, FileLoss.KEPT)
DELETED = SeenFile("/w/notes/todo.txt", FileAccess.DELETED, FileLoss.LOST)
APPENDED = SeenFile("/w/log", FileAccess.APPENDED, FileLoss.KEPT, is_same=False)
REWROTE = SeenFile("/w/same", FileAccess.EMPTIED, FileLoss.KEPT, is_same=True)
CHANGED = SeenFile("/w/data.bin", FileAccess.CHANGED, FileLoss.UNKNOWN, is_same=False)
PASSING = SeenFile("/w/tmp1", FileAccess.TRANSIENT, FileLoss.KEPT)
OWN = SeenFile("/w/__pycache__/a.pyc", FileAccess.CREATED, FileLoss.KEPT, is_own=True)
FAR, NEAR = SeenAddress("192.0.2.1", 80), SeenAddress("127.0.0.1", 5432)


@pytest.mark.parametrize(
    ("file", "key"),
    [
        (CREATED, "read-only, but created"),
        (DELETED, "read-only, but deleted"),
        (APPENDED, "read-only, but appended"),
        (REWROTE, "read-only, but emptied"),
        (CHANGED, "read-only, but changed"),
    ],
)
def test_any_change_contradicts_read_only(file: SeenFile, key: str) -> None:
    verdict = judged(READ, seen(file))["readOnlyHint"]
    assert verdict.standing is X
    assert file.words("/w") in verdict.why
    PROSE.holds(key, verdict.why)


@pytest.mark.parametrize("file", [PASSING, OWN])
def test_what_is_no_change_does_not(file: SeenFile) -> None:
    assert judged(READ, seen(file))["readOnlyHint"].standing is C


def test_a_list_that_changed_contradicts_read_only() -> None:
    call = seen(lists=("1 resource more listed",))
    assert judged(READ, call)["readOnlyHint"].standing is X


@pytest.mark.parametrize(
    ("file", "standing"), [(CREATED, C), (APPENDED, C), (CHANGED, C), (DELETED, X)]
)
def test_only_a_loss_contradicts_that_it_only_adds(file: SeenFile, standing: ClaimStatus) -> None:
    assert judged(ADDS, seen(file), seen())["destructiveHint"].standing is standing


def test_that_a_loss_cannot_be_told_is_said() -> None:
    assert "not known" in judged(ADDS, seen(CHANGED))["destructiveHint"].why


@pytest.mark.parametrize(
    ("second", "standing"),
    [((), C), ((REWROTE,), C), ((PASSING,), C), ((APPENDED,), X), ((CREATED,), X)],
)
def test_a_second_call_may_add_nothing(second: tuple[SeenFile, ...], standing: ClaimStatus) -> None:
    found = judged(ADDS, seen(CREATED), seen(*second))
    assert found["idempotentHint"].standing is standing


def test_repeating_is_moot_for_what_claims_to_be_read_only() -> None:
    found = judged({"readOnlyHint": True, "idempotentHint": True}, seen(), seen())
    assert found["idempotentHint"].standing is N


def test_another_machine_contradicts_a_closed_world() -> None:
    assert judged(READ, seen(addresses=(FAR,)))["openWorldHint"].standing is X
    near = judged(READ, seen(addresses=(NEAR,)))["openWorldHint"]
    assert near.standing is C
    assert "127.0.0.1:5432" in near.why


def test_nothing_is_exercised_by_no_call_and_by_errors() -> None:
    assert {one.standing for one in judge(read_hints(READ), ())} == {N}
    failed = Watched(Observation(Method.STRACE), is_answered=False)
    assert judged(READ, failed)["readOnlyHint"].standing is N
    lied = Watched(Observation(Method.STRACE, (DELETED,)), is_answered=False)
    assert judged(READ, lied)["readOnlyHint"].standing is X


def test_a_tool_that_claims_little_is_never_contradicted() -> None:
    found = judged({}, seen(CREATED, DELETED, addresses=(FAR,)), seen(CREATED))
    assert X not in {one.standing for one in found.values()}


def test_many_deeds_are_counted_and_none_can_forge_a_line() -> None:
    files = [
        SeenFile(f"/w/{number}\n\x1b[31m", FileAccess.DELETED, FileLoss.LOST) for number in range(9)
    ]
    why = judged(READ, seen(*files))["readOnlyHint"].why
    assert "and 6 more" in why
    assert why.isprintable()


def file(content: bytes) -> FileState:
    return FileState("file", len(content), 0, 0o644, content.hex() or "-", content)


@pytest.mark.parametrize(
    ("before", "after", "loss"),
    [
        (b"", b"x", FileLoss.KEPT),
        (b"x", b"", FileLoss.LOST),
        (b"a\nb\n", b"a\nb\nc\n", FileLoss.KEPT),
        (b"a\nb\n", b"b\nx\na\n", FileLoss.KEPT),
        (b"a\nb\n", b"c\nd\n", FileLoss.LOST),
        (b"a\nb\n", b"a\nc\n", FileLoss.UNKNOWN),
        (b"[1, 2]", b"[1, 2, 3]", FileLoss.KEPT),
        (b"[1, 2]", b"[2]", FileLoss.LOST),
        (b'{"a": 1}', b'{"a": 2, "b": 1}', FileLoss.KEPT),
        (b'{"a": {"b": 1}}', b'{"a": {}}', FileLoss.LOST),
        (b"\xff\x00\x01", b"\x00\xff\x01", FileLoss.UNKNOWN),
    ],
)
def test_what_a_file_lost(before: bytes, after: bytes, loss: FileLoss) -> None:
    assert loss_between(file(before), file(after)) is loss


def test_two_looks_at_a_folder() -> None:
    before = {"/w/a": file(b"1"), "/w/b": file(b"1"), "/w/c": file(b"1"), "/w/s": file(b"1")}
    after = {"/w/b": file(b"12"), "/w/c": file(b"2"), "/w/d": file(b"1"), "/w/s": file(b"1")}
    assert [(one.path, one.deed) for one in compare(before, after)] == [
        ("/w/a", FileAccess.DELETED),
        ("/w/b", FileAccess.APPENDED),
        ("/w/c", FileAccess.CHANGED),
        ("/w/d", FileAccess.CREATED),
    ]
