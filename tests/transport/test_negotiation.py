"""Which era is spoken: what a server says counts, a silence is a guess, and only words are kept."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from signoff.app.protocol.rpc import RpcError
from signoff.app.protocol.server import VersionSource
from signoff.app.transport import greeting as greeting_module
from signoff.app.transport import negotiation
from signoff.app.transport.events import Ended, Greeting, Listing, Noticed, Stage, Started
from signoff.app.transport.greeting import wants_modern_again
from signoff.app.transport.http import greeting
from signoff.app.transport.http.http import HttpLink
from signoff.app.transport.negotiation import (
    AUTO,
    LEGACY,
    forget_era,
    is_same_server,
    recall_era,
    remember_era,
)
from signoff.app.transport.protocol import MODERN
from signoff.app.transport.stdio.stdio import StdioLink
from tests.approved import approved
from tests.servers import pids, raw
from tests.servers.discovered import EXITS
from tests.tiers import first_quick
from tests.transport.linked import Heard, linked, methods
from tests.transport.webbed import (
    Answers,
    answer,
    answering,
    greets,
    greets_modern,
    never,
    result,
    scripted,
    web,
)

PROSE = approved("transport")

OLD, NEW = "legacy", "2026-07-28"


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(greeting_module, "PROBE_SECONDS", 0.4)
    monkeypatch.setattr(greeting, "PROBE_SECONDS", 0.4)
    monkeypatch.setattr(negotiation, "BOTH_SECONDS", 0.4)


async def settled(*switches: str, protocol: str = "auto") -> tuple[StdioLink, Heard]:
    async with linked(raw(*switches), protocol) as (link, heard):
        await heard.settled()
    return link, heard


def spoken(heard: Heard) -> tuple[str, str]:
    (found,) = heard.of(Greeting)
    return found.era, found.basis.value


def stages(heard: Heard) -> str:
    return "\n".join(stage.words for stage in heard.of(Stage))


def stage_with(heard: Heard, word: str) -> str:
    return "\n".join(line for line in stages(heard).split("\n") if word in line)


SILENT = ("--probe", "silent")
FATAL = ("--probe", "fatal")
MUTE = ("--initialize", "silent")
DIES = ("--initialize", "dies")


LATE = ("--start-delay", "0.9")
SPOKEN = [
    ((), "legacy", "said", "legacy"),
    (("--noise-at-start", "--era", "both"), "modern", "said", "modern"),
    ((*SILENT, "--era", "both"), "legacy", "guessed", None),
    (FATAL, "legacy", "guessed", None),
    (("--probe", "dies"), "legacy", "guessed", None),
    (("--probe", "late", "--era", "both"), "legacy", "guessed", "modern"),
    (("--probe", "late"), "legacy", "guessed", None),
    (("--probe", "anonymous"), "legacy", "said", "legacy"),
    (("--probe-error", "-32601"), "legacy", "said", "legacy"),
    (("--probe-error", "-32602"), "legacy", "said", "legacy"),
    (("--probe-error", "-32600"), "legacy", "said", "legacy"),
    (("--probe-error", "-32000"), "legacy", "said", "legacy"),
    (("--probe-error", "-32603"), "legacy", "guessed", None),
    (("--probe-error", "-32022", "--supports", "2025-11-25"), "legacy", "said", "legacy"),
    (("--supports", "2025-06-18"), "legacy", "said", "legacy"),
    (LATE, "legacy", "said", "legacy"),
    ((*LATE, "--era", "until-initialize"), "legacy", "guessed", "modern"),
    ((*LATE, "--era", "both", *MUTE), "modern", "said", "modern"),
    ((*LATE, *FATAL), "legacy", "guessed", None),
    ((*LATE, "--era", "both", *DIES), "modern", "said", "modern"),
    (("--era", "modern"), "modern", "said", "modern"),
    (SILENT, "legacy", "guessed", None),
    (("--probe-error", "-32022", "--supports", "2027-01-01"), "legacy", "said", "legacy"),
    ((*LATE, "--era", "both"), "legacy", "guessed", "modern"),
    ((*LATE, "--era", "modern"), "modern", "said", "modern"),
    (("--noise-at-start", *SILENT), "legacy", "guessed", None),
]


@pytest.mark.parametrize(
    ("switches", "era", "basis", "kept"), first_quick(SPOKEN, 10, several=True)
)
async def test_what_a_server_says_counts_and_only_that_is_kept(
    switches: tuple[str, ...], era: str, basis: str, kept: str | None
) -> None:
    async with linked(raw(*switches)) as (link, heard):
        await heard.one(Listing)
        assert spoken(heard) == (era, basis)
        assert heard.of(Ended) == []
        if kept == "modern" and era == "legacy":
            await heard.until(lambda: "late-discovery" in heard.codes)
    assert recall_era(link.identity) == kept


async def test_a_server_that_dies_of_the_second_message_is_greeted_the_old_way_alone(
    tmp_path: Path,
) -> None:
    wire, noted = tmp_path / "received", tmp_path / "pids"
    _, heard = await settled(*FATAL, "--received", str(wire), "--pid-file", str(noted))
    assert methods(wire) == [
        *("server/discover", "initialize"),
        *("initialize", "notifications/initialized", "tools/list"),
    ]
    assert len(pids(noted)["server"]) == len(heard.of(Started)) == 2
    assert heard.of(Ended) == []
    PROSE.holds("stages: started again", stage_with(heard, "exited"))
    assert "exits-on-discover" in heard.codes


@pytest.mark.parametrize("mode", ["exit", "abort", "silent"])
async def test_a_server_that_exits_on_discover_is_a_finding_with_its_exit(
    mode: str, tmp_path: Path
) -> None:
    script = tmp_path / "server.py"
    script.write_text(EXITS, encoding="utf-8")
    async with linked([sys.executable, "-S", str(script), mode]) as (_, heard):
        await heard.settled()
    found = [one.finding for one in heard.of(Noticed) if one.finding.code == "exits-on-discover"]
    assert len(found) == (mode != "silent")
    if mode == "exit":
        PROSE.holds("exits on discover", found[0].message)


async def test_a_server_that_dies_of_everything_is_started_twice_and_no_more(
    tmp_path: Path,
) -> None:
    noted = tmp_path / "pids"
    _, heard = await settled("--die-at-start", "9", "--pid-file", str(noted))
    assert len(pids(noted)["server"]) == 2
    (ended,) = heard.of(Ended)
    PROSE.holds("initialize: exited", ended.words)
    assert ended.code == 9


@pytest.mark.slow
@pytest.mark.parametrize("era", first_quick(["until-initialize", "both"]))
async def test_a_slow_server_of_both_eras_is_of_the_one_that_it_was_asked_for_last(
    era: str, tmp_path: Path
) -> None:
    wire = tmp_path / "received"
    switches = (*LATE, "--era", era, "--received", str(wire))
    _, heard = await settled(*switches)
    asked = ["server/discover", "initialize", "notifications/initialized", "tools/list"]
    assert methods(wire)[:4] == asked
    PROSE.holds("stages: a slow start", stage_with(heard, " or "))
    assert heard.codes == ["late-discovery"], "a slow start is the only thing to report"
    wire.unlink()
    # It is known to be modern now, and is given time.
    _, heard = await settled(*switches)
    assert spoken(heard) == ("modern", "said")
    assert heard.codes == []
    assert "initialize" not in methods(wire)


@pytest.mark.slow
async def test_a_modern_server_is_asked_no_further_once_it_refused_the_handshake(
    tmp_path: Path,
) -> None:
    wire = tmp_path / "received"
    switches = ("--start-delay", "0.9", "--era", "modern", "--received", str(wire))
    _, heard = await settled(*switches)
    assert methods(wire)[:3] == ["server/discover", "initialize", "tools/list"]
    assert heard.codes == []


@pytest.mark.parametrize(
    ("switches", "words"),
    first_quick(
        [
            (("--supports", "2027-01-01"), "uses protocol version “2027-01-01”"),
            (("--probe-error", "-32022", "--supports", "2027-01-01"), "version “2027-01-01”"),
            (("--probe-error", "-32601"), "refused initialize: the database is not there"),
            (SILENT, "refused initialize: the database is not there"),
        ],
        several=True,
    ),
)
async def test_where_neither_era_is_spoken_it_says_what_is(
    switches: tuple[str, ...], words: str
) -> None:
    _, heard = await settled(*switches, "--init-error")
    (ended,) = heard.of(Ended)
    assert words in ended.words


# What was remembered, and is no longer so.


@pytest.mark.parametrize(
    ("before", "switches", "spoken_now", "kept"),
    first_quick(
        [
            ("legacy", ("--era", "modern"), ("modern", "said"), "modern"),
            ("legacy", (), ("legacy", "remembered"), None),
            ("legacy", ("--era", "both"), ("legacy", "remembered"), None),
            ("legacy", ("--probe", "dies", "--init-error"), None, "legacy"),
            ("modern", (), ("legacy", "said"), "legacy"),
            ("modern", ("--probe", "dies"), ("legacy", "guessed"), None),
            ("modern", SILENT, ("legacy", "guessed"), None),
            ("modern", FATAL, ("legacy", "guessed"), None),
        ],
        6,
        several=True,
    ),
)
async def test_a_server_that_was_updated_is_found_out(
    before: str,
    switches: tuple[str, ...],
    spoken_now: tuple[str, str] | None,
    kept: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(negotiation.KNOWN_SECONDS, "modern", 0.4)
    argv = raw(*switches)
    link = StdioLink(argv)
    remember_era(link.identity, "modern" if before == "modern" else "legacy", "another version")
    async with linked(argv) as (_, heard):
        await heard.settled()
    assert (spoken(heard) if heard.of(Greeting) else None) == spoken_now
    assert recall_era(link.identity) == kept


def test_guesses_that_an_earlier_version_kept_are_not_believed(tmp_path: Path) -> None:
    remember_era("here", "legacy")
    (file,) = (tmp_path / "cache").rglob("eras.json")
    kept = json.loads(file.read_text())
    file.write_text(json.dumps(dict.fromkeys(kept, "legacy")))
    assert recall_era("here") is None


def test_what_is_forgotten_is_gone_and_the_oldest_make_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(negotiation, "ERAS_KEPT", kept := 4)
    for number in range(kept + 2):
        remember_era(f"server {number}", "modern", "about")
    assert recall_era("server 0") is None
    assert recall_era("server 2") == "modern"
    assert is_same_server("server 2", "about")
    assert not is_same_server("server 2", "other")
    forget_era("server 2")
    forget_era("server 2")
    assert recall_era("server 2") is None
    assert recall_era("server 3") == "modern"


# What a person chose.


@pytest.mark.parametrize(
    ("protocol", "switches", "era"),
    first_quick(
        [
            (OLD, (), "legacy"),
            (OLD, ("--era", "both"), "legacy"),
            (OLD, FATAL, "legacy"),
            (OLD, ("--probe", "dies"), "legacy"),
            (OLD, SILENT, "legacy"),
            (NEW, ("--era", "modern"), "modern"),
            (NEW, ("--era", "both"), "modern"),
            (NEW, ("--era", "both", "--start-delay", "0.9"), "modern"),
        ],
        6,
        several=True,
    ),
)
async def test_a_chosen_era_is_asked_for_alone(
    protocol: str, switches: tuple[str, ...], era: str, tmp_path: Path
) -> None:
    wire = tmp_path / "received"
    link, heard = await settled(*switches, "--received", str(wire), protocol=protocol)
    assert spoken(heard) == (era, "chosen")
    asked = set(methods(wire))
    assert ("initialize" in asked, "server/discover" in asked) == (protocol == OLD, protocol == NEW)
    assert recall_era(link.identity) is None, "what was never asked is not known"


@pytest.mark.parametrize(
    ("protocol", "switches", "key"),
    [
        (OLD, ("--era", "modern"), "chosen: initialize refused"),
        (OLD, ("--protocol-version", "2099-01-01"), "chosen: another version"),
        (NEW, (), "chosen: not known"),
        (NEW, ("--supports", "2027-01-01"), "chosen: not supported"),
        (NEW, ("--probe", "dies"), ""),
    ],
)
async def test_a_server_that_does_not_speak_what_was_chosen_is_told_so(
    protocol: str, switches: tuple[str, ...], key: str
) -> None:
    _, heard = await settled(*switches, protocol=protocol)
    (ended,) = heard.of(Ended)
    if key:
        PROSE.holds(key, ended.words)
    else:
        assert "exited during server/discover" in ended.words
    assert len(heard.of(Started)) == 1, "it is not started again"


# What is being waited for.


async def test_a_runner_that_may_download_is_named_while_nothing_comes(tmp_path: Path) -> None:
    npx = tmp_path / "npx"
    npx.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    npx.chmod(0o755)
    argv = [str(npx), *raw("--start-delay", "0.9", "--era", "both")[1:]]
    async with linked(argv) as (_, heard):
        await heard.one(Listing)
    PROSE.holds("stages: a runner", stage_with(heard, "npx"))
    assert "download" not in heard.of(Stage)[-1].words


# Over HTTP.


async def over_http(answers: Answers, protocol: str = "auto") -> tuple[Heard, list[str]]:
    async with web(answers) as served:
        link = HttpLink(served.url, protocol)
        heard = Heard()
        link.attach(heard)
        try:
            await heard.settled()
        finally:
            await link.close()
        return heard, served.methods()


@pytest.mark.parametrize(
    ("answers", "protocol", "expected", "unasked"),
    [
        (greets_modern, OLD, ("legacy", "chosen"), "server/discover"),
        (greets_modern, NEW, ("modern", "chosen"), "initialize"),
        (greets, AUTO, ("legacy", "said"), ""),
        (answering({"server/discover": never}), AUTO, ("legacy", "guessed"), ""),
    ],
    ids=["old", "new", "refused", "silent"],
)
async def test_over_http_a_chosen_era_is_asked_for_alone_and_a_silence_is_a_guess(
    answers: Answers, protocol: str, expected: tuple[str, str], unasked: str
) -> None:
    heard, asked = await over_http(answers, protocol)
    assert spoken(heard) == expected
    assert unasked not in asked


@pytest.mark.parametrize(
    ("protocol", "answers", "words"),
    [
        (NEW, greets, "404 Not Found"),
        (
            OLD,
            answering({"initialize": lambda one: result(one, {"protocolVersion": "2099-01-01"})}),
            "uses protocol version “2099-01-01”",
        ),
        (OLD, lambda asked: answer("403 Forbidden"), "403 Forbidden"),
        (NEW, lambda asked: answer("403 Forbidden"), "403 Forbidden"),
    ],
)
async def test_over_http_what_was_chosen_and_is_not_spoken_is_said(
    protocol: str, answers: Answers, words: str
) -> None:
    heard, _ = await over_http(answers, protocol)
    (ended,) = heard.of(Ended)
    assert words in ended.words
    assert ("--protocol auto" in ended.words) == ("2099" in words)


async def test_the_scripted_server_over_http_refuses_what_it_does_not_speak() -> None:
    for protocol, era, words in ((OLD, "modern", "refused initialize"), (NEW, "legacy", NEW)):
        with scripted("--era", era) as (url, _):
            link = HttpLink(url, protocol)
            heard = Heard()
            link.attach(heard)
            ended = await heard.one(Ended)
            await link.close()
        assert words in ended.words
        assert "--protocol auto" in ended.words


def test_every_protocol_has_its_words() -> None:
    assert (AUTO, LEGACY, MODERN) == ("auto", OLD, NEW)
    assert all(one.words or one is VersionSource.SAID for one in VersionSource)


REFUSES_ONCE = """
import json, sys
refused = False
for line in sys.stdin:
    message = json.loads(line)
    answer = {"jsonrpc": "2.0", "id": message.get("id")}
    supported = {"supported": ["2026-07-28"]}
    if message["method"] == "initialize":
        answer["error"] = {"code": -32601, "message": "no such method"}
    elif not refused:
        refused = True
        answer["error"] = {"code": -32022, "message": "Unsupported", "data": supported}
    elif message["method"] == "server/discover":
        answer["result"] = {
            "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
        }
    else:
        answer["result"] = {"tools": [], "resultType": "complete"}
    print(json.dumps(answer), flush=True)
"""


async def test_a_version_that_is_refused_and_named_is_asked_for_again(tmp_path: Path) -> None:
    """Spec 2026-07-28, basic/versioning: not by `initialize`."""
    server = tmp_path / "server.py"
    server.write_text(REFUSES_ONCE, encoding="utf-8")
    async with linked([sys.executable, str(server)]) as (_, heard):
        await heard.settled()
    assert spoken(heard) == ("modern", "said")


@pytest.mark.parametrize(
    ("response", "is_so"),
    [
        (RpcError(-32022, "", {"supported": ["2027-01-01", MODERN]}), True),
        (RpcError(-32022, "", {"supported": ["2025-11-25"]}), False),
        (RpcError(-32601, "", {"supported": [MODERN]}), False),
        (RpcError(-32022, "", None), False),
        ({"supportedVersions": [MODERN]}, False),
    ],
)
def test_only_the_version_that_was_asked_for_is_asked_for_again(response: Any, is_so: bool) -> None:
    assert wants_modern_again(response) is is_so
