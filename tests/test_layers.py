"""Imports point down only."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.only_posix import ARGUMENTS, METHODS, MODULES, NAMES, OF_WINDOWS

pytestmark = pytest.mark.started_anew

ROOT = Path(__file__).resolve().parents[1]
BELOW = {
    "signoff.app.core": (),
    "signoff.app.system": (),
    "signoff.app.output": (),
    "signoff.app.leaving": ("output",),
    "signoff.app.demo": (),
    "signoff.widgets": ("core", "system"),
    "signoff.app.asking": ("core",),
    "signoff.app.options": ("core",),
    "signoff.app.editor": ("core",),
    "signoff.app.opener": ("core", "system"),
    "signoff.app.terminals": ("core",),
    "signoff.app.answer_files": ("core", "system"),
    "signoff.app.place": ("core", "system"),
    "signoff.app.faults": ("core", "place", "system"),
    "signoff.app.store": ("core", "faults", "place", "system"),
    "signoff.app.kept": ("core", "place", "store"),
    "signoff.app.link": ("core", "faults", "system"),
    "signoff.app.targets": ("core", "link"),
    "signoff.app.bench": ("core", "faults", "place", "store", "link"),
    "signoff.app.flows": (
        *("core", "faults", "store", "link", "targets", "bench", "editor", "kept", "output"),
        *("asking", "options", "place", "system"),
    ),
    "signoff.app.plain": (
        *("core", "faults", "place", "store", "link", "targets", "bench", "answer_files"),
        *("output", "flows"),
        *("asking", "system"),
    ),
    "signoff.app.screens": (
        *("core", "faults", "store", "link", "bench", "answer_files", "opener", "editor", "kept"),
        *("widgets", "asking", "place", "system"),
    ),
    "signoff.app.tour_page": ("core", "targets", "flows", "screens", "system"),
    "signoff.app.early_signal": ("system",),
    "signoff.app.from_options": ("core", "targets", "bench", "flows"),
    "signoff.app.captured": (
        *("core", "answer_files", "flows", "kept", "options", "output", "place", "screens"),
        *("store", "system", "terminals"),
    ),
    "signoff.app.without_server": ("captured", "options", "flows"),
    "signoff.app.pytest_signoff": ("core", "flows"),
    "signoff.app.cli": (
        *("core", "faults", "link", "options", "output", "targets", "system", "kept"),
        *("flows", "plain", "screens", "widgets", "terminals", "tour_page", "leaving"),
        *("early_signal", "from_options", "without_server"),
    ),
    "signoff.app.__main__": ("cli",),
    "signoff.app.__init__": (),
}
"""Layer -> what its modules may import beside their own, anywhere but under TYPE_CHECKING."""

HEAVY = ("textual", "mcp", "asyncio", "anyio")
BANNED = {
    "signoff.app.core": HEAVY,
    "signoff.app.store": HEAVY,
    "signoff.app.system": HEAVY,
    "signoff.app.output": HEAVY,
    "signoff.app.editor": HEAVY,
    "signoff.app.link": ("textual", "rich"),
    "signoff.app.faults": ("textual", "mcp"),
    "signoff.app.kept": ("textual", "mcp"),
    "signoff.app.asking": HEAVY,
    "signoff.app.bench": ("textual", "mcp"),
    "signoff.app.flows": ("textual", "mcp"),
    "signoff.app.plain": ("textual", "mcp"),
    "signoff.app.terminals": ("textual", "mcp"),
    "signoff.app.demo": ("textual",),
    "signoff.app.screens": ("mcp",),
    "signoff.widgets": ("mcp",),
    # Within a layer: who is told does not know who tells.
    **dict.fromkeys(
        [f"signoff.app.bench.{name}" for name in ("memory", "past_arguments", "consent", "ledger")],
        ("signoff.app.link", "signoff.app.bench.bench"),
    ),
    "signoff.app.bench.running": ("signoff.app.link", "signoff.app.bench.bench"),
    **dict.fromkeys(
        [
            f"signoff.app.bench.{name}"
            for name in (
                *("trials", "judging", "questions", "deciding", "rounds", "answering", "telling"),
                *("story", "stories", "foresight", "putting_questions"),
            )
        ],
        ("signoff.app.store", "signoff.app.bench.bench"),
    ),
}
"""Package or module -> what it may not import, whatever its layer."""
LINK_MAY_NOT_SEE = ("signoff.app.core.approvals.approval", "signoff.app.core.policies.policy")


def file_or_folder(name: str) -> Path:
    return ROOT.joinpath(*name.split(".")[1:])


def modules(package: str) -> list[Path]:
    place = file_or_folder(package)
    return sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]


def name_of(file: Path) -> str:
    return ".".join(("signoff", *file.relative_to(ROOT).with_suffix("").parts))


def layer_of(name: str) -> str:
    """The layer of a module; fails if it has none."""
    found = [layer for layer in BELOW if is_under(name, layer)]
    assert found, f"{name} is of no layer: give it one"
    return found[0]


ALL = [*modules("signoff.app"), *modules("signoff.widgets")]


def imports(file: Path, *, for_types_too: bool = False) -> Iterator[str]:
    """Every name that a module imports: `a.b` for `import a.b` and for `from a import b`."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for_types = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in for_types and not for_types_too:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_under(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def test_every_module_is_of_a_layer_and_imports_only_what_is_below() -> None:
    wrong = []
    for file in ALL:
        own = layer_of(name_of(file))
        allowed = [own, "signoff.app.__version__", *(_whole_name(one) for one in BELOW[own])]
        for name in imports(file):
            if is_under(name, "signoff") and not any(is_under(name, one) for one in allowed):
                wrong.append(f"{file.relative_to(ROOT)} imports {name}")
    assert wrong == []


