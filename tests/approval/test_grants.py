"""What a remembered approval covers, as a value: the last word on it, whatever the store found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from signoff.app.approval.grants import CLOCK_SLACK, DAY, Grant, Remember, Scope, new_grant
from signoff.app.approval.snapshot import Snapshot

NOW = 1_800_000_000.0
ONE = Snapshot('["stdio", "/here", [], ["srv", "--token", "hunter2"]]', "d1", "tool", '{"a": 1}')


def made(scope: Scope, session: str = "mine") -> Grant:
    grant = new_grant(ONE, "srv --token hunter2", Remember(scope, 1), session, NOW)
    assert grant is not None
    return grant


@pytest.mark.parametrize("scope", [Scope.ARGUMENTS, Scope.SESSION, Scope.UNTIL])
def test_it_covers_what_it_was_given_for(scope: Scope) -> None:
    grant = made(scope)
    assert grant.covers(ONE, "mine", NOW)
    assert grant.covers(ONE, "another", NOW) is (scope is Scope.UNTIL)
    other = replace(ONE, arguments_json='{"a": true}')
    assert grant.covers(other, "mine", NOW) is (scope is not Scope.ARGUMENTS)
    for changed in (
        replace(ONE, server_identity=ONE.server_identity.replace("hunter2", "hunter3")),
        replace(ONE, definition_digest="d2"),
        replace(ONE, tool="Tool"),
    ):
        assert not grant.covers(changed, "mine", NOW)


def test_it_ends_at_its_time_and_with_a_clock_that_went_back() -> None:
    grant = made(Scope.UNTIL)
    for now, holds in (
        (NOW + DAY - 0.001, True),
        (NOW + DAY, False),
        (NOW - CLOCK_SLACK, True),
        (NOW - CLOCK_SLACK - 0.001, False),
    ):
        assert grant.is_current("any", now) is holds
        assert grant.covers(ONE, "any", now) is holds
    assert not made(Scope.SESSION).is_current("mine", NOW - CLOCK_SLACK - 0.001)


def test_it_holds_no_secret_of_the_command_line() -> None:
    assert "hunter2" not in repr(made(Scope.UNTIL))
    assert "srv" in made(Scope.UNTIL).masked_server
