"""Rules of style sheets are for classes that exist: a renamed class takes its rules along."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

from textual.app import App
from textual.css.model import SelectorType
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

import signoff.app.tui
import signoff.widgets

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
