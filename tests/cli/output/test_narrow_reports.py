"""Reports on a terminal: a server's words never begin a row of their own, however narrow it is."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from pyte import HistoryScreen, Stream

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.definitions.pins import write_pin

FORGED = "FORGED"
FILL = "x" * 7
SERVER = f'''
import json, sys

LONG = " ".join(["{FILL} {FORGED} approved"] * 40)
TOOLS = [{{
    "name": "tool",
    "title": LONG,
    "description": LONG,
    "inputSchema": {{"type": "object", "properties": {{"x": {{"enum": [LONG]}}}}}},
    "outputSchema": {{"type": "object", "required": [LONG]}},
    "annotations": {{"readOnlyHint": LONG}},
}}]
ANSWER = {{
    "content": [
        {{"type": "text", "text": LONG + "\\n" + "{FORGED}" * 60}},
        {{"type": "resource_link", "uri": "x:" + LONG, "name": LONG, "description": LONG}},
        {{"type": LONG, "said": LONG}},
        {{"type": "text", "text": "t", "annotations": {{"lastModified": LONG}}}},
    ],
    "structuredContent": {{"said": LONG}},
}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    given = {{
        "initialize": {{
            "protocolVersion": "2025-06-18",
            "capabilities": {{"tools": {{}}}},
            "serverInfo": {{"name": LONG, "version": LONG}},
        }},
        "tools/list": {{"tools": TOOLS}},
        "tools/call": ANSWER,
    }}.get(asked["method"])
    answer = {{"jsonrpc": "2.0", "id": asked["id"]}}
    if given is None or "--broken" in sys.argv:
        answer["error"] = {{"code": -32601, "message": LONG}}
    else:
        answer["result"] = given
    print(LONG, file=sys.stderr, flush=True)
    print(json.dumps(answer), flush=True)
'''


def rows_of(folder: Path, columns: int, *words: str) -> list[str]:
    """What the real command leaves on a terminal of so many columns, as the terminal breaks it."""
    if sys.platform == "win32":
        pytest.skip("this is for POSIX")
    import fcntl
    import pty
    import termios

    script = folder / "server.py"
    script.write_text(SERVER, encoding="utf-8")
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {**os.environ, "XDG_STATE_HOME": str(folder), "TERM": "xterm-256color"}
    is_broken = "--broken" in words
    words = (*(word for word in words if word != "--broken"), "--", sys.executable, "server.py")
    process = subprocess.Popen(
        [sys.executable, "-m", "signoff.app", *words, *(["--broken"] if is_broken else [])],
        stdin=subprocess.DEVNULL,
        stdout=slave,
        stderr=slave,
        env=environment,
        cwd=folder,
    )
    os.close(slave)
    screen = HistoryScreen(columns, 24, history=10_000, ratio=1)
    stream = Stream(screen)
    try:
        while chunk := os.read(master, 65536):
            stream.feed(chunk.decode("utf-8", "replace"))
    except OSError:
        pass  # The other end of the terminal is closed.
    finally:
        process.kill()
        process.wait()
        os.close(master)
    above = ["".join(row[at].data for at in range(columns)) for row in screen.history.top]
    return [row.rstrip() for row in (*above, *screen.display)]


@pytest.mark.slow
@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize(
    "words",
    [
        ("tools",),
        ("call", "tool", "--approve", "always"),
        ("call", "tool", "--approve", "always", "-a", 'x="y"'),
        ("call", "tool", "--approve", "always", "--twice"),
        ("call", "tool", "--approve", "always", "--although-invalid", "-a", "x=y"),
        ("call", "tol"),
        ("archetypes",),
        ("matrix",),
        ("policy", "explain", "tool"),
        ("diff", "--pin", "pin.json"),
        ("lint", "--pin", "pin.json"),
        ("tools", "--broken"),
    ],
    ids=" ".join,
)
def test_no_words_of_a_server_begin_a_row(
    tmp_path: Path, words: tuple[str, ...], columns: int
) -> None:
    if "--pin" in words:
        old: JsonValue = {"name": "tool", "inputSchema": {"type": "object"}, "description": "short"}
        (tmp_path / "pin.json").write_text(write_pin("s", [old]), encoding="utf-8")
    rows = rows_of(tmp_path, columns, *words)
    assert any(rows)
    forged = [row for row in rows if re.match("x|[FORGED]{2}|approved", row)]
    assert forged == []
    if words[0] in ("call", "tools", "diff") and "tol" not in words:
        assert any(FORGED in row for row in rows)
