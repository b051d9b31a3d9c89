"""Imports point down only."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
STORY = (
    *("app.bench", "app.story", "app.judging", "app.surroundings", "app.consent", "app.memory"),
    *("app.ledger", "app.events", "app.past_arguments", "app.running"),
)
SCREENS = (
    *(
        "app.screens",
        "app.plain",
        "app.link",
        "app.flows",
        "app.targets",
        "app.setup",
        "app.definitions",
    ),
    *STORY,
)
NOT_OF_THE_CORE = ("textual", "mcp", "asyncio", "anyio", "widgets")
FORBIDDEN = {
    "app.core": (*NOT_OF_THE_CORE, *SCREENS, "app.store"),
    "app.store": (*NOT_OF_THE_CORE, *SCREENS),
    "app.link": (
        *("textual", "rich", "widgets", "app.store", "app.screens", "app.flows", *STORY),
        *("app.core.approvals.approval", "app.core.policies.policy", "app.targets"),
    ),
    "app.memory": ("textual", "mcp", "widgets", "app.link", "app.bench", "app.screens"),
    "app.past_arguments": ("textual", "mcp", "widgets", "app.link", "app.bench", "app.screens"),
    "app.consent": ("textual", "mcp", "widgets", "app.link", "app.bench", "app.screens"),
    "app.ledger": ("textual", "mcp", "widgets", "app.link", "app.bench", "app.screens"),
    "app.running": ("textual", "mcp", "widgets", "app.link", "app.bench", "app.screens"),
    # Everything tells of its faults, so they know nothing but where the state folder is.
    "app.faults": ("textual", "mcp", "widgets", *SCREENS),
    "app.vanishing": (*NOT_OF_THE_CORE, *SCREENS, "app.core", "app.store"),
    "app.output": (*NOT_OF_THE_CORE, *SCREENS, "app.core", "app.store"),
    "app.kept": ("textual", "mcp", "widgets", "app.link", "app.bench", "app.screens", "app.flows"),
    "app.editor": (*NOT_OF_THE_CORE, *SCREENS, "app.store"),
    "app.trials": ("textual", "mcp", "widgets", "app.store", "app.bench", "app.screens"),
    "app.story": ("textual", "mcp", "widgets", "app.store", "app.bench", "app.screens"),
    "app.judging": ("textual", "mcp", "widgets", "app.store", "app.bench", "app.screens"),
    "app.bench": ("textual", "mcp", "widgets", "app.screens", "app.flows"),
    "app.flows": ("textual", "mcp", "widgets", "app.screens", "app.plain"),
    "app.plain": ("textual", "mcp", "widgets", "app.screens"),
    "app.screens": ("mcp", "app.flows", "app.plain", "app.targets.read_target"),
    "app.terminals": ("textual", "mcp", "widgets", *SCREENS),
    "app.demo": ("textual", "widgets", *SCREENS),
    "widgets": ("mcp", *SCREENS),
}
"""Layer -> what none of its modules may import, anywhere in a file but under TYPE_CHECKING."""


def modules(package: str) -> list[Path]:
    place = ROOT / package.replace(".", "/")
    return sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]


def imports(file: Path) -> Iterator[str]:
    """Every name that a module imports: `a.b` for `import a.b` and for `from a import b`."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for_types = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in for_types:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_under(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


@pytest.mark.parametrize("layer", FORBIDDEN)
def test_a_layer_imports_nothing_from_above(layer: str) -> None:
    files = modules(layer)
    assert files
    wrong = [
        f"{file.relative_to(ROOT)} imports {name}"
        for file in files
        for name in imports(file)
        if any(is_under(name, above) for above in FORBIDDEN[layer])
    ]
    assert wrong == []


def test_only_the_entry_point_imports_the_command_line() -> None:
    files = [*modules("app"), *modules("widgets")]
    found = [
        str(file.relative_to(ROOT))
        for file in files
        if any(is_under(name, "app.cli") for name in imports(file))
    ]
    assert found == ["app/__main__.py"]


def test_the_application_imports_nothing_from_its_tests() -> None:
    for file in [*modules("app"), *modules("widgets")]:
        assert not any(is_under(name, "tests") for name in imports(file)), file


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


def names_of(package: str, *without: str) -> list[str]:
    found = [".".join(file.relative_to(ROOT).with_suffix("").parts) for file in modules(package)]
    return [name for name in found if name not in without and not name.endswith("__init__")]


def test_the_core_brings_in_nothing_heavy() -> None:
    heavy = {*NOT_OF_THE_CORE, "jsonschema", "referencing", "PIL", "pydantic"}
    assert not heavy & loaded_by(names_of("app.core"))
    assert "rich" not in loaded_by(names_of("app.core", "app.core.texts.markdown"))


def test_a_server_is_started_before_anything_heavy_is_imported() -> None:
    heavy = {"textual", "mcp", "pydantic", "jsonschema", "PIL", "rich", "anyio", "asyncio"}
    assert not heavy & loaded_by(["app.cli", "app.targets", "app.link.stdio"])


def test_settings_cost_nothing_where_there_are_none() -> None:
    assert not {"tomllib", "difflib", "textual", "asyncio"} & loaded_by(["app.kept"])


def test_the_bench_brings_in_neither_a_screen_nor_the_sdk() -> None:
    assert not {"textual", "mcp", "widgets"} & loaded_by(
        ["app.bench", "app.flows.headless", "app.plain.run"]
    )
