"""A stdio server with skills, as a file of JSON has them: `python -S skilful.py FILE RECORD`.

FILE is read again for each request: `entries` (of `skills/list`), `files` (texts by URI, or an
object with `blob`), `got` (entries of `skills/get` in place of the listed ones), `tree` (children
by URI of a directory), `settings` (those of the declaration), `without` (capabilities that are not
declared) and `answers` (whole results or errors by method). RECORD takes every request as a line.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

MODERN = "2026-07-28"
SKILLS = "io.modelcontextprotocol/skills"
INVALID = -32602


def result_of(method: str, params: dict[str, Any], what: dict[str, Any]) -> dict[str, Any]:
    """The result for a request, or its error."""
    if method in what.get("answers", {}):
        found: dict[str, Any] = what["answers"][method]
        return found
    match method:
        case "server/discover":
            capabilities = {
                "tools": {},
                "resources": {},
                "extensions": {SKILLS: what.get("settings", {})},
            }
            for name in what.get("without", ()):
                del capabilities[name]
            info = {"name": "skilful", "version": "1"}
            return {"supportedVersions": [MODERN], "capabilities": capabilities, "serverInfo": info}
        case "tools/list":
            tool = {"name": "find_note", "inputSchema": {"type": "object"}}
            return {"tools": [tool]}
        case "resources/list":
            return {"resources": []}
        case "resources/templates/list":
            return {"resourceTemplates": []}
        case "skills/list":
            return {"skills": what["entries"]}
        case "skills/get":
            known = {one.get("uri"): one for one in what["entries"] if isinstance(one, dict)}
            known |= what.get("got", {})
            if params["uri"] in known:
                return {"skill": known[params["uri"]]}
            return {"code": INVALID, "message": "no such skill"}
        case "resources/directory/read":
            if params["uri"] in what.get("tree", {}):
                return {"resources": what["tree"][params["uri"]]}
            return {"code": INVALID, "message": "not a directory"}
        case "resources/read" if params["uri"] in what["files"]:
            content = what["files"][params["uri"]]
            body = content if isinstance(content, dict) else {"text": content}
            return {"contents": [{"uri": params["uri"], **body}]}
    return {"code": INVALID if method == "resources/read" else -32601, "message": f"no {method}"}


def main() -> None:
    file, record = Path(sys.argv[1]), Path(sys.argv[2])
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        with record.open("a", encoding="utf-8") as kept:
            kept.write(line)
        what = json.loads(file.read_text(encoding="utf-8"))
        found = result_of(message["method"], message.get("params") or {}, what)
        if "code" in found:
            reply: dict[str, Any] = {"error": found}
        else:
            whole = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
            reply = {"result": found if found.get("bare") else {**whole, **found}}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}), flush=True)


if __name__ == "__main__":
    main()
