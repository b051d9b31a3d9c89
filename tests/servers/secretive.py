"""The scripted server with a tool that takes secrets, and repeats all that it was given."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from tests.servers._wire import Call
from tests.servers.options import parse
from tests.servers.registry import READ_ONLY, tool
from tests.servers.scripted import Server


@tool(
    "Takes secrets.",
    annotations=READ_ONLY,
    properties={
        "user": {"type": "string"},
        "contraseña": {"type": "string", "minLength": 5},
        "field": {"type": "string", "format": "password", "maxLength": 30},
        "number": {"type": "integer", "writeOnly": True},
    },
    basic=True,
)
def log_in(call: Call) -> None:
    print(f"started as {sys.argv}, called with {call.arguments}", file=sys.stderr, flush=True)
    if call.arguments.get("user") == "nobody":
        os._exit(3)
    call.text(f"logged in with {call.arguments}", structuredContent=call.arguments)


Server(parse(sys.argv[1:])).run()
