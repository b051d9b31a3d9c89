"""The scripted server, asking for data that it suggests itself whenever it gets SIGUSR1."""

from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.servers.options import parse
from tests.servers.scripted import Server

assert sys.platform != "win32"

SURE = {"type": "object", "properties": {"sure": {"type": "boolean", "default": True}}}
PARAMS = {"message": "Approve this call?", "requestedSchema": SURE}

if __name__ == "__main__":
    server = Server(parse(sys.argv[1:]))

    def ask(number: int, frame: object) -> None:
        threading.Thread(
            target=server.wire.ask, args=("elicitation/create", PARAMS), daemon=True
        ).start()

    signal.signal(signal.SIGUSR1, ask)
    server.run()
