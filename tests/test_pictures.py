"""The script that takes the README's pictures: all of them, and what they show."""

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

from screenshots import take

SECONDS = 600.0
"""What all pictures may take on a machine that has other things to do."""

# They are taken in the first test.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(SECONDS + 10)]

ROOT = Path(__file__).resolve().parents[1]
SVG = "{http://www.w3.org/2000/svg}"

SHOWN = {
    "groups": (
        *("read-only", "additive", "destructive", "undeclared", "contradictory"),
        *(
            "delete_file",
            "notes/todo.txt",
            "asks with a warning",
            "pid 4711",
            "python -m signoff.app.demo",
        ),
    ),
    "dialog": (
        *("Approve this call?", "migrate_database", '"dryRun": false', "Approve once"),
        *(
            "new this session",
            "remember",
            "(•) no",
            "this tool, this session",
            "Deny for this session",
        ),
    ),
    "film": (
        *("read_settings", "Denied: nothing was sent.", "Approve this call?", "VS Code"),
        "Flip a hint, and see the decisions change.",
    ),
    "narrow": ("Tools 89", "create_record", "9/15", "1.3 s"),
    "invalid": (
        "INVALID, 2 errors",
        "does not match its output schema",
        "required, but missing",
        "Lirael Mosswhisper",
    ),
    "image": ("capture_screenshot", "image  PNG  640 x 400", "▀"),
    "form": (
        *("order_something", "2 items", "[0]", "lamp", "+ add item", "○ Card  ● Invoice"),
        *("◌ server's default", "integer 1..99", "array of objects with 3 properties, 1..20 items"),
    ),
    "structured": (
        *(
            "in 4 places",
            "structuredContent differ",
            "missing, required",
            "4 errors inside",
            '"many"',
        ),
        *("schema of $.shelves[1].articles[0].count", "must be an integer, but is the string"),
    ),
    "reader": ("text/x-diff", "rendered    plain    raw", "+dessert", "/ salad", "1 of 4"),
    "parts": ("part 4 of 4", "◆ for the user", "◇ for the assistant", "◈ for both", "priority 1"),
    "links": ("part 3 of 7", "example.org", "Punycode", "open from this server"),
    "written": (
        *("The server asks you for data", "Please register for the conference."),
        *("Ada Lovelace", "number 0..32.5", "f5 Done"),
    ),
    "asked": (
        *("The server asks you for data", "elicitation/create", "call 1, ask_every_field"),
        *("monday", "Decline all for this session", "Send this reply", "Exact JSON"),
    ),
    "page": ("The server asks you to open a page", "example.com", "Open in the browser"),
    "sampling": (
        *("The server wants a model to answer", "Signoff has no model", "2 tools that the"),
        "Decline all for this session",
    ),
    "resources": ("demo://kitchen/menu.md", "for the user · priority 1", "enter Read it"),
    "wire": ("The wire of demo", "tools/call open_page", "enter to go to it", "inputRequests"),
    "progress": ("9/15", "Running: 009_add", "so far", "cancelled?", "Ada Lovelace"),
    "policy": (
        *("verdicts on delete_file, trusted", "built in", "host rules", "NEVER ASKS"),
        *("asks with a warning", "rule 3: may destroy"),
    ),
    "matrix": (
        *("89 tools", "untrusted│trusted", "launch_confetti under Codex", "↳ ○ what if"),
        *("readOnly false → true", "destructive true → false", "asks → runs", "codex-rs/"),
        "what if, not the server's hints",
    ),
    "grants": (
        *("denied, this session", "github_delete_branch", "tool, until a date", "2026-11-28 10:53"),
        *("arguments, this session", "delete_file", "tool, this session", "7 uses", "1 h ago"),
        *("any other definition asks again", "any others ask again"),
    ),
    "changed": (
        *("shape_shifter", "definition changed since it was approved on 2026-11-21 10:42"),
        *("<U+200B>IMPORTANT<U+200B>", "before using any other", "remember", "Approve once"),
    ),
    "audit": (
        *("Audit log", "shape_shifter", "grant-given", "grant-used", "sent", "answered, 0.1 s"),
        *("definitions-changed", "1 changed", "denied by you", " of ", "2026-11-21 10:42:08"),
    ),
}


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all pictures."""
    out = tmp_path_factory.mktemp("pictures")
    assert take.main(["--no-png", "--out", str(out)]) == 0
    return out


def test_the_script_starts_as_a_person_starts_it(tmp_path: Path) -> None:
    script = ROOT / "screenshots" / "take.py"
    words = [sys.executable, str(script), "--help"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "--no-png" in done.stdout


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
    # A place in a schema is written as a path is.
    text = re.sub(r"schema /\S+", "", _text(pictures / f"{name}.svg"))
    # What runs in the pictures is on no machine.
    text = re.sub(r"/usr/bin/python(3\.14)?(?!/)", "", text)
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
