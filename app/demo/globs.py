"""Glob patterns over paths with slashes, matched in a time that the pattern cannot blow up."""

from __future__ import annotations

from fnmatch import fnmatchcase


def matches(path: str, pattern: str) -> bool:
    """Whether the whole path matches: `*`, `?` and `[...]` within a folder, `**` through folders.

    Each part of the pattern is held against each part of the path at most once.
    """
    parts = path.split("/")
    # The places in the path that the pattern so far can have reached.
    reached = {0}
    for wanted in pattern.removeprefix("./").split("/"):
        if wanted == "**":
            reached = set(range(min(reached), len(parts) + 1)) if reached else set()
        else:
            reached = {
                at + 1 for at in reached if at < len(parts) and fnmatchcase(parts[at], wanted)
            }
    return len(parts) in reached
