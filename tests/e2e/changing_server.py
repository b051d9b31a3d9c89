"""The scripted server, changing its list of tools whenever it gets SIGUSR1."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.servers.options import parse
from tests.servers.scripted import Server

assert sys.platform != "win32"

if __name__ == "__main__":
    server = Server(parse(sys.argv[1:]))
    signal.signal(signal.SIGUSR1, lambda number, frame: server.change_tools())
    server.run()
