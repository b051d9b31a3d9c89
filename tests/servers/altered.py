"""A stdio server that is as it was, or altered in one way, which a file names: `altered.py [FILE]`.

`report` answers with another id, time and number in each process.
"""

from __future__ import annotations

import json
import os
import sys
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path

READS = {"readOnlyHint": True, "openWorldHint": False}
ADDS = {"readOnlyHint": False, "destructiveHint": False}
DESTROYS = {"readOnlyHint": False, "destructiveHint": True}
NOTE = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "words": {"type": "integer"}},
    "required": ["title", "words"],
}


def definitions(way: str) -> list[dict[str, object]]:
    hints = {
        "remove_note" if way == "renamed" else "delete_note": ADDS if way == "hint" else DESTROYS,
        "add_note": READS if way == "no dialog" else ADDS,
        "read_note": {} if way == "a dialog" else READS,
        "import_notes": READS,
        "ask_owner": READS,
        "report": READS,
    }
    tools: list[dict[str, object]] = [
        {"name": name, "inputSchema": {"type": "object"}, "annotations": claims}
        for name, claims in hints.items()
    ]
    tools[2]["outputSchema"] = NOTE
    return tools


class Server:
    """Answers one line after the other."""

    def __init__(self, way: str) -> None:
        self.way = way

    def run(self) -> None:
        for line in sys.stdin:
            message = json.loads(line)
            if "method" in message and "id" in message:
                self.answer(message["id"], message["method"], message.get("params") or {})

    def answer(self, at: object, method: str, params: dict[str, object]) -> None:
        match method:
            case "initialize":
                version = params["protocolVersion"]
                about = {"name": "altered", "version": "1"}
                greeting = {"capabilities": {"tools": {}}, "serverInfo": about}
                self.tell(id=at, result={"protocolVersion": version, **greeting})
            case "tools/list":
                self.tell(id=at, result={"tools": definitions(self.way)})
            case "tools/call":
                self.call(at, params)
            case _:
                self.tell(id=at, error={"code": -32601, "message": f"no {method}"})

    def call(self, at: object, params: dict[str, object]) -> None:
        structured: dict[str, object] | None = None
        match params["name"]:
            case "delete_note":
                text = "deleted todo.txt"
            case "add_note" if self.way == "error":
                self.tell(id=at, error={"code": -32603, "message": "the disk is full"})
                return
            case "add_note":
                text = "added a note of 12 words" if self.way == "content" else "added a note"
            case "read_note":
                structured = {"title": "todo", "words": "three" if self.way == "schema" else 3}
                text = json.dumps(structured)
            case "import_notes":
                self.progress(params)
                text = "imported 3 notes"
            case "ask_owner":
                text = "done unasked" if self.way == "unasked" else f"done: {self.elicited()}"
            case _:
                made = datetime.now(UTC).isoformat(timespec="seconds")
                job = f"7{uuid.uuid4().hex[:6]}e"
                text = f"job {job} took {time.perf_counter_ns()} ns, 3 notes"
                structured = {"pid": os.getpid(), "made": made, "status": "ok"}
        result: dict[str, object] = {"content": [{"type": "text", "text": text}]}
        if structured is not None and params.get("arguments") != {"plain": True}:
            result["structuredContent"] = structured
        self.tell(id=at, result=result)

    def progress(self, params: dict[str, object]) -> None:
        meta = params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        for done in (1, 3, 2) if self.way == "backwards" else (1, 2, 3):
            about = {"progressToken": token, "progress": done, "total": 3}
            self.tell(method="notifications/progress", params=about)

    def elicited(self) -> str:
        form = {"type": "object", "properties": {"sure": {"type": "boolean"}}}
        about = {"message": "Shall it be done?", "requestedSchema": form}
        self.tell(id="question", method="elicitation/create", params=about)
        for line in sys.stdin:
            message = json.loads(line)
            if message.get("id") == "question":
                return str(message["result"]["action"])
        return "nothing"

    def tell(self, **message: object) -> None:
        print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


if __name__ == "__main__":
    file = Path(sys.argv[1]) if sys.argv[1:] else None
    Server(file.read_text().strip() if file and file.exists() else "").run()
