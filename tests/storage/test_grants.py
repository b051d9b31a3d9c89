"""Remembered approvals: each covers exactly one thing, for as long as was chosen."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.fingerprint import Role, RunFile, ServerFingerprint, unknown_runs
from signoff.app.approval.grants import (
    CLOCK_SLACK,
    DAY,
    Grant,
    Remember,
    Scope,
    identity_digest,
    new_grant,
)
from signoff.app.approval.snapshot import Snapshot
from signoff.app.protocol.rpc import CALL_METHOD
from signoff.app.storage.store import Store, StoreError
from tests.approved import approved
from tests.storage.stored import FILE, NOW, SESSION, grant, opened, snapshot

PROSE = approved("storage")

OTHER = "another run"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with opened(tmp_path / "s") as made:
        yield made


NEAR = [
    *("delete", "Delete", "DELETE", "delete ", " delete", "delet", "deletee", "delete_"),
    *("delete\0", "delete\0x", "\0", "", "%", "delete%", "_elete", "*", "delete*", "del?te"),
    *("del\u00e9te", "dele\u0301te", "d\u0435lete", "delete\u200b", "\ufeffdelete", "ﬁle", "file"),
    *("\ud800", "\udc00", "\ud800\udc00", "\U00010000", "\udcff", "\u00ff", "?", "\ufffd"),
    *("'", "''", '"', "delete'--", "1", "1.0", "01", "x'00'"),
]
"""Names that something in between might take for the same."""

NAMES = st.sampled_from(NEAR) | st.text(st.characters(), max_size=3)
ARGUMENTS = st.sampled_from(
    [
        *("{}", '{"a": 1}', '{"a": 1.0}', '{"a": "1"}', '{"a": true}', '{"A": 1}', '{"a": null}'),
        *('{"a": 1, "b": 2}', '{"b": 2, "a": 1}', '{"a": "\\ud800"}', '{"a": "\\ud800\\udc00"}'),
        *('{"a": []}', '{"a": {}}', '{"a": ""}', '{"a": "\\u0000"}', '{"": 1}'),
    ]
)
RUNS = [
    None,
    *(ServerFingerprint(target=target) for target in ("", "t")),
    *(ServerFingerprint(values=(("A", value),)) for value in ("", "v", "v2")),
    *(
        ServerFingerprint((RunFile(Role.PROGRAM, "/p", real, 1, sha256, time),), "t", (("A", "v"),))
        for real, sha256, time in (
            *(("/p", "0", None), ("/p", "1", None), ("/q", "0", None)),
            *(("/p", None, 0), ("/p", None, 1)),
        )
    ),
]
SNAPSHOTS = st.builds(
    Snapshot, NAMES, NAMES, NAMES, ARGUMENTS, st.just(CALL_METHOD), st.sampled_from(RUNS)
)
GRANTS = st.builds(
    lambda scope, of, session, days: (of, grant(scope, of, session=session, days=days)),
    st.sampled_from([Scope.ARGUMENTS, Scope.SESSION, Scope.UNTIL]),
    SNAPSHOTS,
    st.sampled_from([SESSION, OTHER]),
    st.sampled_from([1, 30]),
)


@given(st.lists(GRANTS, max_size=5), st.data())
def test_an_approval_covers_exactly_what_it_was_given_for(
    tmp_path_factory: pytest.TempPathFactory,
    wanted: list[tuple[Snapshot, Grant]],
    data: st.DataObject,
) -> None:
    global _shared
    if _shared is None:
        _shared = opened(tmp_path_factory.mktemp("shared") / "s")
    book = _shared.grants
    book.clear()
    kept = {one.id: one for one in [book.give(one) for _, one in wanted]}
    assert {one.id: one for one in book.all(NOW)} == kept
    # One field of what was approved is drawn anew, or all of them.
    near = [
        _one_field_anew(
            Snapshot(
                of.server_identity,
                of.definition_digest,
                of.tool,
                data.draw(ARGUMENTS),
                runs=of.runs,
            ),
            data,
        )
        for of, _ in wanted
    ]
    now = NOW + data.draw(st.sampled_from([0, DAY - 1, DAY, 30 * DAY]))
    for one in (*near, data.draw(SNAPSHOTS)):
        found = book.find(one, SESSION, now)
        right = [held for held in kept.values() if held.covers(one, SESSION, now)]
        assert (found is None) == (right == [])
        if found is not None:
            assert found in right
            assert ORDER[found.scope] == min(ORDER[held.scope] for held in right)
            assert (found.server_digest, found.tool) == (
                identity_digest(one.server_identity),
                one.tool,
            )
            assert found.definition_digest == one.definition_digest
            assert found.arguments_digest in (None, one.arguments_digest)
            assert found.runs == one.runs
        lapsed = book.find_lapsed(one, SESSION, now)
        assert (lapsed is None) == (
            not any(held.lapsed_for(one, SESSION, now) for held in kept.values())
        )
        assert lapsed is None or replace(lapsed, runs=one.runs).covers(one, SESSION, now)


def _one_field_anew(one: Snapshot, data: st.DataObject) -> Snapshot:
    field = data.draw(st.sampled_from([*FIELDS, "runs"]))
    drawn = data.draw(st.sampled_from(RUNS) if field == "runs" else NAMES)
    return replace(one, **{field: drawn})  # type: ignore[arg-type]


_shared: Store | None = None
FIELDS = ["server_identity", "definition_digest", "tool"]
ORDER = {Scope.ARGUMENTS: 0, Scope.SESSION: 1, Scope.UNTIL: 2}


@pytest.mark.parametrize("field", [*FIELDS, "arguments_json"])
def test_nothing_near_is_covered(store: Store, field: str) -> None:
    one = snapshot("delete", "delete", '{"a": 1}', "delete")
    store.grants.give(grant(Scope.ARGUMENTS, one))
    values = NEAR if field != "arguments_json" else ['{"a": 1.0}', '{"a": "1"}', "{}", '{"A": 1}']
    for value in values:
        other = replace(one, **{field: value})  # type: ignore[arg-type]
        found = store.grants.find(other, SESSION, NOW)
        assert (found is not None) == (value == "delete"), value


def test_what_runs_is_covered_to_the_last_digit(store: Store) -> None:
    for at, runs in enumerate(RUNS):
        given = store.grants.give(grant(of=replace(snapshot(), runs=runs)))
        for other in RUNS[at + 1 :]:
            assert store.grants.find(replace(snapshot(), runs=other), SESSION, NOW) is None
        assert store.grants.find(replace(snapshot(), runs=runs), SESSION, NOW) == given
    assert {one.runs for one in store.grants.all(NOW)} == set(RUNS)


def test_nothing_is_kept_of_what_nobody_knows(store: Store) -> None:
    runs = unknown_runs("the program was changed")
    assert new_grant(replace(snapshot(), runs=runs), "s", Remember(Scope.SESSION), "", NOW) is None
    assert unknown_runs("the program was changed") != runs


def test_the_order_of_argument_names_does_not_matter(store: Store) -> None:
    store.grants.give(grant(Scope.ARGUMENTS, snapshot(arguments='{"a": 1, "b": 2}')))
    assert store.grants.find(snapshot(arguments='{"b": 2, "a": 1}'), SESSION, NOW)


def test_the_narrowest_approval_is_found_first(store: Store) -> None:
    session = store.grants.give(grant(Scope.SESSION))
    arguments = store.grants.give(grant(Scope.ARGUMENTS))
    dated = store.grants.give(grant(Scope.UNTIL))
    for one in (arguments, session, dated):
        assert store.grants.find(snapshot(), SESSION, NOW) == one
        assert store.grants.revoke(one.id)
    assert store.grants.find(snapshot(), SESSION, NOW) is None


def test_a_session_approval_is_of_one_run(store: Store) -> None:
    one = store.grants.give(grant(Scope.SESSION))
    assert store.grants.find(snapshot(), OTHER, NOW) is None
    assert not store.grants.use(one.id, OTHER, NOW)
    assert store.grants.use(one.id, SESSION, NOW)


def test_each_use_is_counted(store: Store) -> None:
    one = store.grants.give(grant())
    assert (one.uses, one.last_used_at) == (0, None)
    assert store.grants.use(one.id, SESSION, NOW + 1)
    assert store.grants.use(one.id, OTHER, NOW + 2)
    [kept] = store.grants.all(NOW)
    assert (kept.uses, kept.last_used_at) == (2, NOW + 2)
    assert replace(kept, uses=0, last_used_at=None) == one


def test_a_revoked_approval_is_gone_and_its_number_with_it(store: Store) -> None:
    one = store.grants.give(grant())
    assert store.grants.revoke(one.id)
    assert not store.grants.revoke(one.id)
    assert not store.grants.use(one.id, SESSION, NOW)
    assert store.grants.find(snapshot(), SESSION, NOW) is None
    assert store.grants.give(grant()).id > one.id


@pytest.mark.parametrize("number", [0, -1, 99, 2**63, -(2**70)])
def test_a_number_that_nothing_has_is_nothing(store: Store, number: int) -> None:
    store.grants.give(grant())
    assert not store.grants.revoke(number)
    assert not store.grants.use(number, SESSION, NOW)


def test_an_approval_ends_on_its_day(store: Store) -> None:
    one = store.grants.give(grant(days=1))
    assert store.grants.find(snapshot(), SESSION, NOW + DAY - 1) == one
    assert store.grants.find(snapshot(), SESSION, NOW + DAY) is None
    assert store.grants.all(NOW + DAY) == ()
    assert not store.grants.use(one.id, SESSION, NOW + DAY)


def test_the_same_approval_is_renewed_and_not_kept_twice(store: Store) -> None:
    one = store.grants.give(grant(days=1))
    store.grants.use(one.id, SESSION, NOW)
    again = store.grants.give(grant(days=5, at=NOW + 10))
    assert again.id == one.id
    assert store.grants.all(NOW) == (again,)
    assert (again.uses, again.expires_at) == (1, NOW + 10 + 5 * DAY)


def test_an_expired_approval_is_not_renewed(store: Store) -> None:
    one = store.grants.give(grant(days=1))
    assert store.grants.give(grant(days=1, at=NOW + 2 * DAY)).id != one.id


def test_an_approval_that_would_never_end_is_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="ends with a session or at a time"):
        store.grants.give(replace(grant(), expires_at=None))
    with pytest.raises(ValueError, match="not the times"):
        store.grants.give(replace(grant(), expires_at=float("inf")))


def test_clearing_forgets_all_of_every_run(store: Store) -> None:
    store.grants.give(grant())
    store.grants.give(grant(Scope.SESSION, session=OTHER))
    assert store.grants.clear() == 2
    assert store.grants.all(NOW) == ()


def test_a_changed_definition_voids_its_approvals_only(store: Store) -> None:
    old = store.grants.give(grant(of=snapshot("a", "d1")))
    old_session = store.grants.give(grant(Scope.SESSION, snapshot("a", "d1")))
    kept = [
        store.grants.give(grant(of=one))
        for one in (
            snapshot("a", "d2"),
            snapshot("A", "d1"),
            snapshot("b", "d1"),
            snapshot("a", "d1", server="other"),
        )
    ]
    listed = [("a", "d2")]
    voided = store.grants.void_against("demo server", listed)
    assert {one.id for one in voided} == {old.id, old_session.id}
    assert {one.id for one in store.grants.all(NOW)} == {one.id for one in kept}
    assert not store.grants.use(old.id, SESSION, NOW)
    assert not store.grants.use(old_session.id, SESSION, NOW)
    assert store.grants.void_against("demo server", listed) == ()


def test_a_whole_list_voids_what_it_changed(store: Store) -> None:
    gone, twice, changed = (
        store.grants.give(grant(of=snapshot(tool, "d1"))) for tool in ("gone", "twice", "changed")
    )
    listed = [("twice", "d1"), ("twice", "d2"), ("changed", "d2"), ("new", "d1")]
    assert store.grants.void_against("demo server", listed) == (changed,)
    assert set(store.grants.all(NOW)) == {gone, twice}


def test_the_end_of_a_run_ends_its_approvals(store: Store) -> None:
    store.grants.give(grant(Scope.SESSION))
    store.grants.give(grant(Scope.ARGUMENTS))
    others = store.grants.give(grant(Scope.SESSION, session=OTHER))
    dated = store.grants.give(grant())
    assert store.grants.end_session(SESSION) == 2
    assert store.grants.end_session(SESSION) == 0
    assert set(store.grants.all(NOW)) == {others, dated}


def test_what_expired_is_swept_at_the_next_opening(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as first:
        first.grants.give(grant(days=1))
        kept = first.grants.give(grant(of=snapshot("other"), days=3))
    with opened(tmp_path / "s", NOW + 2 * DAY) as second:
        assert second.grants.all(NOW) == (kept,)


def test_a_clock_that_went_back_honours_nothing_dated(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as store:
        one = store.grants.give(grant(days=30))
        session = store.grants.give(grant(Scope.SESSION, snapshot("other")))
        assert store.grants.use(one.id, SESSION, NOW + 10 * DAY)

        back = NOW + 10 * DAY - CLOCK_SLACK
        assert store.grants.clock_words(back) == ""
        assert store.grants.find(snapshot(), SESSION, back) is not None

        back -= 1
        PROSE.holds("clock: a minute back", store.grants.clock_words(back))
        assert store.grants.find(snapshot(), SESSION, back) is None
        assert not store.grants.use(one.id, SESSION, back)
        assert store.grants.find(snapshot("other"), SESSION, back) == session
        with pytest.raises(StoreError, match="the clock went back"):
            store.grants.give(grant(of=snapshot("third"), at=back))

    with opened(tmp_path / "s", NOW) as later:
        PROSE.holds("clock: ten days back", later.grants.clock_words(NOW))
        assert later.grants.find(snapshot(), SESSION, NOW) is None
        assert later.grants.find(snapshot(), SESSION, NOW + 11 * DAY) is not None
        assert later.grants.clear() == 1
        assert later.grants.clock_words(NOW) == ""
        assert later.grants.give(grant())


def test_opening_and_giving_note_the_time(tmp_path: Path) -> None:
    with opened(tmp_path / "s", NOW) as store:
        assert store.grants.clock_words(NOW - 61)
        store.grants.give(grant(Scope.SESSION, at=NOW + 100))
        assert store.grants.clock_words(NOW + 38)
        assert not store.grants.clock_words(NOW + 41)


def test_what_ran_cannot_be_taken_off_an_approval(tmp_path: Path) -> None:
    asked = snapshot(server='["stdio", "/home/me", [], ["python3", "server.py"]]')
    with opened(tmp_path / "s") as store:
        store.grants.give(grant(of=replace(asked, runs=ServerFingerprint(target="t"))))
    connection = sqlite3.connect(tmp_path / "s" / FILE)
    connection.execute("UPDATE grants SET runs = NULL")
    connection.commit()
    connection.close()
    with opened(tmp_path / "s") as store:
        with pytest.raises(StoreError, match="is damaged"):
            store.grants.find(asked, SESSION, NOW)
        assert "damaged" in store.problem
