"""Features declare themselves: what they name is there, costs nothing, and can be left out."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from signoff.app.content.key_tables import key_rows
from signoff.app.presentation.feature import FEATURES, features, load
from tests.copies import Copied
from tests.manual import WHOLE

pytestmark = pytest.mark.started_anew

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = (
    *(("agent", "measure"), ("evidence",), ("consent",), ("compat",), ("through",)),
    *(("tour",), ("decide",), ("why",), ("manual",)),
)
"""Features that a smaller Signoff could do without; one goes with the other that imports it."""
IMPORTS_ALL = """
import importlib, pathlib, sys
for file in sorted(pathlib.Path("signoff").rglob("*.py")):
    name = ".".join(file.with_suffix("").parts)
    if name.endswith(("__main__", "__init__")) or ".demo." in name or ".client_drivers." in name:
        continue
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as problem:
        # What only another system has.
        assert problem.name is not None and not problem.name.startswith("signoff"), problem
assert all(str(pathlib.Path.cwd()) in one.__file__ for key, one in sys.modules.items()
           if key.startswith("signoff.") and getattr(one, "__file__", None)), "the wrong Signoff"
"""


def named() -> list[tuple[str, str]]:
    """Everything that a feature names as `module:name`."""
    found: list[tuple[str, str]] = []
    for name, one in features().items():
        found += [(name, command.add) for command in one.commands]
        found += [(name, screen.show) for screen in one.screens]
        found += [(name, where) for _, where in one.hooks]
        found += [(name, where) for where in one.tables]
    found += [(row.feature, row.can) for row in key_rows() if row.feature and row.can]
    return found


@pytest.mark.parametrize(("feature", "where"), named(), ids=str)
def test_what_a_feature_names_is_there(feature: str, where: str) -> None:
    assert callable(load(feature, where))


def test_the_manual_has_the_tables_of_every_feature() -> None:
    tables = [(name, where) for name, one in features().items() for where in one.tables]
    assert len(tables) > 1
    for name, where in tables:
        assert load(name, where)() in WHOLE, f"{name} {where}"


def test_every_folder_is_a_feature_and_every_feature_a_folder() -> None:
    folders = {one.parent.name for one in (ROOT / "app" / "features").glob("*/__init__.py")}
    assert folders == {*FEATURES}


def test_no_two_features_have_a_part_of_the_same_name() -> None:
    for names in (
        [command.name for one in features().values() for command in one.commands],
        [screen.name for one in features().values() for screen in one.screens],
        [name for one in features().values() for name, _ in one.hooks],
    ):
        assert sorted(names) == sorted({*names})


def test_declaring_all_features_imports_nothing_else() -> None:
    code = (
        "import sys\nfrom signoff.app.presentation.feature import features\nfeatures()\n"
        "print(*(one for one in sys.modules if one.startswith('signoff.')), sep='\\n')"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    allowed = re.compile(r"signoff\.app(\.features(\.\w+)?|\.presentation(\.feature)?)?")
    assert [one for one in done.stdout.split() if not allowed.fullmatch(one)] == []


@pytest.mark.slow
@pytest.mark.parametrize("names", LEFT_OUT, ids="+".join)
def test_without_a_feature_the_rest_works(tmp_path: Path, names: tuple[str, ...]) -> None:
    copied = Copied(tmp_path)
    declared = copied.app / "presentation" / "feature.py"
    commands = {one.name for name in names for one in features()[name].commands}
    for name in names:
        shutil.rmtree(copied.app / "features" / name)
        text = declared.read_text(encoding="utf-8")
        assert f'    "{name}",\n' in text
        declared.write_text(text.replace(f'    "{name}",\n', ""), encoding="utf-8")
    copied.python("-c", IMPORTS_ALL)
    shown = copied.signoff("--help")
    assert commands
    assert not commands & {line.split()[0] for line in shown.splitlines() if line.strip()}
    assert "calculate_sum" in copied.signoff("tools", "demo")
    assert "42" in copied.signoff("call", "calculate_sum", "demo", "-a", "a=2", "-a", "b=40")
