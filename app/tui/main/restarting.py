"""A server that is being written: started again after its files have changed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from textual.screen import Screen
from watchfiles import BaseFilter, Change, awatch

from ...calls.retries import is_repeatable
from ...content.text import count, sentence, shortened
from ...protocol.server import Phase

LOOK_SECONDS: Final = 0.05
STEP_MS: Final = 400
"""Milliseconds without a change after which changes count."""
DEBOUNCE_MS: Final = 5_000
"""Milliseconds after which they count in any case."""
LOOK_AT_FOLDER_MS: Final = 1_000
"""Milliseconds after which it is seen that a folder was made again."""

if TYPE_CHECKING:
    from ...engine.engine import Engine
    from ..startup import AppConfig


async def restart_on_change(screen: Screen[Any], opening: AppConfig) -> None:
    """Start the server again after each change, as long as the screen is there.

    Changes that come within 0.4 s of each other count as one. Folders of versions, caches and
    packages (`.git`, `__pycache__`, `node_modules` and others) do not count.
    """
    one_at_a_time = asyncio.Lock()
    folders = [path for path in opening.restart_on if path.is_dir()]
    # Their folders are watched: most editors write another file and rename it.
    given = [path for path in opening.restart_on if not path.is_dir()]
    # A link may be set to another file, and that file may be changed.
    files = {place for path in given for place in (path.absolute(), path.resolve())}
    beside = WantedFiles(files)

    async def follow(changed: AsyncIterator[set[tuple[Change, str]]]) -> None:
        async for changes in changed:
            async with one_at_a_time:
                await _restart(screen, opening, changes)

    async with asyncio.TaskGroup() as group:
        for folder in folders:
            group.create_task(follow(changes_below(folder)))
        if files:
            parents = {path.parent for path in files}
            group.create_task(
                follow(
                    awatch(
                        *parents,
                        watch_filter=beside,
                        recursive=False,
                        step=STEP_MS,
                        debounce=DEBOUNCE_MS,
                    )
                )
            )


async def changes_below(folder: Path) -> AsyncIterator[set[tuple[Change, str]]]:
    """The changes below a folder, also of another folder that takes its place."""
    folder = folder.absolute()
    known = _identity(folder)
    gone = Change.deleted, str(folder)
    while True:
        try:
            async for changes in awatch(
                folder,
                step=STEP_MS,
                debounce=DEBOUNCE_MS,
                rust_timeout=LOOK_AT_FOLDER_MS,
                yield_on_timeout=True,
            ):
                if gone in changes or _identity(folder) != known:
                    break
                if changes:
                    yield changes
        except FileNotFoundError:
            pass
        while (found := _identity(folder)) is None:
            await asyncio.sleep(LOOK_AT_FOLDER_MS / 1_000)
        known = found
        yield {(Change.added, str(folder))}


def _identity(folder: Path) -> tuple[int, int] | None:
    """The device and the number of a folder; None if it is not there."""
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


class WantedFiles(BaseFilter):
    """Lets changes of these files pass, and of no other in their folders."""

    def __init__(self, files: Collection[Path]) -> None:
        super().__init__()
        self._files = frozenset(map(str, files))

    def __call__(self, change: Change, path: str) -> bool:
        """True if a change counts."""
        # While an editor replaces a file, there is none for a moment.
        return path in self._files and change is not Change.deleted


async def _restart(
    screen: Screen[Any], opening: AppConfig, changes: Collection[tuple[Change, str]]
) -> None:
    engine = opening.engine
    screen.notify(f"{_changed(changes)}: restarting.", markup=False)
    newest = max(engine.calls, default=0)
    problem = await engine.restart()
    if problem:
        words = f"Not restarted: {sentence(problem)}"
        screen.notify(words, severity="error", timeout=8, markup=False)
    elif opening.calls_on_change and newest:
        await _call_again(screen, engine, newest)


async def _call_again(screen: Screen[Any], engine: Engine, number: int) -> None:
    """Make the newest call again once the tools are listed, if that is harmless."""
    while not engine.server.is_open:
        if engine.server.phase is not Phase.CONNECTING:
            return
        await asyncio.sleep(LOOK_SECONDS)
    await engine.compared()
    call = engine.calls[number]
    if not call.sent:
        # It was never approved, or still is a question: nothing is made again.
        return
    tool = next((one for one in engine.tools if one.name == call.request.name), None)
    if tool is None or call.tool is None:
        words = f"Not called again: {call.request.display_name} is no longer there."
    elif not is_repeatable(tool, engine.server.trust):
        words = (
            f"Not called again: {tool.display_name} {tool.hints.repeating_said}, or the server is "
            "not trusted."
        )
    else:
        engine.call(tool, call.snapshot.arguments())
        return
    screen.notify(words, timeout=8, markup=False)


def _changed(changes: Iterable[tuple[Change, str]]) -> str:
    """`server.py has changed`, or the number of files."""
    names = sorted({Path(path).name for _, path in changes})
    if len(names) == 1:
        return f"{shortened(names[0], 60)} has changed"
    return f"{count(len(names), 'file')} have changed"
