"""Extensions that a relay declares for a host: in which of its requests, and in no other."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.app.transport.host import CLIENT_CAPABILITIES, declaring, meta_declaring

MORE: dict[str, Any] = {"a/one": {}}
VERSION = "io.modelcontextprotocol/protocolVersion"


def modern(capabilities: Any) -> dict[str, Any]:
    return {"cursor": "1", "_meta": {VERSION: "2026-07-28", CLIENT_CAPABILITIES: capabilities}}


def request(method: str, params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


@pytest.mark.parametrize("before", [{}, {"roots": {}}, {"extensions": {"b": {"c": 1}}}])
def test_the_handshake_gets_the_extension_and_keeps_all_else(before: dict[str, Any]) -> None:
    given = {"protocolVersion": "2025-11-25", "capabilities": before}
    after = declaring(request("initialize", given), MORE)
    extensions = {**MORE, **before.get("extensions", {})}
    wanted = {**given, "capabilities": {**before, "extensions": extensions}}
    assert after == request("initialize", wanted)
    assert MORE == {"a/one": {}}


@pytest.mark.parametrize("method", ["tools/list", "server/discover"])
def test_the_list_and_the_discovery_of_2026_get_it_in_meta(method: str) -> None:
    assert declaring(request(method, modern({})), MORE) == request(
        method, modern({"extensions": MORE})
    )


@pytest.mark.parametrize(
    "message",
    [
        request("tools/list", {}),
        request("tools/call", modern({})),
        request("tools/resolve", modern({})),
        request("resources/list", modern({})),
        request("tools/list", modern({"extensions": {"a/one": {"other": 1}}})),
        request("tools/list", modern("capabilities")),
        request("tools/list", modern({"extensions": []})),
        request("initialize", {"capabilities": {"extensions": MORE}}),
        request("initialize", {"capabilities": None}),
        request("initialize", None),
        {"jsonrpc": "2.0", "id": 1, "result": {}},
    ],
)
def test_no_other_line_changes(message: dict[str, Any]) -> None:
    assert declaring(message, MORE) is None
    assert declaring(message, {}) is None


def test_a_request_of_signoffs_own_declares_it_in_the_revision_that_has_meta() -> None:
    meta = modern({"roots": {}})["_meta"]
    assert meta_declaring(meta, MORE)[CLIENT_CAPABILITIES] == {"roots": {}, "extensions": MORE}
    assert meta_declaring(meta, {}) == meta
    assert meta_declaring({}, MORE) == {}
