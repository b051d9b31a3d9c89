"""Imports point down: the contracts of `pyproject.toml`, and what importing a module loads."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import grimp
import pytest

from tests.platforms.only_posix import ARGUMENTS, METHODS, MODULES, NAMES, OF_WINDOWS
from tests.trees import nodes_of

pytestmark = pytest.mark.started_anew

ROOT = Path(__file__).resolve().parents[1]
PURE = ("approval", "calls", "content", "hosts", "platforms", "protocol", "schemas", "storage")
"""Rooms whose modules are imported before anything heavy."""
VALIDATORS = ("schemas.dialects", "schemas.unknown")
"""Loaded in the worker: `jsonschema` and what it needs."""
WATCHING = ("calls.effects.watch", "platforms.daemon", "platforms.signals", "storage.fault_log")
"""Modules for an event loop that runs already."""


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def name_of(file: Path) -> str:
    return ".".join(("signoff", *file.relative_to(ROOT).with_suffix("").parts))


def test_the_contracts_on_imports_hold() -> None:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_room_has_its_floor() -> None:
    """A room that is not listed in the contract of layers could import everything."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    rooms = {one.parent.name for one in (ROOT / "app").glob("*/__init__.py")} - {"demo"}
    assert rooms
    assert [room for room in sorted(rooms) if f'  "signoff.app.{room}",\n' not in text] == []


def test_no_two_modules_import_each_other_in_a_circle() -> None:
    """Not even for types: what cannot be understood alone is one with the other."""
    graph = grimp.build_graph("signoff.app", "signoff.widgets", cache_dir=None)
    left = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    assert len(left) > 100
    while free := [name for name, below in left.items() if not below & left.keys()]:
        for name in free:
            del left[name]
    assert left == {}


ABSOLUTE = re.compile(r"^\s*from (?:signoff|app|widgets|tests)\b\S* import", re.MULTILINE)
SUSPECTS = re.compile(
    rf"\b(?:{'|'.join(NAMES)})\.|\.(?:{'|'.join(METHODS)})\b|\b(?:{'|'.join(ARGUMENTS)})="
    rf"|^\s*(?:import|from) (?:{'|'.join((*MODULES, *OF_WINDOWS))})\b",
    re.MULTILINE,
)
"""Code that may have one of the names: any other file need not be parsed."""


@cache
def parts(file: Path) -> list[ast.AST]:
    """The imports, attributes and calls of a module."""
    kinds = (ast.Import, ast.ImportFrom, ast.Attribute, ast.Call)
    return [node for node in nodes_of(file.read_text(encoding="utf-8")) if isinstance(node, kinds)]


def test_only_platforms_asks_for_what_not_every_system_has() -> None:
    wrong = []
    for file in (*modules("app"), *modules("widgets")):
        if file.is_relative_to(ROOT / "app" / "platforms"):
            continue
        if not SUSPECTS.search(file.read_text(encoding="utf-8")):
            continue
        for node in parts(file):
            named: list[str] = []
            if isinstance(node, ast.Import):
                named = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                named = [node.module]
            elif isinstance(node, ast.Attribute):
                of = node.value.id if isinstance(node.value, ast.Name) else ""
                if node.attr in METHODS or node.attr in NAMES.get(of, ()):
                    wrong.append(f"{file.relative_to(ROOT)}:{node.lineno} has .{node.attr}")
            elif isinstance(node, ast.Call):
                given = {one.arg for one in node.keywords} & ARGUMENTS
                wrong += [f"{file.relative_to(ROOT)}:{node.lineno} gives {one}" for one in given]
            wrong += [
                f"{file.relative_to(ROOT)} imports {name}"
                for name in named
                if name.partition(".")[0] in (*MODULES, *OF_WINDOWS)
            ]
    assert wrong == []


def test_imports_inside_are_relative() -> None:
    """An installed Signoff is `signoff.app`; a project under test may have an `app` of its own."""
    for file in (*modules("app"), *modules("widgets")):
        text = file.read_text(encoding="utf-8")
        assert not re.search(
            r"^\s*from (?:signoff|app|widgets|tests)\b\S* import", text, re.MULTILINE
        ), file


def loaded_by(names: list[str]) -> set[str]:
    """The top-level modules that importing the given ones brings in."""
    code = (
        f"import importlib, sys\nfor name in {names!r}: importlib.import_module(name)\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return set(found.stdout.split())


def pure_modules(*without: str) -> list[str]:
    found = [name_of(file) for room in PURE for file in modules(f"app/{room}")]
    left_out = [f"signoff.app.{one}" for one in without]
    return [name for name in found if name not in left_out and not name.endswith("__init__")]


def test_values_bring_in_nothing_heavy() -> None:
    heavy = {"textual", "mcp", "asyncio", "anyio", "jsonschema", "referencing", "regress", "PIL"}
    heavy |= {"pydantic", "ruamel"}
    assert not heavy & loaded_by(pure_modules(*VALIDATORS, *WATCHING))
    light = pure_modules(*VALIDATORS, *WATCHING, "content.texts.markdown")
    light = [one for one in light if ".questions." not in one]
    assert "rich" not in loaded_by(light)


def test_a_server_is_started_before_anything_heavy_is_imported() -> None:
    heavy = {
        *("textual", "mcp", "pydantic", "jsonschema", "PIL", "rich", "anyio", "asyncio"),
        "ruamel",
    }
    assert not heavy & loaded_by(
        [
            "signoff.app.cli.main",
            "signoff.app.cli.targets.targets",
            "signoff.app.transport.stdio.stdio",
        ]
    )


def test_a_cheap_schema_in_a_policy_is_read_without_the_validator() -> None:
    head = 'name = "mine"\nsummary = "s"\n'
    rule = '[[rule]]\nthen = "ask"\n[[rule.argument]]\nat = "/a"\nschema = {type = "string"}\n'
    code = (
        "import sys\nfrom signoff.app.approval.policies.policy_text import read_policy\n"
        f"read_policy({head + rule!r}, 'a.toml')\n"
        "print('jsonschema' in sys.modules)"
    )
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert found.stdout.strip() == "False"


def test_settings_cost_nothing_where_there_are_none() -> None:
    assert not {"tomllib", "difflib", "textual", "asyncio"} & loaded_by(
        ["signoff.app.cli.targets.session"]
    )


def test_the_engine_brings_in_neither_a_screen_nor_the_sdk() -> None:
    assert not {"textual", "mcp", "ruamel"} & loaded_by(
        [
            "signoff.app.engine.engine",
            "signoff.app.cli.commands.call",
            "signoff.app.cli.plain.run",
        ]
    )
