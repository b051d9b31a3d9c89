"""A server of both eras whose tool `delete` asks in 2025-11-25 only. The first word is its mood:

`open` acts in 2026-07-28 without asking; `no-channel` fails there, as the SDK's `ctx.elicit` does;
`one-sided` is `no-channel` whose tools `delete` and `purge` are listed in 2025-11-25 alone;
`dies` exits at the first request of the era that the second word names, and `silent` ignores it.

To act is to append a line to `done.txt` in the folder that the server was started in.
"""

import json
import sys
from typing import Any

MOOD, STUCK = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
META = "io.modelcontextprotocol/"
FRESH = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
NO_CHANNEL = "Cannot send 'elicitation/create': there is no back-channel for requests."
INPUT = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
FORM = {
    "type": "object",
    "properties": {"confirm": {"type": "boolean"}},
    "required": ["confirm"],
}
can_ask = False
waiting: dict[str, tuple[Any, str]] = {}


def send(**message: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def text(words: str, *, is_error: bool = False) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}], "isError": is_error}


def act(path: str) -> dict[str, Any]:
    with open("done.txt", "a", encoding="utf-8") as file:
        file.write(f"{path}\n")
    return text("deleted")


def called(identity: Any, path: str, *, is_modern: bool) -> None:
    if is_modern and MOOD == "open":
        send(id=identity, result=act(path) | FRESH)
    elif is_modern:
        send(id=identity, error={"code": -32600, "message": NO_CHANNEL})
    elif not can_ask:
        send(id=identity, result=text("this client cannot be asked", is_error=True))
    else:
        asked = f"asked-{identity}"
        waiting[asked] = identity, path
        params = {"message": f"Delete {path}?", "requestedSchema": FORM}
        send(id=asked, method="elicitation/create", params=params)


def answered(asked: str, result: dict[str, Any]) -> None:
    identity, path = waiting.pop(asked)
    is_yes = result.get("action") == "accept" and result.get("content", {}).get("confirm") is True
    send(id=identity, result=act(path) if is_yes else text("kept"))


def tools(*, is_modern: bool) -> list[dict[str, Any]]:
    names = ["look"] if MOOD == "one-sided" else ["delete"]
    if MOOD == "one-sided" and not is_modern:
        names += ["delete", "purge"]
    return [{"name": one, "description": one, "inputSchema": INPUT} for one in names]


def main() -> None:
    global can_ask
    for line in sys.stdin:
        message = json.loads(line)
        method, identity = message.get("method"), message.get("id")
        params = message.get("params") or {}
        is_modern = f"{META}protocolVersion" in (params.get("_meta") or {})
        first = "server/discover" if STUCK == "2026-07-28" else "initialize"
        if STUCK and method == first:
            if MOOD == "dies":
                sys.exit(3)
            continue
        match method:
            case "server/discover":
                offered = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
                send(id=identity, result=offered | FRESH)
            case "initialize":
                can_ask = "elicitation" in params["capabilities"]
                result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
                named = {"serverInfo": {"name": "two-eras", "version": "1"}}
                send(id=identity, result=result | named)
            case "tools/list":
                send(id=identity, result={"tools": tools(is_modern=is_modern)} | FRESH)
            case "tools/call" if params["name"] == "look":
                send(id=identity, result=text("seen") | FRESH)
            case "tools/call":
                called(identity, params["arguments"]["path"], is_modern=is_modern)
            case None if identity in waiting:
                answered(identity, message.get("result") or {})
            case str() if identity is not None:
                send(id=identity, error={"code": -32601, "message": "no such method"})


if __name__ == "__main__":
    main()
