"""The table of what clients do about a problem of a sign-in."""

from __future__ import annotations

import tomllib
from pathlib import Path

from signoff.app.protocol.clients import sign_in
from signoff.app.protocol.clients.sign_in import Does, behaviour
from signoff.app.protocol.clients.table import clients
from signoff.app.protocol.findings.codes_of_servers import SIGN_IN

DATA = tomllib.loads(Path(sign_in.__file__).with_name("sign_in.toml").read_text(encoding="utf-8"))


def test_every_rule_is_about_a_finding_and_names_its_sources() -> None:
    assert set(DATA["others"]).isdisjoint(clients())
    assert set(DATA["files"]) == {*clients(), *DATA["others"]}
    for rule in DATA["rule"]:
        assert rule["code"] in SIGN_IN
        for key in rule.keys() - {"code", "variant"}:
            does, place = rule[key]
            assert Does(does) is not Does.NOT_KNOWN
            assert place
            assert key in DATA["files"]
    for one in clients().values():
        assert one.version in DATA["files"][one.id]


def test_a_client_that_was_not_read_is_not_known() -> None:
    found = {one.client: one for one in behaviour("sign-in-no-pkce")}
    assert found["AI SDK 1.0.102"].does is Does.REFUSES
    assert found["Python SDK 2.3.0"].source.endswith("mcp/client/auth/oauth2.py:413")
    assert found["VS Code"].does is Does.NOT_KNOWN
    assert behaviour("sign-in-no-iss") == ()


def test_a_kind_of_difference_counts_before_the_rule_for_all() -> None:
    code = "sign-in-issuer-mismatch"
    by_slash = {one.client: one.does for one in behaviour(code, "slash-missing")}
    by_host = {one.client: one.does for one in behaviour(code, "other")}
    by_case = {one.client: one.does for one in behaviour(code, "case")}
    assert by_slash["TypeScript SDK 2.4.0"] is Does.GOES_ON
    assert by_host["TypeScript SDK 2.4.0"] is Does.REFUSES
    assert by_case["TypeScript SDK 2.4.0"] is Does.NOT_KNOWN


def test_of_a_kind_that_was_not_read_nothing_is_known() -> None:
    absent = behaviour("sign-in-no-server-metadata", "absent")
    assert {one.does for one in absent} == {Does.GUESSES, Does.NOT_KNOWN}
    unreadable = behaviour("sign-in-no-server-metadata", "unreadable")
    assert {one.does for one in unreadable} == {Does.NOT_KNOWN}
