"""What the tests use of others without a promise is there, and listed in one place."""

from __future__ import annotations

import ast
import asyncio
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.app import App

from tests import settled
from tests.private_names import PRIVATE, Private

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
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
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
