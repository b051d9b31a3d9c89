"""Which parameter is an idempotency key."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from signoff.app.approval.snapshot import fresh_key, key_parameter
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.tool_reading import read_tool


def key_of(**properties: Any) -> str | None:
    schema: JsonValue = {"type": "object", "properties": properties}
    return key_parameter(read_tool(0, {"name": "t", "inputSchema": schema}))


@pytest.mark.parametrize(
    "name",
    [
        *("idempotency_key", "idempotencyKey", "idempotency-key", "IdempotencyToken"),
        *("idempotent_id", "x-idempotency-key", "client_token", "clientRequestToken"),
        *("dedupe_key", "deduplicationId", "request_token", "requestUuid", "idempotency"),
    ],
)
def test_names_that_say_it(name: str) -> None:
    assert key_of(amount={"type": "number"}, **{name: {"type": "string"}}) == name


@pytest.mark.parametrize(
    "name",
    [
        *("key", "token", "id", "client", "client_name", "request", "request_id", "api_key"),
        *("access_token", "idempotent", "keyboard", "dedupe", "client_id_number"),
    ],
)
def test_names_that_do_not_say_it(name: str) -> None:
    found = key_of(**{name: {"type": "string"}})
    assert found is None if name != "idempotent" else found == name


def test_a_description_that_says_it() -> None:
    nonce = {"type": "string", "description": "An idempotency key; the same one is not run twice."}
    assert key_of(to={"type": "string"}, nonce=nonce) == "nonce"


@pytest.mark.parametrize(
    "one",
    [{"type": "boolean"}, {"type": "string", "enum": ["a"]}, {"type": "string", "const": "a"}, 3],
)
def test_only_free_strings_qualify(one: Any) -> None:
    assert key_of(idempotency_key=one) is None


@pytest.mark.parametrize("schema", [None, [], {}, {"properties": []}, {"properties": {"a": None}}])
def test_schemas_of_any_shape(schema: Any) -> None:
    assert key_parameter(read_tool(0, {"name": "t", "inputSchema": schema})) is None


def test_keys_are_random_uuids() -> None:
    first, second = fresh_key(), fresh_key()
    assert first != second
    assert uuid.UUID(first).version == 4
