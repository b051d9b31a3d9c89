from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.calls.manifest import (
    CallContent,
    CallFacts,
    file_name,
    files_of,
    folder_name,
    manifest_file,
    safe_name,
)
from signoff.app.protocol.answers.content import read_answer
from signoff.app.protocol.rpc import Oversized
from tests.content.json_values import json_values
from tests.widgets.hostile import PAYLOADS

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\nrest").decode()
TOLD = CallFacts("a server", "tool", "0" * 64, "answered", "2026-01-12T15:00:58+00:00")


def files(result: Any) -> dict[str, tuple[bytes, Any]]:
    """Name -> bytes and what the manifest says."""
    came = CallContent(read_answer(result), result)
    return {one.name: (b"".join(one.chunks()), one.entry) for one in files_of(came)}


def test_every_kind_of_part() -> None:
    blocks: list[Any] = [
        {"type": "text", "text": '{"a": 1}'},
        {"type": "text", "text": "words"},
        {"type": "image", "data": PNG, "mimeType": "image/jpeg"},
        {"type": "resource", "resource": {"uri": "x:1", "mimeType": "text/css", "text": "a {}"}},
        {"type": "resource", "resource": {"uri": "x:2", "mimeType": "a/b", "blob": "AAEC"}},
        {"type": "resource_link", "uri": "x:3", "name": "n", "annotations": {"priority": 1}},
        {"type": "hologram"},
        {"type": "audio", "data": "not base64", "mimeType": "audio/wav"},
    ]
    found = files({"content": blocks, "structuredContent": {"a": 1}})
    assert list(found) == [
        *("part-01.json", "part-02.txt", "part-03.png", "part-04.css", "part-05.bin"),
        *("part-06.json", "part-07.json", "part-08.base64.txt", "structured.json"),
        "raw-result.json",
    ]
    assert found["part-02.txt"][0] == b"words"
    data, entry = found["part-03.png"]
    assert data == base64.b64decode(PNG)
    assert entry == {
        "file": "part-03.png",
        "part": 3,
        "kind": "image",
        "claimedMimeType": "image/jpeg",
        "foundMimeType": "image/png",
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    assert found["part-05.bin"][1]["uri"] == "x:2"
    assert json.loads(found["part-06.json"][0])["uri"] == "x:3"
    assert found["part-06.json"][1]["annotations"] == {"priority": 1.0}
    assert json.loads(found["part-07.json"][0]) == {"type": "hologram"}
    assert "not valid base64" in found["part-08.base64.txt"][1]["problem"]
    assert json.loads(found["structured.json"][0]) == {"a": 1}
    raw = json.loads(found["raw-result.json"][0])
    assert list(raw) == ["content", "structuredContent"]
    assert raw["content"] == blocks


@pytest.mark.parametrize(
    ("data", "claimed", "suffix"),
    [
        (b"PK\x03\x04", "application/vnd.oasis.opendocument.text", ".bin"),
        (
            b"PK\x03\x04",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            ".docx",
        ),
        (b"PK\x03\x04", "image/png", ".zip"),
        (b"<?xml version='1.0'?><a/>", "application/xhtml+xml", ".xhtml"),
        (b"\x7fELF", "image/png", ".bin"),
        (b"\x00\x01", "image/png", ".bin"),
        (b"\x00\x01", "application/wasm", ".wasm"),
        (b"a,b\n", "text/csv", ".csv"),
        (b"a,b\n", "image/png", ".txt"),
        (b"<svg xmlns='x'/>", "image/svg+xml", ".svg"),
        (b"RIFF\x04\x00\x00\x00WAVE", "audio/mpeg", ".wav"),
    ],
)
def test_a_suffix_says_what_the_bytes_are(data: bytes, claimed: str, suffix: str) -> None:
    blob = base64.b64encode(data).decode()
    resource = {"uri": "x:", "mimeType": claimed, "blob": blob}
    found = files({"content": [{"type": "resource", "resource": resource}]})
    assert next(iter(found)) == file_name(1, suffix)


def test_a_text_is_named_by_its_claim_and_a_lone_surrogate_is_left_to_the_raw_result() -> None:
    resource = {"uri": "x:", "mimeType": "text/markdown", "text": "a\ud800ß"}
    found = files({"content": [{"type": "resource", "resource": resource}]})
    assert found["part-01.md"][0] == b"a?\xc3\x9f"
    assert b"a\\ud800\\u00df" in found["raw-result.json"][0]


@given(json_values())
def test_any_answer_becomes_files_with_names_of_our_own(result: Any) -> None:
    for name, (data, entry) in files(result).items():
        assert name.isascii()
        assert name.replace("-", "").replace(".", "").isalnum()
        assert entry["bytes"] == len(data)


@pytest.mark.parametrize("payload", [*PAYLOADS, "../../x", "/etc/passwd", "a/b\\c", "", "..", "~"])
def test_a_hostile_server_gets_into_json_strings_only(payload: str) -> None:
    resource = {"uri": payload, "mimeType": payload, "blob": "AAEC"}
    said = {"lastModified": payload}
    block: Any = {"type": "resource", "resource": resource, "annotations": said}
    result: Any = {"content": [block, {"type": "text", "text": payload}]}
    came = CallContent(read_answer(result), result)
    entries = [one.entry for one in files_of(came)]
    told = CallFacts(payload, payload, "", payload)
    data = b"".join(manifest_file(told, entries, came.answer).chunks())
    read = json.loads(data)
    assert read["server"] == read["tool"] == read["files"][0]["uri"] == payload
    assert {one["file"] for one in read["files"]} == {
        "part-01.bin",
        "part-02.txt",
        "raw-result.json",
    }
    name = folder_name(3, payload)
    assert name.startswith("signoff-response-3-")
    assert "/" not in name
    assert "." not in name


@given(st.text())
def test_safe_names(text: str) -> None:
    name = safe_name(text)
    assert name.isascii()
    assert 0 < len(name) <= 40
    assert name.replace("-", "").replace("_", "").isalnum() or set(name) <= {"_", "-"}
    assert not name.startswith("-")


def test_a_message_that_is_too_large_is_kept_whole() -> None:
    message = Oversized(6, 6, b"abc", lambda: iter([b"abc", b"def"]))
    (file,) = files_of(CallContent(None, None, message))
    assert file.name == "raw-message.json"
    assert b"".join(file.chunks()) == b"abcdef"
    assert file.entry["sha256"] == hashlib.sha256(b"abcdef").hexdigest()


def test_the_manifest_tells_what_only_the_raw_result_has() -> None:
    result: Any = {"content": [{"type": "text", "text": "x"}] * 103, "isError": True}
    answer = read_answer(result)
    read = json.loads(b"".join(manifest_file(TOLD, [], answer).chunks()))
    assert read["partsOnlyInRawResult"] == 3
    assert read["isError"] is True
    assert read["ended"] == "2026-01-12T15:00:58+00:00"
