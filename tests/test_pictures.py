"""The script that takes the README's pictures, run as a person runs it."""

from __future__ import annotations

import platform
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[1]
SVG = "{http://www.w3.org/2000/svg}"

SHOWN = {
    "groups": (
        *("read-only", "additive", "destructive", "undeclared", "contradictory"),
        *("delete_file", "notes/todo.txt", "ask, strongly", "pid 4711", "python -m app.demo"),
    ),
    "dialog": ("Approve this call?", "migrate_database", '"stepSeconds": 1.5', "Approve once"),
    "narrow": ("Tools 36", "Calls 2", "create_record", "9/15", "1.3 s"),
    "invalid": ("INVALID (2)", "invalid: 2 errors", "required, but missing", '"Lirael"'),
    "image": ("capture_screenshot", "image/png", "▀"),
    "progress": ("9/15", "move archived orders", "so far", "cancel requested", "Ada Lovelace"),
}


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all pictures."""
    out = tmp_path_factory.mktemp("pictures")
    script = ROOT / "screenshots" / "take.py"
    done = subprocess.run(
        [sys.executable, str(script), "--no-png", "--out", str(out)],
        cwd=out,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return out


def test_it_takes_every_picture_and_nothing_else(pictures: Path) -> None:
    assert {file.name for file in pictures.iterdir()} == {f"{name}.svg" for name in SHOWN}


@pytest.mark.parametrize("name", SHOWN)
def test_a_picture_shows_what_it_is_for(pictures: Path, name: str) -> None:
    text = _text(pictures / f"{name}.svg")
    missing = [words for words in SHOWN[name] if words not in text]
    assert not missing, text


@pytest.mark.parametrize("name", SHOWN)
def test_a_picture_tells_nothing_of_this_machine(pictures: Path, name: str) -> None:
    source = (pictures / f"{name}.svg").read_text(encoding="utf-8")
    private = {str(ROOT), str(Path.home()), str(Path(sys.prefix)), tempfile.gettempdir()}
    assert not [path for path in private if path in source]
    text = _text(pictures / f"{name}.svg")
    assert not re.search(r"(^|[\s\"'=])(/\w[\w.-]*){2,}", text, re.MULTILINE)
    assert not re.search(rf"\b{re.escape(platform.node() or '-')}\b", text)


@pytest.mark.parametrize("name", SHOWN)
def test_a_picture_fetches_nothing(pictures: Path, name: str) -> None:
    source = (pictures / f"{name}.svg").read_text(encoding="utf-8")
    assert "local(" in source
    assert not re.search(r"url\(\s*[\"']?(https?:|//)|@import|href=", source)


def _text(picture: Path) -> str:
    """What a picture says, line by line; well-formed XML or an error."""
    rows: dict[float, list[tuple[float, str]]] = defaultdict(list)
    for node in ElementTree.parse(picture).iter(f"{SVG}text"):
        place = float(node.get("x", "0")), float(node.get("y", "0"))
        rows[place[1]].append((place[0], node.text or ""))
    lines = ("".join(text for _, text in sorted(row)) for _, row in sorted(rows.items()))
    return "\n".join(lines).replace("\xa0", " ")
