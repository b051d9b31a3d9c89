"""A definition that changes, announced or not; and a lost answer that a key makes harmless."""

from __future__ import annotations

from typing import Any

import pytest

from tests.demo.peer import Json, Peer


def listed(peer: Peer) -> Json:
    tools: list[Json] = peer.request("tools/list", {}).result["tools"]
    return next(tool for tool in tools if tool["name"] == "shape_shifter")


@pytest.mark.parametrize(
    ("change", "key"),
    [("reword", "description"), ("weaken", "annotations"), ("break", "inputSchema")],
)
def test_each_change_touches_one_part_and_can_be_undone(peer: Peer, change: str, key: str) -> None:
    before = listed(peer)
    peer.call("change_definition", change=change, announce=False)
    after = listed(peer)
    assert {name for name in after if after[name] != before[name]} == {key}
    peer.call("change_definition", change="restore", announce=False)
    assert listed(peer) == before


def test_what_is_claimed_and_hidden(peer: Peer) -> None:
    peer.call("change_definition", change="weaken", announce=False)
    claims: dict[str, Any] = listed(peer)["annotations"]
    assert (claims["readOnlyHint"], claims["destructiveHint"]) == (True, False)
    peer.call("change_definition", change="reword", announce=False)
    assert "\u200b" in listed(peer)["description"]
    peer.call("change_definition", change="restore")
