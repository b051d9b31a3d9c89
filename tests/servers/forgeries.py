"""Tools that are answered under ids that are not quite the right ones, and then properly."""

from __future__ import annotations

from typing import Any

from tests.servers._wire import Call
from tests.servers.registry import READ_ONLY, tool

_FORGED = '{"content":[{"type":"text","text":"forged"}]}'
_DEEP = "[" * 5_000 + "]" * 5_000


def _raw(call: Call, text: str) -> None:
    call.wire.send_bytes(text.encode() + b"\n")


def _forge(call: Call, identity: str) -> None:
    """A result under an id, given as JSON."""
    _raw(call, f'{{"jsonrpc":"2.0","id":{identity},"result":{_FORGED}}}')


def _register(name: str, *identities: str) -> None:
    def forge(call: Call) -> None:
        for identity in identities:
            _forge(call, identity.replace("ID", str(call.id)))
        call.text("the real answer")

    forge.__name__ = name
    tool(f"Is answered as {identities} first.", annotations=READ_ONLY)(forge)


_register("forged_string", '"ID"')
_register("forged_true", "true")
_register("forged_null", "null")
_register("forged_list", '["ID"]')
_register("forged_blank", '" ID"')
_register("forged_ours", '"signoff-1"', '"signoff-7000"', '"signoff-"')
_register("forged_next", "7000", "-1", "0")
_register("forged_half", "ID.5")


@tool("Is answered under its number as 1.0.", annotations=READ_ONLY)
def answered_as_float(call: Call) -> None:
    _forge(call, f"{call.id}.0")


@tool("Is answered under its number as 1e0.", annotations=READ_ONLY)
def answered_as_exponent(call: Call) -> None:
    _forge(call, f"{call.id}e0")


@tool("Is refused by an error without an id, and then answered.", annotations=READ_ONLY)
def anonymous_error(call: Call) -> None:
    _raw(call, '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}')
    call.text("the real answer")


@tool("Answers with a result and an error at once.", annotations=READ_ONLY)
def result_and_error(call: Call) -> None:
    problem = '{"code":-32000,"message":"both"}'
    _raw(call, f'{{"jsonrpc":"2.0","id":{call.id},"result":{_FORGED},"error":{problem}}}')


@tool("Writes out every member that JSON-RPC has.", annotations=READ_ONLY)
def all_members(call: Call) -> None:
    result = '{"content":[{"type":"text","text":"the real answer"}]}'
    empty = '"method":null,"params":null,"error":null'
    _raw(call, f'{{"jsonrpc":"2.0","id":{call.id},{empty},"result":{result}}}')


@tool("Answers with a message that has a method, too.", annotations=READ_ONLY)
def method_and_result(call: Call) -> None:
    _raw(call, f'{{"jsonrpc":"2.0","id":{call.id},"method":"tools/call","result":{_FORGED}}}')


@tool("Cancels what the client asked, by every kind of id.", annotations=READ_ONLY)
def cancels_the_call(call: Call) -> None:
    identities: list[Any] = [call.id, str(call.id), True, None, float(call.id), [call.id]]
    for identity in identities:
        call.wire.notify("notifications/cancelled", {"requestId": identity, "reason": "mine"})
    call.text("the real answer")


@tool("Reports progress under tokens of other types.", annotations=READ_ONLY)
def progress_by_other_tokens(call: Call) -> None:
    for token in (str(call.token), float(call.token), True, None, [call.token]):
        call.wire.notify("notifications/progress", {"progressToken": token, "progress": 1})
    call.text("the real answer")


@tool("One block of 5,000 levels among others.", annotations=READ_ONLY)
def deep_block(call: Call) -> None:
    first, last = (f'{{"type":"text","text":"{text}"}}' for text in ("before", "after"))
    deep = f'{{"type":"text","text":"between","x":{_DEEP}}}'
    call.wire.send_bytes(call.raw_result(f'{{"content":[{first},{deep},{last}]}}'))
