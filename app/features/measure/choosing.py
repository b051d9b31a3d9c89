"""The host that a command line names: its driver, mode, surface and program."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ...cli.targets.targets import UsageError
from ...content.suggest import did_you_mean
from ...content.text import visible
from .drivers import (
    Driver,
    DriverError,
    HostMode,
    driver_names,
    read_driver,
    read_driver_file,
)
from .running.short_runs import MeasureSubject, program_version


class WantedHost(NamedTuple):
    """The words of a command line."""

    host: str
    """HOST or HOST:MODE; empty for the file of a driver."""
    file: str
    mode: str
    surface: str
    program: str


class ChosenHost(NamedTuple):
    """A host before its version is looked at."""

    driver: Driver
    mode: HostMode
    surface: str
    program: str


def chosen_host(wanted: WantedHost, of_agents: Sequence[tuple[str, object]] = ()) -> ChosenHost:
    """Find everything that is named; nothing is started. Raises UsageError.

    `of_agents` are options with values that are for agents alone.
    """
    for option, value in of_agents:
        if value:
            raise UsageError(
                f"{option} is for an agent of your own: signoff measure {option} ... -- COMMAND"
            )
    name, _, mode_name = wanted.host.partition(":")
    if mode_name and wanted.mode and mode_name != wanted.mode:
        raise UsageError("give the mode once: HOST:MODE or --mode")
    driver, mode = _driver_and_mode(wanted, name, mode_name or wanted.mode)
    surface = wanted.surface or next(iter(mode.commands))
    if surface not in mode.commands:
        known = ", ".join(mode.commands)
        words = f"{driver.name}:{mode.name} has no surface {surface}; it has {known}"
        raise UsageError(visible(words))
    program = shutil.which(wanted.program or driver.program)
    if program is None:
        looked = wanted.program or driver.program
        words = f"{driver.title}: program {looked} not found; install it with: {driver.get}"
        raise UsageError(visible(words))
    # It is started in another folder.
    return ChosenHost(driver, mode, surface, os.path.abspath(program))


def _driver_and_mode(wanted: WantedHost, name: str, mode: str) -> tuple[Driver, HostMode]:
    try:
        driver = read_driver_file(Path(wanted.file)) if wanted.file else read_driver(name)
        return driver, driver.mode(mode)
    except DriverError as problem:
        is_known = bool(wanted.file) or name in driver_names()
        hint = "" if is_known else did_you_mean(name, driver_names())
        if not wanted.file and (Path(wanted.host).exists() or shutil.which(wanted.host)):
            hint = "; to measure an agent of your own, put -- before its command"
        raise UsageError(f"{visible(str(problem))}{hint}") from None


async def subject_of(chosen: ChosenHost, *, isolates: bool) -> MeasureSubject:
    """The host with its version. Raises UsageError if its program is another one."""
    driver, mode, surface, program = chosen
    version = await program_version(driver, program, isolates=isolates)
    if version:
        return MeasureSubject.of(driver, mode, surface, program, version)
    if driver.is_library:
        words = (
            f"{driver.title} is not installed in the Python {program}; install it with: "
            f"{driver.get}; or give another Python with --program"
        )
    else:
        words = (
            f"{driver.title}: {program} prints no version, so it is not this host or cannot run "
            f"here; install it with: {driver.get}"
        )
    raise UsageError(visible(words))
