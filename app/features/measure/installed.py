"""The hosts on this machine: the programs of drivers in PATH, and their versions."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from typing import Final, NamedTuple

from .consent import is_agreed
from .drivers import Driver, DriverError, driver_names, read_driver
from .running.short_runs import program_version

_AT_ONCE: Final = 2
NOT_FOUND: Final = "not found here"
NOT_AGREED: Final = "not looked for: signoff hosts check {name} asks you about its programs first"


class ProgramHere(NamedTuple):
    """A driver beside its program on this machine."""

    driver: Driver
    program: str
    """Its path; empty for none, and for the Python of a library that is not installed."""
    version: str
    """Empty if none is here, or if the program must not be run."""
    is_looked_for: bool = True
    """False for a driver of the person's whose programs are not agreed to."""

    @property
    def missing(self) -> str:
        """Why no version is known."""
        return NOT_FOUND if self.is_looked_for else NOT_AGREED.format(name=self.driver.name)


def usable_drivers() -> tuple[list[Driver], list[str]]:
    """All drivers that can be read, and the problems of the others, not safe to show."""
    drivers, problems = [], []
    for name in driver_names():
        try:
            drivers.append(read_driver(name))
        except DriverError as problem:
            problems.append(str(problem))
    return drivers, problems


async def programs_here(
    drivers: Sequence[Driver], digests: Sequence[str] = ()
) -> list[ProgramHere]:
    """Look for the programs, and run their commands for the version, two at once.

    Those of the person's drivers are run only after a consent, or by one of the digests.
    """
    limit = asyncio.Semaphore(_AT_ONCE)

    async def look(driver: Driver) -> ProgramHere:
        if not is_agreed(driver, digests):
            return ProgramHere(driver, "", "", is_looked_for=False)
        program = shutil.which(driver.program) or ""
        async with limit:
            version = await program_version(driver, program) if program else ""
        return ProgramHere(driver, "" if driver.is_library and not version else program, version)

    return list(await asyncio.gather(*map(look, drivers)))
