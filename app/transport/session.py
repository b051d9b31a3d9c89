"""Hands an initialized server's streams to the SDK's session, which makes the calls.

`mcp` and `mcp.client` import all that there is below them, and half of the time that takes is for
what Signoff never uses: a web server, log-ins, what servers need. So they are put in place empty,
and run only for a name that none of their modules has. Where the SDK is laid out in another way, it
is imported as a whole.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import importlib.util
import logging
import sys
import threading
import warnings
from collections.abc import Awaitable, Callable
from functools import lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..content.json.jsonio import JsonValue
from ..storage.fault_log import fault_words
from .calls import CallTable, PendingCall, current_call
from .events import Greeting, Reply
from .protocol import CLIENT_INFO

if TYPE_CHECKING:
    from mcp import ClientSession

_PACKAGES = ("mcp", "mcp.client")
_lock = threading.Lock()
_session_class: type[ClientSession] | None = None


def client_session() -> type[ClientSession]:
    """The SDK's class of sessions; the first call imports it, which takes a while."""
    global _session_class
    with _lock:
        if _session_class is None:
            _session_class = _import_session()
            _silence()
        return _session_class


def _import_session() -> type[ClientSession]:
    if "mcp" not in sys.modules:
        try:
            for name in _PACKAGES:
                _put_in_place(name)
            found: type[ClientSession] = importlib.import_module("mcp.client.session").ClientSession
            return found
        except Exception:
            for name in [one for one in sys.modules if one == "mcp" or one.startswith("mcp.")]:
                del sys.modules[name]
    whole: type[ClientSession] = importlib.import_module("mcp").ClientSession
    return whole


def _silence() -> None:
    from mcp.shared.exceptions import MCPDeprecationWarning

    warnings.filterwarnings("ignore", category=MCPDeprecationWarning)
    for name in ("mcp", "client"):
        # The SDK logs tracebacks of what a server did wrong; with no handler they would be
        # painted over the screen. Signoff keeps its own findings.
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False


class _Package(ModuleType):
    """A package whose own code has not run yet."""

    def __getattr__(self, name: str) -> object:
        spec = self.__spec__
        if name.startswith("__") or spec is None or spec.loader is None:
            raise AttributeError(name)
        self.__class__ = ModuleType  # type: ignore[assignment]
        spec.loader.exec_module(self)
        return getattr(self, name)


def _put_in_place(name: str) -> None:
    """Let the modules of a package be imported without its own code. Raises ImportError."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.submodule_search_locations is None:
        raise ImportError(f"there is no package {name}")
    package = _Package(name)
    package.__spec__, package.__loader__, package.__package__ = spec, spec.loader, name
    package.__path__ = list(spec.submodule_search_locations)
    package.__file__ = spec.origin
    sys.modules[name] = package
    above, _, own = name.rpartition(".")
    if above:
        setattr(sys.modules[above], own, package)


LOST = Reply(lost=True)


async def session_class() -> type[ClientSession]:
    """Import the SDK in a thread: it takes a while, and the screen goes on."""
    return await asyncio.to_thread(client_session)


def client_info() -> Any:
    import mcp.types as types

    return types.Implementation.model_validate(CLIENT_INFO)


def adopt(session: ClientSession, greeting: Greeting) -> None:
    """Give the session the negotiated version and capabilities; odd fields do not stop it."""
    import mcp.types as types
    from pydantic import ValidationError

    if greeting.era == "modern":
        plain: dict[str, Any] = {"supportedVersions": [greeting.version], "capabilities": {}}
        model: Any = types.DiscoverResult
    else:
        plain = {
            "protocolVersion": greeting.version,
            "capabilities": {},
            "serverInfo": {"name": "server", "version": "0"},
        }
        model = types.InitializeResult
    try:
        result = model.model_validate(greeting.raw)
    except ValidationError:
        try:
            result = model.model_validate(plain)
        except ValidationError:
            extra = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
            result = model.model_validate(plain | extra)
    session.adopt(result)


def keep_answers(session: ClientSession) -> None:
    """Stop the SDK from validating, and so dropping, answers: Signoff shows them, then judges."""

    async def validate_nothing(name: str, result: object) -> None:
        return None

    session.validate_tool_result = validate_nothing  # type: ignore[method-assign]


async def make_call(
    session: ClientSession,
    table: CallTable,
    call: PendingCall,
    name: str,
    arguments: dict[str, JsonValue],
    is_lost: Callable[[], bool],
) -> Reply:
    """One tools/call. Cancelling the task cancels the call on the wire."""
    asking = session.call_tool(
        name, arguments, progress_callback=_ignore_progress, allow_input_required=True
    )
    return await _asked(asking, table, call, is_lost)


async def make_read(
    session: ClientSession,
    table: CallTable,
    call: PendingCall,
    uri: str,
    is_lost: Callable[[], bool],
) -> Reply:
    """One resources/read of exactly this URI. Cancelling the task cancels it on the wire."""
    import mcp.types as types

    request = types.ReadResourceRequest(params=types.ReadResourceRequestParams(uri=uri))
    # Not the session's own method for it: that one does not ask for progress.
    asking = session.send_request(
        request, types.ReadResourceResult, progress_callback=_ignore_progress
    )
    return await _asked(asking, table, call, is_lost)


async def make_request(
    session: ClientSession,
    table: CallTable,
    call: PendingCall,
    params: dict[str, JsonValue],
    is_lost: Callable[[], bool],
    *,
    tells_progress: bool = False,
) -> Reply:
    """One request of the method of `call`. Cancelling the task cancels it on the wire."""
    import mcp.types as types

    # Without the SDK's own class of it, which would refuse what is to be sent as it is.
    make = _about_task() if "taskId" in params else types.Request[dict[str, Any], str]
    request = make(method=call.method, params=params)
    progress = _ignore_progress if tells_progress else None
    asking = session.send_request(request, types.EmptyResult, progress_callback=progress)
    return await _asked(asking, table, call, is_lost)


@lru_cache(maxsize=1)
def _about_task() -> Any:
    """Make a request with a header for HTTP that names its task.

    Extension `io.modelcontextprotocol/tasks`, "Streamable HTTP: Routing Headers".
    """
    import mcp.types as types

    class AboutTask(types.Request[dict[str, Any], str]):
        name_param = "taskId"

    return AboutTask


async def _asked(
    asking: Awaitable[object], table: CallTable, call: PendingCall, is_lost: Callable[[], bool]
) -> Reply:
    """Send and wait for the response; the table keeps it even if the SDK rejects it."""
    token = current_call.set(call)
    problem = ""
    try:
        await asking
    except asyncio.CancelledError:
        raise
    except BaseException as failure:
        problem = fault_words(failure, "while it called a server") or words_of(failure)
    finally:
        table.forget(call)
        with contextlib.suppress(ValueError):
            current_call.reset(token)
    if call.reply is not None:
        return call.reply
    if is_lost():
        return LOST
    return Reply(problem=problem or "no answer was kept")


async def _ignore_progress(progress: float, total: float | None, message: str | None) -> None:
    """Makes the SDK ask for progress; the call table reads it from the wire."""


def words_of(failure: BaseException) -> str:
    """The innermost reason of nested exception groups, safe to show."""
    from ..content.text import cut, visible

    while isinstance(failure, BaseExceptionGroup) and failure.exceptions:
        failure = failure.exceptions[0]
    words = str(failure).strip() or type(failure).__name__
    return visible(cut(words.splitlines()[0], 300).text)
