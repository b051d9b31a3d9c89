"""The pages of the manual, for tests that hold them to the code."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).resolve().parents[1] / "app" / "manual"
PAGES: Final = {
    str(file.relative_to(FOLDER).with_suffix("").as_posix()): file.read_text(encoding="utf-8")
    for file in sorted(FOLDER.rglob("*.md"))
}
"""The text of each page, by its path without `.md`."""
WHOLE: Final = "\n".join(PAGES.values())


def page(name: str) -> str:
    """The text of a page."""
    return PAGES[name]


def holds(name: str, mark: str, wanted: str) -> None:
    """Assert that a page has this text between the comments `mark`, or write it there."""
    file = FOLDER / f"{name}.md"
    text = file.read_text(encoding="utf-8")
    begin, end = f"<!-- {mark} -->\n", f"<!-- /{mark} -->\n"
    before, is_there, rest = text.partition(begin)
    assert is_there
    assert end in rest
    whole = f"{before}{begin}\n{wanted}\n\n{end}{rest.partition(end)[2]}"
    if os.environ.get("UPDATE_GOLDEN"):
        file.write_text(whole, encoding="utf-8")
    assert text == whole, "run with UPDATE_GOLDEN=1, and read the difference"
