"""The bundled server over Streamable HTTP on 127.0.0.1; prints its URL, ends with its stdin."""

from __future__ import annotations

import os
import socket
import sys
import threading

import uvicorn

from signoff.app.demo.sandbox import Sandbox
from signoff.app.demo.server import build_server


def main() -> None:
    """Serve until standard input ends; the argument is the seconds of one step."""
    listening = socket.create_server(("127.0.0.1", 0))
    sandbox = Sandbox(None)
    server = build_server(sandbox, lambda noise: None, step_seconds=float(sys.argv[1]))
    app = server.streamable_http_app()

    def end() -> None:
        sys.stdin.read()
        sandbox.close()
        os._exit(0)

    threading.Thread(target=end, daemon=True).start()
    print(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="critical")).run([listening])


if __name__ == "__main__":
    main()
