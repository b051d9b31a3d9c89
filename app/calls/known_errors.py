"""Protocol errors that mean something to a client, in words.

Spec 2025-11-25, schema `URLElicitationRequiredError` (-32042); spec 2026-07-28, schema
`MissingRequiredClientCapabilityError` (-32021) and `UnsupportedProtocolVersionError` (-32022); spec
2025-11-25, basic/utilities/tasks: a tool that only runs as a task answers -32601 otherwise. Codes
are any server's to use, so one counts only with the data that the specification gives it.
"""

from __future__ import annotations

from typing import Final

from ..content.json.jsonio import JsonValue
from ..content.text import cut, visible
from ..protocol.rpc import RpcError
from .unfinished import NOT_DECLARED, words_of_request

_NAMES_SHOWN: Final = 5


def explain(error: RpcError, *, needs_task: bool = False) -> str:
    """What an error means for the call, safe to show; "" where its own words are all there is.

    `needs_task`: the tool says that it only runs as a task, and was not called as one.
    """
    data = error.data if isinstance(error.data, dict) else {}
    if isinstance(error.code, bool):
        return ""
    match error.code:
        case -32042:
            return _visits(data.get("elicitations"))
        case -32021:
            wanted = data.get("requiredCapabilities")
            if not isinstance(wanted, dict):
                return ""
            names = _names(list(wanted)) or "something"
            return f"the tool needs a client that can do {names}, {NOT_DECLARED}"
        case -32022:
            supported = data.get("supported")
            if not isinstance(supported, list):
                return ""
            versions = [one for one in supported if isinstance(one, str)]
            named = f"; it names {_names(versions)}" if versions else ""
            return f"the server does not speak this version of the protocol here{named}"
        case -32601 if needs_task:
            return (
                "the tool says that it only runs as a task, and the server does not say that it "
                "has tasks (capability tasks.requests.tools.call)"
            )
        case _:
            return ""


def _visits(elicitations: JsonValue) -> str:
    if not isinstance(elicitations, list):
        return ""
    told = [
        words_of_request("elicitation/create", {"mode": "url", **one})
        for one in elicitations[:_NAMES_SHOWN]
        if isinstance(one, dict)
    ]
    if len(elicitations) > len(told):
        told.append(f"{len(elicitations) - len(told):,} more")
    wants = "; ".join(told) or "elicitation"
    return visible(f"the server first wants something; then the call can be made again: {wants}")


def _names(names: list[str]) -> str:
    shown = [visible(cut(name, 40).text) for name in names[:_NAMES_SHOWN]]
    more = len(names) - len(shown)
    return ", ".join([*shown, *([f"{more:,} more"] if more else [])])