def _whole_name(short: str) -> str:
    return "signoff.widgets" if short == "widgets" else f"signoff.app.{short}"


@pytest.mark.parametrize("package", BANNED)
def test_what_a_package_may_not_import(package: str) -> None:
    files = modules(package)
    assert files
    wrong = [
        f"{file.relative_to(ROOT)} imports {name}"
        for file in files
        for name in imports(file)
        if any(is_under(name, one) for one in BANNED[package])
    ]
    assert wrong == []


def test_only_the_system_package_asks_for_what_not_every_system_has() -> None:
    wrong = []
    for file in ALL:
        if is_under(name_of(file), "signoff.app.system"):
            continue
        for name in imports(file, for_types_too=True):
            if name.partition(".")[0] in (*MODULES, *OF_WINDOWS):
                wrong.append(f"{file.relative_to(ROOT)} imports {name}")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute):
                of = node.value.id if isinstance(node.value, ast.Name) else ""
                if node.attr in METHODS or node.attr in NAMES.get(of, ()):
                    wrong.append(f"{file.relative_to(ROOT)}:{node.lineno} has .{node.attr}")
            elif isinstance(node, ast.Call):
                given = {one.arg for one in node.keywords} & ARGUMENTS
                wrong += [f"{file.relative_to(ROOT)}:{node.lineno} gives {one}" for one in given]
    assert wrong == []


def test_the_link_knows_nothing_of_approval() -> None:
    for file in modules("signoff.app.link"):
        for name in imports(file):
            assert not any(is_under(name, one) for one in LINK_MAY_NOT_SEE), file


def test_no_two_modules_import_each_other_in_a_circle() -> None:
    """Not even for types: what cannot be understood alone is one with the other."""
    of = {name_of(file).removesuffix(".__init__"): file for file in ALL}

    def direct(name: str) -> set[str]:
        found = set()
        for one in imports(of[name], for_types_too=True):
            while one and one not in of:
                one = one.rpartition(".")[0]
            # A package that holds the module is imported with it.
            if one and not is_under(name, one):
                found.add(one)
        return found

    left = {name: direct(name) for name in of}
    while free := [name for name, below in left.items() if not below & left.keys()]:
        for name in free:
            del left[name]
    assert left == {}


def test_only_the_entry_point_imports_the_command_line() -> None:
    found = [
        str(file.relative_to(ROOT))
        for file in ALL
        if any(is_under(name, "signoff.app.cli") for name in imports(file))
    ]
    assert found == ["app/__main__.py"]


def test_the_application_imports_nothing_from_its_tests() -> None:
    for file in ALL:
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
    found = [name_of(file) for file in modules(package)]
    return [name for name in found if name not in without and not name.endswith("__init__")]


def test_the_core_brings_in_nothing_heavy() -> None:
    heavy = {*HEAVY, "jsonschema", "referencing", "regress", "PIL", "pydantic", "ruamel"}
    validators = ("signoff.app.core.schema_dialects", "signoff.app.core.schema_unknown")
    assert not heavy & loaded_by(names_of("signoff.app.core", *validators))
    light = names_of("signoff.app.core", *validators, "signoff.app.core.texts.markdown")
    assert "rich" not in loaded_by(light)


def test_a_server_is_started_before_anything_heavy_is_imported() -> None:
    heavy = {
        "textual",
        "mcp",
        "pydantic",
        "jsonschema",
        "PIL",
        "rich",
        "anyio",
        "asyncio",
        "ruamel",
    }
    assert not heavy & loaded_by(
        ["signoff.app.cli", "signoff.app.targets", "signoff.app.link.stdio"]
    )


def test_settings_cost_nothing_where_there_are_none() -> None:
    assert not {"tomllib", "difflib", "textual", "asyncio"} & loaded_by(["signoff.app.kept"])


def test_the_bench_brings_in_neither_a_screen_nor_the_sdk() -> None:
    assert not {"textual", "mcp", "ruamel"} & loaded_by(
        ["signoff.app.bench.bench", "signoff.app.flows.headless", "signoff.app.plain.run"]
    )
