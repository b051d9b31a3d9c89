"""Several processes with one stored sign-in, whose refresh token counts once; some are killed."""

from __future__ import annotations

import asyncio
import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from signoff.app.storage.sign_ins import SignInStore
from tests.approved import approved
from tests.servers.signing_in import signing_in_with
from tests.transport.sign_in.browsing import kept_in, place_of, signed_in
from tests.transport.sign_in.rotating import Rotating
from tests.transport.sign_in.test_client_sign_in import Behind

PROSE = approved("transport-processes")
ROOT = Path(__file__).resolve().parents[3]
MODULE = "tests.transport.sign_in.one_process"
ENDS = 90.0


async def begun(url: str, folder: Path, seconds: float, agrees: str) -> asyncio.subprocess.Process:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", MODULE, url, str(folder), str(seconds), agrees),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    async with asyncio.timeout(ENDS):
        line = await process.stdout.readline()
    assert line, (await process.communicate())[1].decode()
    return process


async def seen_by(process: asyncio.subprocess.Process) -> dict[str, Any]:
    async with asyncio.timeout(ENDS):
        out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found


@pytest.mark.parametrize(
    ("processes", "seconds", "lifetime"),
    [(3, 0.9, 0.3), pytest.param(20, 30.0, 1.0, marks=pytest.mark.slow)],
)
async def test_nobody_is_signed_out_by_the_refresh_of_another(
    processes: int, seconds: float, lifetime: float, tmp_path: Path
) -> None:
    with signing_in_with("", Behind(), Rotating) as (url, server):
        server.lifetime = lifetime
        async with signed_in(url, kept_in(tmp_path)):
            pass
        starting = (begun(url, tmp_path, seconds, "no") for _ in range(processes))
        running = await asyncio.gather(*starting)
        seen = await asyncio.gather(*(seen_by(one) for one in running))
    assert [(one["problem"], one["asked"]) for one in seen] == [("", [])] * processes
    assert all(one["calls"] > 1 for one in seen)
    assert (server.codes, server.reused) == (1, 0)
    # Each token is fetched once for all of them, not once for each.
    assert 1 < server.refreshes < 2 * (seconds + ENDS) / lifetime


@pytest.mark.slow
@pytest.mark.parametrize("kills", [2, pytest.param(25, marks=pytest.mark.slow)])
async def test_a_kill_at_any_moment_leaves_a_whole_store(kills: int, tmp_path: Path) -> None:
    chance = random.Random(1)
    store = SignInStore(tmp_path / "sign-ins", keyring=False)
    with signing_in_with("", Behind(), Rotating) as (url, server):
        server.lifetime = 0.15
        async with signed_in(url, kept_in(tmp_path)):
            pass
        for _ in range(kills):
            process = await begun(url, tmp_path, 60, "yes")
            await asyncio.sleep(0.5 * chance.random())
            process.kill()
            await process.communicate()
            kept = store.read(url)
            assert kept is not None
            assert kept.refresh_token
        seen = await seen_by(await begun(url, tmp_path, 0.2, "yes"))
        assert seen["problem"] == ""
        assert len(seen["asked"]) <= 1
    # A kill between the answer and the write costs one sign-in, for which the refresh token that
    # was in the store came twice.
    assert server.codes - 1 <= server.reused <= kills + 1


async def test_a_kill_between_the_answer_and_the_write_is_told(tmp_path: Path) -> None:
    with signing_in_with("", Behind(), Rotating) as (url, server):
        async with signed_in(url, kept_in(tmp_path)):
            pass
        store = SignInStore(tmp_path / "sign-ins", keyring=False)
        kept = store.read(url)
        assert kept is not None
        # The other one got its answer, and has not written it.
        server._token({"grant_type": "refresh_token", "refresh_token": kept.refresh_token})
        server.forget()
        async with signed_in(url, kept_in(tmp_path)) as (_, person):
            asked = person.asked
    assert len(asked) == 1
    PROSE.holds("a rotated token that was not written", place_of(asked[0].why, url, server.issuer))
