"""Tools whose answers break the protocol, their own schema, the line, or the process."""

from __future__ import annotations

import json

from tests.servers._wire import Call, JsonObject
from tests.servers.registry import READ_ONLY, tool

_TEXT_BLOCK = '{"type":"text","text":"%s"}'
_COUNT: JsonObject = {
    "type": "object",
    "properties": {"count": {"type": "integer"}, "names": {"type": "array"}},
    "required": ["count"],
}
_TASK: JsonObject = {
    "taskId": "786512e2",
    "status": "working",
    "createdAt": "2026-11-22T10:00:00Z",
    "lastUpdatedAt": "2026-11-22T10:00:00Z",
    "ttl": 60000,
}
LAST_WORDS = (
    "Traceback (most recent call last):\n"
    '  File "server.py", line 1, in <module>\n'
    "RuntimeError: the flux capacitor is empty\n"
)


def _send_text_result(call: Call, text: str) -> None:
    call.wire.send_bytes(call.raw_result(f'{{"content":[{_TEXT_BLOCK % text}]}}'))


@tool("Answers with a JSON-RPC error.", annotations=READ_ONLY)
def error(call: Call) -> None:
    call.error(-32000, "boom [/] \x1b[31mred", {"detail": "more"})


@tool("Says isError.", annotations=READ_ONLY)
def is_error(call: Call) -> None:
    call.text("it did not work", isError=True)


@tool("Answers with content of an unknown type.", annotations=READ_ONLY)
def unknown_block(call: Call) -> None:
    blocks = [{"type": "video", "data": "eA=="}, {"type": "text", "text": "after the video"}]
    call.answer({"content": blocks})


@tool("Answers with blocks that break their schema.", annotations=READ_ONLY)
def malformed_blocks(call: Call) -> None:
    good = {"type": "text", "text": "the good one"}
    call.answer({"content": [5, {"type": "text"}, {"type": "image", "data": 7}, good, None]})


@tool("Answers without content.", annotations=READ_ONLY)
def no_content(call: Call) -> None:
    call.answer({})


@tool("Answers with a result that is no object.", annotations=READ_ONLY)
def not_an_object(call: Call) -> None:
    call.answer("just text")


@tool("Answers with a kind of result of its own.", annotations=READ_ONLY, output=_COUNT)
def odd_result_type(call: Call) -> None:
    call.answer({"resultType": "weather", "forecast": "rain"})


@tool("Starts a task that nobody asked for.", annotations=READ_ONLY, output=_COUNT)
def starts_task(call: Call) -> None:
    call.wire.send({"jsonrpc": "2.0", "id": call.id, "result": {"task": _TASK}})


@tool(
    "Only runs as a task.", annotations=READ_ONLY, more={"execution": {"taskSupport": "required"}}
)
def only_as_task(call: Call) -> None:
    call.error(-32601, "Method not found")


@tool("For the app alone.", annotations=READ_ONLY, more={"_meta": {"ui": {"visibility": ["app"]}}})
def for_the_app(call: Call) -> None:
    call.text("refreshed")


@tool("Wants the person to visit a web page first.", annotations=READ_ONLY)
def needs_visit(call: Call) -> None:
    visit = {"mode": "url", "elicitationId": "1", "url": "https://login.example/start"}
    data = {"elicitations": [{**visit, "message": "Sign in first"}]}
    call.error(-32042, "URL elicitation required", data)


@tool("Needs what no client without elicitation has.", annotations=READ_ONLY)
def needs_capability(call: Call) -> None:
    call.error(-32021, "no", {"requiredCapabilities": {"elicitation": {"form": {}}}})


@tool("Answers with neither result nor error.", annotations=READ_ONLY)
def neither(call: Call) -> None:
    call.wire.send({"jsonrpc": "2.0", "id": call.id})


@tool("Structured content that is an array.", annotations=READ_ONLY)
def array_structured(call: Call) -> None:
    call.text("[1, 2]", structuredContent=[1, 2])


@tool("Structured content that keeps its schema.", annotations=READ_ONLY, output=_COUNT)
def structured(call: Call) -> None:
    call.text('{"count": 3}', structuredContent={"count": 3})


@tool("Structured content that breaks its schema.", annotations=READ_ONLY, output=_COUNT)
def structured_mismatch(call: Call) -> None:
    call.text("{}", structuredContent={"names": "not a list", "count": "three"})


@tool("Promises structured content and has none.", annotations=READ_ONLY, output=_COUNT)
def structured_missing(call: Call) -> None:
    call.text("sorry")


@tool(
    "Its schema makes validators backtrack for ever.",
    annotations=READ_ONLY,
    output={"type": "object", "properties": {"text": {"type": "string", "pattern": "^(a+)+$"}}},
)
def redos(call: Call) -> None:
    call.text("aaa", structuredContent={"text": "a" * 60 + "!"})


@tool("A line of invalid UTF-8 comes before the answer.", annotations=READ_ONLY)
def invalid_utf8(call: Call) -> None:
    call.wire.send_bytes(b'{"jsonrpc":"2.0","method":"x\xff\xfe\xc3("}\n')
    call.text("after the bad bytes")


