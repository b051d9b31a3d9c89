"""The gallery: every kind of content, every way in which it goes wrong, every hard form."""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from PIL import Image, ImageSequence

from tests.approved import approved
from tests.demo.peer import Json, Peer

PROSE = approved("demo")


def decoded(block: Json) -> bytes:
    return base64.b64decode(block["data"], validate=True)


@pytest.mark.parametrize(
    ("kind", "mime", "found"),
    [
        ("png", "image/png", "PNG"),
        ("jpeg", "image/jpeg", "JPEG"),
        ("webp", "image/webp", "WEBP"),
        ("gif", "image/gif", "GIF"),
        ("animated gif", "image/gif", "GIF"),
        ("bmp", "image/bmp", "BMP"),
    ],
)
def test_a_picture_is_what_it_says(peer: Peer, kind: str, mime: str, found: str) -> None:
    (block,) = peer.call("show_image", kind=kind).content
    assert block["mimeType"] == mime
    picture = Image.open(io.BytesIO(decoded(block)))
    assert picture.format == found
    frames = len(list(ImageSequence.Iterator(picture)))
    assert frames == (9 if kind == "animated gif" else 1)


@pytest.mark.parametrize("kind", ["diff", "json", "yaml", "xml", "csv", "python", "html", "svg"])
def test_a_text_comes_with_its_type(peer: Peer, kind: str) -> None:
    (block,) = peer.call("show_text", kind=kind).content
    resource = block["resource"]
    assert resource["uri"].endswith(kind)
    assert resource["mimeType"].rpartition("/")[2].startswith(("x-", kind))
    assert resource["text"].endswith("\n")


def test_parts_say_for_whom_they_are(peer: Peer) -> None:
    blocks = peer.call("speak_to_two").content
    audiences = [block.get("annotations", {}).get("audience") for block in blocks]
    assert audiences == [["user"], ["assistant"], ["user", "assistant"], None]
    assert blocks[0]["annotations"]["priority"] == 1
    assert blocks[0]["annotations"]["lastModified"].endswith("Z")


def test_parts_come_in_any_number(peer: Peer) -> None:
    assert len(peer.call("show_many_parts").content) == 120
    parts = peer.call("show_many_parts", count=2).content
    PROSE.holds("gallery: parts", "\n".join(block["text"] for block in parts))


def test_links_lead_in_and_out_and_where_none_should(peer: Peer) -> None:
    links = peer.call("show_links").content
    schemes = [link["uri"].partition(":")[0] for link in links]
    assert schemes == ["demo", "https", "https", "https", "file", "javascript", "demo"]
    (content,) = peer.request("resources/read", {"uri": links[0]["uri"]}).result["contents"]
    assert len(content["text"]) == links[0]["size"]


@pytest.mark.parametrize("kind", ["lines", "one line", "json"])
def test_a_large_text_is_as_large_as_it_was_asked_for(peer: Peer, kind: str) -> None:
    (block,) = peer.call("large_text", megabytes=1, kind=kind).content
    assert 990_000 < len(block["text"]) <= 1_000_000
    if kind == "json":
        assert len(json.loads(block["text"])) > 10_000
    else:
        assert ("\n" in block["text"]) is (kind == "lines")


def test_a_book_is_read_page_by_page_to_its_end(peer: Peer) -> None:
    cursor: str | None = ""
    pages = []
    while cursor is not None:
        text: str = peer.call("read_book", cursor=cursor).content[0]["text"]
        pages.append(text.splitlines()[0])
        found = [line for line in text.splitlines() if line.startswith("nextCursor: ")]
        cursor = found[0].removeprefix("nextCursor: ") if found else None
    assert len(pages) == 4
    again = peer.call("read_book", cursor="2", repeat=True).content[0]["text"]
    assert "nextCursor: 2" in again
    assert peer.call("read_book", cursor="9").result["isError"] is True


@pytest.mark.parametrize("how", ["not an image", "truncated", "bomb", "another type", "empty"])
def test_a_broken_picture_is_broken_as_it_was_asked_to_be(peer: Peer, how: str) -> None:
    _, block = peer.call("show_broken_image", how=how).content
    data = decoded(block)
    assert block["mimeType"] == ("image/jpeg" if how == "another type" else "image/png")
    assert len(data) < 100_000
    is_png = data.startswith(b"\x89PNG")
    assert is_png is (how in ("truncated", "bomb", "another type"))
    if how == "bomb":
        assert int.from_bytes(data[16:20], "big") ** 2 == 900_000_000


@pytest.mark.parametrize("how", ["not a sound", "damaged header", "truncated", "another type"])
def test_a_broken_sound_is_broken_as_it_was_asked_to_be(peer: Peer, how: str) -> None:
    (block,) = peer.call("show_broken_audio", how=how).content
    assert block["mimeType"] == ("audio/mpeg" if how == "another type" else "audio/wav")
    assert decoded(block).startswith(b"RIFF") is (how != "not a sound")


@pytest.mark.parametrize("mistakes", [0, 1, 3, 12])
def test_the_stock_has_as_many_mistakes_as_wanted(peer: Peer, mistakes: int) -> None:
    tools = peer.request("tools/list", {}).result["tools"]
    schema = next(tool for tool in tools if tool["name"] == "count_stock")["outputSchema"]
    data = peer.call("count_stock", mistakes=mistakes).result["structuredContent"]
    errors = list(Draft202012Validator(schema).iter_errors(data))
    assert len(errors) == mistakes


def test_an_order_comes_back_as_it_was_sent(peer: Peer) -> None:
    order: dict[str, Any] = {
        "address": {"street": "Long Lane 1", "country": "GB", "post-code": "12345"},
        "items": [{"article": "lamp", "count": 2}],
        "payment": {"by": "invoice", "email": "ada@example.org"},
        "note": None,
        "labels": {"to": "Ada"},
        "place": [52.5, 13.4],
        "anything": False,
    }
    assert peer.call("order_something", **order).data == order
    tree = {"name": "a", "children": [{"name": "b", "children": []}]}
    assert peer.call("grow_tree", root=tree).data == {"root": tree}
    assert peer.call("take_anything", what="ever").data == {"taken": True}
