"""The host that is measured: how it is started, its version, and the commands that set it up."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from ....content.frozen import frozen
from ....content.text import visible
from ....platforms.files import why
from ....platforms.processes import APART
from ..drivers import Driver, DriverError, HostMode, PlaceholderValues
from ..observing import OUTPUT_KEPT, RunEnd, tail_of
from ..probes.patience import PATIENCE
from .naming import ANY, TOOL, filled
from .scratch import Scratch, scratch

VERSION_SECONDS: Final = 30.0
SETUP_SECONDS: Final = 60.0
_WORDS: Final = 300
_VERSION: Final = re.compile(r"\d{1,9}\.\d{1,9}(\.\d{1,9})?[A-Za-z0-9_.+-]{0,60}")


def unended_words(limit: float) -> str:
    """The reason for which a program was ended after its time limit."""
    return f"it did not end within {limit:g} s"


def unstarted(problem: OSError) -> RunEnd:
    """The end of a run whose program could not be started."""
    return RunEnd(None, f"it could not be started: {why(problem)}", "")


class Tail:
    """The end of what a program printed."""

    def __init__(self) -> None:
        self._data = b""

    async def follow(self, stream: asyncio.StreamReader) -> None:
        """Read until the end of the stream."""
        while part := await stream.read(65_536):
            self._data = (self._data + part)[-4 * OUTPUT_KEPT :]

    @property
    def text(self) -> str:
        return tail_of(self._data.decode(errors="replace"))


async def started(
    words: Sequence[str], environment: Mapping[str, str], folder: Path
) -> asyncio.subprocess.Process:
    """A program in a session of its own, with both outputs in one pipe. Raises OSError."""
    return await asyncio.create_subprocess_exec(
        *words,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=folder,
        env=environment,
        **APART,
    )


async def _output_of(
    words: Sequence[str], environment: Mapping[str, str], place: Scratch, limit: float
) -> tuple[int | None, str]:
    """The status of a program, None if it did not end in time, and the end of its output.

    Everything that it started is ended. Raises OSError.
    """
    process = await started([*place.entry, *words], environment, place.folder)
    assert process.stdout is not None
    tail = Tail()
    reading = asyncio.ensure_future(tail.follow(process.stdout))
    status = None
    try:
        async with asyncio.timeout(limit):
            await reading
            status = await process.wait()
    except TimeoutError:
        # Its output may be held open by a process that it left behind.
        status = process.returncode
    finally:
        reading.cancel()
        await asyncio.shield(asyncio.to_thread(place.end_processes, process.pid))
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), 5.0)
    return status, tail.text


async def program_version(driver: Driver, program: str, *, isolates: bool = True) -> str:
    """The version that a program prints; empty if it prints none in time. Raises DriverError."""
    with scratch((), isolates=isolates) as place:
        words = [program if word == "{program}" else word for word in driver.version]
        try:
            status, output = await _output_of(words, place.environment({}), place, VERSION_SECONDS)
        except OSError:
            return ""
    found = _VERSION.search(output) if status == 0 else None
    return found[0].rstrip(".-+_") if found else ""


async def prepared_environment(
    driver: Driver, place: Scratch, places: PlaceholderValues
) -> dict[str, str]:
    """The variables of a host, once its files are written and its `setup` was run.

    Raises DriverError for a command of `setup` that fails.
    """
    more = {key: places.fill(text) for key, text in driver.environment.items()}
    place.write_files(driver, places)
    environment = place.environment(more)
    for command in driver.setup:
        words = [places.fill(word) for word in command]
        if problem := await _run_setup(words, environment, place):
            shown = visible(f"{' '.join(words[:3])}: {problem}")
            raise DriverError(f"{driver.name}: {shown}")
    # A command of `setup` may write over a file of the driver.
    place.write_files(driver, places)
    return environment


async def _run_setup(words: Sequence[str], environment: Mapping[str, str], place: Scratch) -> str:
    """Run a command of `setup`; returns what went wrong, or an empty text."""
    try:
        status, output = await _output_of(words, environment, place, SETUP_SECONDS)
    except OSError as problem:
        return why(problem)
    if status is None:
        return unended_words(SETUP_SECONDS)
    return f"status {status}: {output[-_WORDS:].strip()}" if status else ""


@frozen
class MeasureSubject:
    """The host that is measured: a known one, or a command."""

    driver: Driver | None
    mode: HostMode | None
    surface: str
    command: tuple[str, ...]
    """With placeholders."""
    name: str
    title: str
    version: str
    files_from: Path | None = None
    """The folder in which a command of the person was written, on which it may depend."""
    quiet: float | None = None
    """Seconds in place of the driver's."""
    by_http: bool = False
    """Whether an agent without a driver is given the probe server by HTTP."""
    isolates: bool = True
    """Whether it is started in a network of its own, if that is possible."""
    tool_name: str = ""
    """How an agent without a driver names its tools; empty if that is to be found."""
    patience: float = PATIENCE
    """Seconds after which a slow tool answers."""
    through: tuple[str, ...] = ()
    """Words before the command of the probe server: a gateway, or a proxy."""

    @classmethod
    def of(
        cls, driver: Driver, mode: HostMode, surface: str, program: str, version: str
    ) -> MeasureSubject:
        """A known host whose program is here."""
        named = replace(driver, program=program)
        command = tuple(word.replace("{program}", program) for word in mode.commands[surface])
        return cls(named, mode, surface, command, driver.name, driver.title, version)

    def guess(self, tool: str, server: str = "") -> tuple[str, str]:
        """The group and name by which the model would call a tool that is not offered."""
        if self.driver is None:
            return "", filled(self.tool_name or TOOL, tool, server)
        names = (self.driver.tool_group, self.driver.tool_name)
        group, name = (filled(one, tool, server) for one in names)
        return group, name

    @property
    def is_by_http(self) -> bool:
        """Whether the host reaches the probe server by HTTP."""
        return self.by_http or (self.mode is not None and self.mode.transport == "http")

    @property
    def knows_names(self) -> bool:
        """Whether `guess` is how the host names its tools."""
        return self.driver is not None or (bool(self.tool_name) and ANY not in self.tool_name)

    def words(self, places: PlaceholderValues) -> list[str]:
        """The command, filled; files of the person's folder as whole paths."""
        filled = [places.fill(word) for word in self.command]
        folder = self.files_from
        return filled if folder is None else [_absolute(word, folder) for word in filled]

    @property
    def seconds(self) -> float:
        return self.driver.seconds if self.driver is not None else 180.0

    @property
    def quiet_seconds(self) -> float:
        if self.quiet is not None:
            return self.quiet
        return self.driver.quiet_seconds if self.driver is not None else 45.0


def _absolute(word: str, folder: Path) -> str:
    """A word that names a file of the person's folder as a whole path: the host runs elsewhere."""
    if not word or word.startswith("-") or os.path.isabs(word):
        return word
    found = folder / word
    is_path = os.sep in word or "." in word
    return str(found) if is_path and found.exists() else word