@tool("Invalid UTF-8 inside the answer.", annotations=READ_ONLY)
def invalid_utf8_inside(call: Call) -> None:
    line = call.raw_result(f'{{"content":[{_TEXT_BLOCK % "bad ~ byte"}]}}')
    call.wire.send_bytes(line.replace(b"~", b"\xff"))


@tool("The answer is pretty-printed over several lines.", annotations=READ_ONLY)
def pretty_printed(call: Call) -> None:
    message = json.loads(call.raw_result(f'{{"content":[{_TEXT_BLOCK % "pretty"}]}}'))
    call.wire.send_bytes(json.dumps(message, indent=2).encode() + b"\n")


@tool("The answer begins with a byte order mark.", annotations=READ_ONLY)
def byte_order_mark(call: Call) -> None:
    line = call.raw_result(f'{{"content":[{_TEXT_BLOCK % "after the mark"}]}}')
    call.wire.send_bytes(b"\xef\xbb\xbf" + line)


@tool("Carriage returns end the lines, and blank lines stand between.", annotations=READ_ONLY)
def carriage_returns(call: Call) -> None:
    line = call.raw_result(f'{{"content":[{_TEXT_BLOCK % "with returns"}]}}')
    call.wire.send_bytes(b"\r\n\n" + line[:-1] + b"\r\n")


@tool("A text of 5 MB.", annotations=READ_ONLY)
def big(call: Call) -> None:
    _send_text_result(call, "0123456789abcdef" * (5 * 1024 * 64))


@tool("A line of more than 64 MB.", annotations=READ_ONLY)
def too_big(call: Call) -> None:
    _send_text_result(call, "0123456789abcdef" * (65 * 1024 * 64))


@tool("An integer of 5,000 digits.", annotations=READ_ONLY)
def huge_integer(call: Call) -> None:
    result = f'{{"content":[],"structuredContent":{{"n":{"9" * 5000}}}}}'
    call.wire.send_bytes(call.raw_result(result))


@tool("JSON of 5,000 levels.", annotations=READ_ONLY)
def deep(call: Call) -> None:
    nested = '{"a":' * 5000 + "1" + "}" * 5000
    call.wire.send_bytes(call.raw_result(f'{{"content":[],"structuredContent":{nested}}}'))


@tool("A lone surrogate.", annotations=READ_ONLY)
def lone_surrogate(call: Call) -> None:
    _send_text_result(call, r"half \ud83d of one")


@tool("The same key twice.", annotations=READ_ONLY)
def duplicate_keys(call: Call) -> None:
    twice = '{"content":[%s],"isError":true,"isError":false}' % (_TEXT_BLOCK % "which?")
    call.wire.send_bytes(call.raw_result(twice))


@tool("NaN and Infinity, which are not JSON.", annotations=READ_ONLY)
def not_json_numbers(call: Call) -> None:
    result = '{"content":[],"structuredContent":{"a":NaN,"b":-Infinity}}'
    call.wire.send_bytes(call.raw_result(result))


@tool("Prints to stdout before it answers.", annotations=READ_ONLY)
def noise(call: Call) -> None:
    call.wire.send_bytes(b"DEBUG: working on it [/] \x1b[31m\n")
    call.text("after the noise")


@tool("Sends valid JSON that is no JSON-RPC.", annotations=READ_ONLY)
def not_jsonrpc(call: Call) -> None:
    call.wire.send_bytes(b'{"level":"info","msg":"hello"}\n[]\n17\n"text"\nnull\n')
    call.text("after the JSON")


@tool("Answers a question that nobody asked.", annotations=READ_ONLY)
def unknown_id(call: Call) -> None:
    call.wire.send({"jsonrpc": "2.0", "id": "nobody", "result": {"content": []}})
    call.text("after the stray answer")


@tool("Colours, cursor movements and a title on stderr.", annotations=READ_ONLY)
def colours(call: Call) -> None:
    line = "\x1b[31mRED-STDERR\x1b[0m \x1b[2J\x1b[1;1H\x1b]0;TITLE\x07 STDERR-END\n"
    call.wire.print_error(line * 5)
    call.text("written to stderr")


@tool("Hostile text in every kind of block.", annotations=READ_ONLY)
def hostile_answer(call: Call) -> None:
    text = "[@click=app.quit]x[/] [/] \x1b[2J \x1b]52;c;eA==\x07 \x9b2J \u202eabc \u200b"
    call.answer(
        {
            "content": [
                {"type": "text", "text": text},
                {"type": "resource_link", "uri": "javascript:alert(1)", "name": text},
                {"type": "resource", "resource": {"uri": text, "text": text}},
                {"type": "image", "data": "bm90IGFuIGltYWdl", "mimeType": text},
            ],
            "structuredContent": {text: [text]},
        }
    )


@tool("Dies in the middle of the call.", annotations=READ_ONLY)
def crash(call: Call) -> None:
    call.progress(1, 2, "about to die")
    call.wire.end(7, LAST_WORDS)


@tool("Ends politely in the middle of the call.", annotations=READ_ONLY)
def leave(call: Call) -> None:
    call.wire.end(0)
