"""Every binding of the program's own classes."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Iterator

from textual.binding import Binding
from textual.dom import DOMNode

import signoff.app.features
import signoff.app.tui
import signoff.widgets

ELSEWHERE = {
    "signoff.app.tui.terminal.posix_driver"
    if sys.platform == "win32"
    else "signoff.app.tui.terminal.console_driver",
    *(["signoff.app.tui.terminal.posix_driver"] if sys.platform == "win32" else []),
}
"""What draws on the terminals of other systems; it has no keys."""


def bindings() -> Iterator[tuple[type[DOMNode], Binding]]:
    """Every binding of a class of ours, with the class."""
    for package in (signoff.app.tui, signoff.app.features, signoff.widgets):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name not in ELSEWHERE:
                importlib.import_module(module.name)

    def below(kind: type[DOMNode]) -> Iterator[type[DOMNode]]:
        for child in kind.__subclasses__():
            yield child
            yield from below(child)

    for kind in dict.fromkeys(below(DOMNode)):
        if kind.__module__.startswith("signoff."):
            for binding in kind.__dict__.get("BINDINGS", ()):
                assert isinstance(binding, Binding), kind
                yield kind, binding
