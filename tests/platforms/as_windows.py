"""`python -m tests.platforms.as_windows ...`: Signoff's command line as it is on Windows.

As far as that can be had elsewhere: what Windows has not is missing, what only Windows has is
played. With `--import` instead, every module is imported, and what cannot be is printed.
"""

from __future__ import annotations

import importlib
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.platforms import windows
from tests.platforms.only_posix import MODULES, NAMES

assert sys.platform != "win32"
ROOT = Path(__file__).resolve().parents[2]
GUARD = 'assert sys.platform != "win32"\n'


def modules() -> list[str]:
    """Every module of Signoff that says nothing of being for POSIX alone, or for Windows alone."""
    found = []
    for top in ("app", "widgets"):
        for file in sorted(ROOT.joinpath(top).rglob("*.py")):
            name = ".".join(("signoff", *file.relative_to(ROOT).with_suffix("").parts))
            if GUARD not in file.read_text(encoding="utf-8") and not name.endswith("__main__"):
                found.append(name.removesuffix(".__init__"))
    return found


def become_windows() -> None:
    """Everything that is not Signoff's is imported before, as it is here."""
    for name in ("jsonschema", "mcp.client.session", "platformdirs", "psutil"):
        importlib.import_module(name)
    for name in modules():
        if name != "signoff.app.tui.terminal.console_driver":
            importlib.import_module(name)
    for name in [name for name in sys.modules if name.partition(".")[0] == "signoff"]:
        del sys.modules[name]
    of_textual: Any = ModuleType("textual.drivers.win32")
    sys.modules["textual.drivers.win32"] = of_textual
    windows.install(windows.FakeMsvcrt())
    vars(subprocess).update(CREATE_NEW_PROCESS_GROUP=0, CREATE_NO_WINDOW=0)
    # What others are written for is left to them: it is Signoff's own code that is tried.
    others = [module for module in sys.modules.values() if module is not None]
    vars(signal)["SIGBREAK"] = signal.SIGUSR2
    for missing in (os, signal, select):
        whole = ModuleType(missing.__name__)
        vars(whole).update(vars(missing))
        for module in others:
            if vars(module).get(missing.__name__) is missing:
                vars(module)[missing.__name__] = whole
        for name in NAMES[missing.__name__]:
            vars(missing).pop(name, None)
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    vars(sys)["platform"] = "win32"


def main() -> None:
    become_windows()
    if sys.argv[1:] == ["--import"]:
        for name in modules():
            try:
                importlib.import_module(name)
            except Exception as problem:
                print(f"{name}: {type(problem).__name__}: {problem}")
        return
    program = importlib.import_module("signoff.app.cli.main")
    sys.argv[0] = "signoff"
    sys.exit(program.main())


if __name__ == "__main__":
    main()
