"""What the tests use of others without a promise is there, and listed in one place."""

from __future__ import annotations

import ast
import asyncio
import importlib
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.app import App

from tests import settled
from tests.private_names import NOT_CHECKED, POSIX_DRIVER, PRIVATE, PROGRAM, Private

TESTS = Path(__file__).parent
LISTED = {(one.owner, one.name) for one in PRIVATE}


def words(one: Private) -> str:
    return f"{one.owner}.{one.name}"


@pytest.mark.parametrize("one", PRIVATE, ids=words)
async def test_it_is_there(one: Private) -> None:
    app: App[None] = App()
    async with app.run_test():
        alive = {"app": app, "screen": app.screen, "loop": asyncio.get_running_loop()}
        owner: Any = alive.get(one.owner)
        try:
            owner = owner or importlib.import_module(one.owner)
        except ImportError:
            owner = None
        is_there = owner is not None and hasattr(owner, one.name)
    assert is_there, f"{words(one)} is gone, which the tests need for {one.used}"


def imported(file: Path) -> Iterator[tuple[str, str]]:
    """What a file imports from Textual that is private by its name or by its module's."""
    source = file.read_text(encoding="utf-8")
    if "from textual" not in source:
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("textual"):
            module = node.module or ""
            for name in node.names:
                if "._" in module or name.name.startswith("_"):
                    yield module, name.name


@pytest.mark.slow
def test_no_import_is_left_out() -> None:
    files = [file for file in TESTS.rglob("*.py") if "bench" not in file.relative_to(TESTS).parts]
    assert len(files) > 300
    found = {(file.name, *one) for file in files for one in imported(file)}
    assert [one for one in sorted(found) if one[1:] not in LISTED] == []
    assert len(found) >= 4


def test_settled_uses_no_other() -> None:
    tree = ast.parse(inspect.getsource(settled))
    used = {one.attr for one in ast.walk(tree) if isinstance(one, ast.Attribute)}
    called = {
        one.args[1].value
        for one in ast.walk(tree)
        if isinstance(one, ast.Call)
        and isinstance(one.func, ast.Name)
        and one.func.id == "getattr"
        and isinstance(one.args[1], ast.Constant)
    }
    private = {str(one) for one in used | called if str(one).startswith("_")}
    assert private == {"_on_timer_update", "_resize_timer", "_check_resize", "_ready"}
    assert private <= {name for _, name in LISTED}


@pytest.mark.slow
@pytest.mark.parametrize("one", PROGRAM + POSIX_DRIVER, ids=words)
def test_the_program_finds_it(one: Private) -> None:
    """A class has it, or sets it on its objects."""
    if sys.platform == "win32" and one in POSIX_DRIVER:
        pytest.skip("the driver of POSIX")
    module, _, kind = one.owner.partition(":")
    owner = importlib.import_module(module)
    if kind:
        owner = getattr(owner, kind)
    is_there = hasattr(owner, one.name)
    if not is_there and isinstance(owner, type):
        sources = [inspect.getsource(base) for base in owner.__mro__ if base is not object]
        is_there = any(f"self.{one.name}" in source for source in sources)
        is_there |= any(f"{one.name}:" in source for source in sources)
    assert is_there, f"{words(one)} is gone, which the program needs for {one.used}"


def private_names(root: Path) -> Iterator[str]:
    """Private names in `app` and `widgets` that nothing there defines."""
    own: set[str] = set()
    used: set[str] = set()
    for file in (file for top in ("app", "widgets") for file in (root / top).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                own.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                own.add(node.id)
            elif isinstance(node, ast.Attribute):
                (own if isinstance(node.ctx, ast.Store) else used).add(node.attr)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                used.update((node.module or "").split("."), (one.name for one in node.names))
    for name in used - own:
        if name.startswith("_") and not name.startswith("__"):
            yield name


@pytest.mark.slow
def test_no_private_name_of_the_program_is_left_out() -> None:
    found = set(private_names(TESTS.parent)) - NOT_CHECKED - {"_replace", "_fields", "_asdict"}
    listed = {one.name for one in PROGRAM + POSIX_DRIVER} | {"_xterm_parser"}
    assert "_transport_for_url" in found
    assert found <= listed
