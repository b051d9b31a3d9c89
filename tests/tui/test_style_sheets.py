"""Style sheets and modules are there in advance, and each rule is for a class that exists."""

from __future__ import annotations

import ast
import importlib
import os
import pkgutil
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from textual.app import App
from textual.css.model import SelectorType
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

import signoff.app.tui
import signoff.widgets
from signoff.app.tui import startup
from tests.tui.bench_stage import BenchStage, bench_stage

ROOT = Path(__file__).resolve().parents[2]


def sheets() -> Iterator[tuple[str, str]]:
    """Where each style sheet stands, and its text."""
    for top in ("app/tui", "widgets"):
        for file in (ROOT / top).rglob("*.tcss"):
            yield str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")
        for file in (ROOT / top).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Constant):
                    continue
                names = {one.id for one in node.targets if isinstance(one, ast.Name)}
                if names & {"CSS", "DEFAULT_CSS"}:
                    yield f"{file.relative_to(ROOT)}:{node.lineno}", str(node.value.value)


def known() -> set[str]:
    for package in (signoff.app.tui, signoff.widgets):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if ".terminal." not in module.name:  # a driver is for one system only
                importlib.import_module(module.name)

    def below(kind: type[DOMNode]) -> set[str]:
        return {kind.__name__}.union(*(below(child) for child in kind.__subclasses__()))

    return below(DOMNode)


def test_every_rule_is_for_a_class_that_exists() -> None:
    classes, seen = known(), 0
    variables = App[None]().get_css_variables()
    for where, text in sheets():
        # Those of an app of ours have any value: nothing is drawn here.
        own = dict.fromkeys(re.findall(r"\$([\w-]+)", text), "1")
        sheet = Stylesheet(variables={**own, **variables})
        sheet.add_source(text, read_from=(where, ""))
        for rule in sheet.rules:
            for selectors in rule.selector_set:
                for one in selectors.selectors:
                    if one.type == SelectorType.TYPE:
                        seen += 1
                        assert one.name in classes, f"{where}: {one.name} is no class"
    assert seen > 100


FOLDER = Path(startup.__file__).parent


def sheets_there(stage: BenchStage) -> list[str]:
    there = stage.app.stylesheet.has_source
    return [one for one in startup.SHEETS if there(os.path.normpath(FOLDER / one), "")]


@pytest.mark.parametrize("name", startup.MODULES)
def test_each_module_is_there(name: str) -> None:
    # One that was moved would be passed over without a word.
    assert find_spec(name) is not None


@pytest.mark.slow
async def test_the_style_sheets_of_dialogs_are_there_before_the_first_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(startup, "REST_SECONDS", 0.0)
    async with bench_stage("--only", "echo") as stage:
        all_sheets = list(startup.SHEETS)
        await stage.until(lambda: sheets_there(stage) == all_sheets, "the sheets")
        # Textual would parse one a second time that it knows by another name.
        await stage.press("W")
        await stage.sees("Only this call")
        paths = [path for path, name in stage.app.stylesheet.source if not name]
        assert len(paths) == len(set(map(Path, paths)))


@pytest.mark.slow
async def test_nothing_is_brought_in_while_a_person_types(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(startup, "REST_SECONDS", 600.0)
    monkeypatch.setattr(startup, "MODULES", ())
    async with bench_stage("--only", "echo") as stage:
        before = stage.app.last_input
        await stage.press("down")
        assert stage.app.last_input > before
        await stage.until(lambda: stage.app.screen.query("ToolPane"), "the other panes")
        await stage.pilot.pause(8 / startup.LOOKS_A_SECOND)
        assert sheets_there(stage) == []
