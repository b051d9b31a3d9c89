"""A legacy server that does not survive a first message other than `initialize`, as a script."""

EXITS = """
import json, os, sys

TOOLS = [{"name": "echo", "inputSchema": {"type": "object"}}]
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
         "serverInfo": {"name": "s", "version": "1"}}
RESULTS = {"initialize": HELLO, "tools/list": {"tools": TOOLS}, "ping": {}}
for line in sys.stdin:
    body = json.loads(line)
    if body["method"] == "server/discover":
        if sys.argv[1] == "abort":
            os.abort()
        if sys.argv[1] == "exit":
            print("expected initialize", file=sys.stderr)
            sys.exit(3)
    elif "id" in body:
        answer = {"jsonrpc": "2.0", "id": body["id"], "result": RESULTS[body["method"]]}
        print(json.dumps(answer), flush=True)
"""
