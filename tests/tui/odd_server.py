"""The scripted server with two tools more: one of thirty arguments, one that only JSON can fill."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from tests.servers._wire import Call
from tests.servers.options import parse
from tests.servers.registry import READ_ONLY, TOOLS, tool
from tests.servers.scripted import Server


@tool(
    "Takes thirty arguments.",
    annotations=READ_ONLY,
    properties={f"argument_{number:02}": {"type": "string"} for number in range(30)},
    basic=True,
)
def thirty(call: Call) -> None:
    call.text(str(len(call.arguments)))


@tool("Takes what its schema does not name.", annotations=READ_ONLY, basic=True)
def only_json(call: Call) -> None:
    call.text(str(call.arguments))


TOOLS["only_json"].definition["inputSchema"] = {
    "type": "object",
    "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    "additionalProperties": {"type": "string"},
}

Server(parse(sys.argv[1:])).run()
