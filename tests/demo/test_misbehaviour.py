"""Broken promises must really reach the wire, and a crash must really be one."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.demo.peer import Closed, Era, Peer


def test_the_broken_character_breaks_its_schema_in_two_ways(peer: Peer) -> None:
    tools = peer.request("tools/list", {}).result["tools"]
    schemas = {t["name"]: t.get("outputSchema") for t in tools}
    schema = schemas["generate_fantasy_character_broken"]
    assert schema == schemas["generate_fantasy_character"]
    result = peer.call("generate_fantasy_character_broken").result
    data = result["structuredContent"]
    errors = {(e.validator, e.json_path) for e in Draft202012Validator(schema).iter_errors(data)}
    assert errors == {("required", "$"), ("type", "$.abilities")}
    copy = json.loads(result["content"][0]["text"])
    assert {key for key in copy if copy[key] != data[key]} == {"name"}
    assert copy.keys() == data.keys()


def test_failing_is_a_result_or_a_protocol_error(peer: Peer) -> None:
    polite = peer.call("fail_politely", reason="no permission")
    assert polite.result["isError"] is True
    assert "no permission" in polite.text
    assert polite.error is None
    rude = peer.call("fail_in_protocol", code=-32077)
    assert rude.error is not None
    assert (rude.error["code"], rude.error["data"]) == (-32077, {"demo": True})


def test_noise_stands_before_the_answer(peer: Peer) -> None:
    reply = peer.call("print_noise", lines=3)
    assert [line.startswith(b"DEBUG demo: noise") for line in reply.noise] == [True] * 3
    assert "3 lines" in reply.text


def test_nothing_else_makes_noise(peer: Peer) -> None:
    for name in ("undeclared_tool", "contradictory_tool", "read_settings"):
        assert peer.call(name).noise == []


def test_strange_blocks_follow_a_good_one(peer: Peer) -> None:
    result = peer.call("strange_content").result
    assert [block.get("type") for block in result["content"]] == [
        "text",
        "hologram",
        "text",
        "image",
        None,
    ]
    assert (result.get("resultType") == "complete") == (peer.era == "modern")


def test_hidden_characters_arrive_unchanged(peer: Peer) -> None:
    text = peer.call("hidden_characters").text
    for mark in ("\x1b[31m", "\x07", "\u202e", "\u200b", "\U000e0041", "[@click=", "\r"):
        assert mark in text


def test_a_crash_has_last_words_and_a_status(era: Era, tmp_path: Path) -> None:
    peer = Peer(era, {"TMPDIR": str(tmp_path)})
    peer.call("read_settings")
    assert len(list(tmp_path.glob("signoff-demo-*"))) == 1
    with pytest.raises(Closed):
        peer.call("crash_server", afterSeconds=0)
    assert peer.ended() == 42
    assert "crashing on request" in peer.stderr()
    assert list(tmp_path.iterdir()) == []


def test_the_end_of_input_ends_the_server_even_during_a_call(era: Era, tmp_path: Path) -> None:
    peer = Peer(era, {"TMPDIR": str(tmp_path)})
    peer.call("read_settings")
    assert list(tmp_path.iterdir())
    peer.wait(peer.start("wait_without_total", seconds=600), until_progress=1)
    assert peer.close() == 0
    assert peer.stderr() == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_and_clears_up(number: signal.Signals, tmp_path: Path) -> None:
    peer = Peer("legacy", {"TMPDIR": str(tmp_path)})
    peer.call("read_settings")
    assert list(tmp_path.iterdir())
    peer.process.send_signal(number)
    assert peer.ended() == -number
    assert peer.stderr() == ""
    assert list(tmp_path.iterdir()) == []
