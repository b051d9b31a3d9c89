"""`python -m tests.forking.forkserver DESCRIPTOR`: import everything, then fork for who asks.

It ends when the other end of its socket is closed.
"""

from __future__ import annotations

import gc
import importlib
import os
import pkgutil
import socket
import sys
from functools import partial

from tests.forking.asked import answer, pair, receive
from tests.forking.begin import become
from tests.forking.sibling import fork_sibling

assert sys.platform != "win32"

START_SERVERS = ("signoff.app", "screenshots.take")
"""Modules of which a server is started, most often the bundled one."""
_WITHOUT = ("__main__", "pytest_signoff", "console_driver")
_BESIDES = (
    *("mcp", "mcp.client.stdio", "mcp.server.mcpserver", "mcp.server.lowlevel"),
    *("asyncio", "http.server", "runpy", "socketserver", "uvicorn"),
    *("jsonschema", "psutil", "textual.widgets", "textual.drivers.linux_driver"),
    *("PIL.Image", "PIL.PngImagePlugin", "pygments.lexers", "ruamel.yaml", "sqlite3"),
)


def main() -> None:
    gc.disable()
    channel = socket.socket(fileno=int(sys.argv[1]))
    # What stands first is the folder that this program was started in, by `-m`.
    variable = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    path = [one for one in sys.path[1:] if one not in variable]
    _import_all()
    gc.collect()
    gc.freeze()
    serve(channel, path)
    os._exit(0)


def _import_all() -> None:
    for name in _BESIDES:
        importlib.import_module(name)
    for package in ("signoff.app", "signoff.widgets"):
        found = importlib.import_module(package)
        for module in pkgutil.walk_packages(found.__path__, package + "."):
            if module.name.rpartition(".")[2] not in _WITHOUT:
                importlib.import_module(module.name)


def serve(channel: socket.socket, path: list[str]) -> None:
    """Fork for each request, until nobody can ask any more."""
    while (asked := receive(channel)) is not None:
        run, descriptors = asked
        if fork_sibling() == 0:
            kept = _keep_a_fork(path, descriptors) if run.name in START_SERVERS else None
            become(run, descriptors, path, partial(answer, channel, os.getpid()), kept)
        for one in descriptors:
            os.close(one)


def _keep_a_fork(path: list[str], descriptors: list[int]) -> int:
    """What this program will start is forked from what it was before it began; the descriptor."""
    from tests.forking import popen

    own, other = pair()
    if os.fork() == 0:
        own.close()
        os.setsid()
        for one in descriptors:
            os.close(one)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nowhere, number)
        serve(other, path)
        os._exit(0)
    other.close()
    popen.use(popen.Forks(own, os.environ, is_nested=True))
    return own.fileno()


if __name__ == "__main__":
    main()
