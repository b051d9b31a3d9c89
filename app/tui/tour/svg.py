"""A picture of the screen as an SVG that needs nothing from anywhere else."""

from __future__ import annotations

import re
from typing import Final

MONOSPACE: Final = "'Fira Code', 'DejaVu Sans Mono', Menlo, Consolas, monospace"
_REMOTE_SOURCE: Final = re.compile(r',\s*url\("[^"]*"\)\s*format\("[^"]*"\)')


def self_contained(svg: str) -> str:
    """The same picture without the fonts that Textual names on a remote host."""
    svg = _REMOTE_SOURCE.sub("", svg)
    svg = svg.replace("font-family: Fira Code, monospace;", f"font-family: {MONOSPACE};")
    return svg.replace("font-family: arial;", "font-family: Helvetica, Arial, sans-serif;")
