"""The SDK without what its packages import besides: a web server, log-ins, what servers need.

`mcp` and `mcp.client` import all that there is below them, and half of the time that takes is for
what Signoff never uses. So they are put in place empty, and run only if something is asked of them
that no module of theirs is. Where the SDK is laid out in another way, it is imported as a whole.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
import sys
import threading
import warnings
from types import ModuleType
from typing import TYPE_CHECKING

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
