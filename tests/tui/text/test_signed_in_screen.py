"""The screen of a server that Signoff has signed in to, and of one that refused it."""

from __future__ import annotations

import pytest

from signoff.app.cli.options.session import SessionOptions
from signoff.app.demo.authorization import CLIENT, SECRET
from tests.servers.signing_in import signing_in_with
from tests.transport.sign_in.test_client_sign_in import Behind
from tests.tui.bench_stage import NARROW, bench_stage

GIVEN = SessionOptions(client_id=CLIENT, client_secret_env="DEMO_SECRET")


async def test_f9_says_as_whom_by_whom_for_what_and_until_when(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DEMO_SECRET", SECRET)
    behind = Behind()
    with signing_in_with("", behind) as (url, server):
        async with bench_stage(url=url, options=GIVEN, size=NARROW) as stage:
            await stage.press("f9")
            await stage.sees(f"signed in     as {CLIENT}, by client credentials")
            await stage.sees(f"issuer        {server.issuer}", "scopes        demo:read")
            await stage.sees("token until   20", "UTC")
            assert not any(one in stage.text for one in (SECRET, *behind.tokens))


async def test_a_refusal_is_on_the_screen_of_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMO_SECRET", SECRET)
    with signing_in_with("client-refused") as (url, _):
        async with bench_stage(url=url, options=GIVEN, is_listed=False) as stage:
            await stage.sees("the server requires a sign-in", "invalid_client")
            assert SECRET not in stage.text
