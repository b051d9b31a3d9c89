"""The scripted server with two tools more: one of narrow arguments, one of a secret."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from tests.servers._wire import Call
from tests.servers.options import parse
from tests.servers.registry import READ_ONLY, tool
from tests.servers.scripted import Server


@tool(
    "Takes a count that is not small.",
    annotations=READ_ONLY,
    properties={"count": {"type": "integer", "minimum": 10}, "note": {"type": "string"}},
    basic=True,
)
def narrow(call: Call) -> None:
    call.text(str(call.arguments))


@tool(
    "Takes a secret.",
    annotations=READ_ONLY,
    properties={"path": {"type": "string"}, "password": {"type": "string"}},
    basic=True,
)
def secretive(call: Call) -> None:
    call.text("ok")


Server(parse(sys.argv[1:])).run()
