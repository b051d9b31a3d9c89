"""`signoff test --watch`: once more as soon as a flow, its policy or its server changes."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from ..flow import Flow

LOOK_SECONDS: Final = 0.3

Stamps = dict[Path, tuple[int, int]]


def watched(given: Iterable[Path], flows: Iterable[Flow]) -> list[Path]:
    """The flow files, and the files that they name: policies, scripts of servers."""
    found = dict.fromkeys(given)
    for flow in flows:
        beside = Path(flow.file).parent
        if flow.policy:
            found[beside / flow.policy] = None
        found |= dict.fromkeys(Path(word) for word in flow.server.command)
    return [path for path in found if path.is_file()]


def stamps(files: Iterable[Path]) -> Stamps:
    """When each was written, and how large it is; what is gone is not there."""
    found: Stamps = {}
    for path in files:
        try:
            stat = path.stat()
        except OSError:
            continue
        found[path] = (stat.st_mtime_ns, stat.st_size)
    return found


def wait_for_change(files: Iterable[Path], before: Stamps) -> None:
    """Until one of them is another, came, or went."""
    several = list(files)
    while stamps(several) == before:
        time.sleep(LOOK_SECONDS)
