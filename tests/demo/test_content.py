"""Every kind of content, as it stands on the wire."""

from __future__ import annotations

import base64
import io
import wave

from tests.approved import approved
from tests.demo.peer import Peer

PROSE = approved("demo")


def test_a_resource_link_can_be_followed(peer: Peer) -> None:
    link = peer.call("show_resource_link").content[1]
    assert (link["type"], link["name"]) == ("resource_link", "settings.json")
    (content,) = peer.request("resources/read", {"uri": link["uri"]}).result["contents"]
    assert len(content["text"]) == link["size"]


def test_a_failing_part_does_not_take_the_others_along(peer: Peer) -> None:
    whole = peer.call("repo_summary", failParts=[])
    assert "FAILED" not in whole.text
    some = peer.call("repo_summary", failParts=["activity", "languages"])
    assert not some.result.get("isError")
    head, *parts = (block["text"] for block in some.content)
    PROSE.holds("content: incomplete", head)
    assert [("FAILED" in part) for part in parts] == [True, False, True, False]
    assert "timed out" in parts[2]
    every = ["languages", "contributors", "activity", "security"]
    assert peer.call("repo_summary", failParts=every).result["isError"] is True


def test_the_sound_is_a_wav(peer: Peer) -> None:
    (block,) = peer.call("play_audio", seconds=0.25).content
    assert (block["type"], block["mimeType"]) == ("audio", "audio/wav")
    with wave.open(io.BytesIO(base64.b64decode(block["data"])), "rb") as sound:
        assert sound.getnframes() / sound.getframerate() == 0.25


def test_binary_data_is_an_embedded_blob(peer: Peer) -> None:
    (block,) = peer.call("show_binary", size=300).content
    data = base64.b64decode(block["resource"]["blob"])
    assert (len(data), data[255], data[256]) == (300, 255, 0)
    assert block["resource"]["mimeType"] == "application/octet-stream"


def test_markdown_is_plain_text(peer: Peer) -> None:
    text = peer.call("show_markdown").text
    for mark in ("# Release", "- asks", "| tool |", "```python", "**2.1**", "> Hints"):
        assert mark in text
