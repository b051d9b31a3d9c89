"""The scripted server with tools that want more room than there is."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from tests.servers._wire import Call
from tests.servers.options import parse
from tests.servers.registry import READ_ONLY, tool
from tests.servers.scripted import Server

LINES = 80
COUNT = {"type": "integer", "minimum": 1, "maximum": 9, "description": "How many of them."}
LONG_WORDS = "\n".join(f"Line {number} of the description." for number in range(LINES))


@tool(
    LONG_WORDS,
    annotations=READ_ONLY,
    properties={
        **{
            f"argument_{number:02}": {"type": "string", "description": LONG_WORDS}
            for number in range(29)
        },
        "count": COUNT,
    },
    basic=True,
)
def long(call: Call) -> None:
    call.text("\n".join(f"Line {number} of the answer." for number in range(LINES)))


@tool(
    "Takes one.",
    annotations=READ_ONLY,
    properties={"count": COUNT},
    required=("count",),
    basic=True,
)
def short(call: Call) -> None:
    call.text("5")


@tool(
    "Takes groups. " * 12,
    annotations=READ_ONLY,
    properties={
        "address": {
            "type": "object",
            "properties": {name: {"type": "string"} for name in ("street", "place", "country")},
        },
        "items": {
            "type": "array",
            "items": {"type": "object", "properties": {"article": {"type": "string"}}},
        },
        "count": COUNT,
    },
    basic=True,
)
def grouped(call: Call) -> None:
    call.text("ordered")


Server(parse(sys.argv[1:])).run()
