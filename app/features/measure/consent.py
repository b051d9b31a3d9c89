"""Consent to run the programs that a file in a folder of the person's names."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence

from ...cli.approving.start_consent import require_consent
from ...hosts.agents import FACT
from ...hosts.files.starting import AGENT, DRIVER, ServerStart
from ...hosts.folders import own_fact, own_text
from ...storage.state_dir import StoreError
from ...storage.store import Store
from .drivers import Driver


def driver_start(driver: Driver) -> ServerStart:
    """Everything that a driver runs, bound to the content of its file."""
    commands = [driver.version]
    for mode in driver.modes:
        filled = {**mode.values, "program": driver.program}
        commands += [_filled(one, filled) for one in (*driver.setup, *mode.commands.values())]
    return ServerStart(
        name=driver.name,
        host=DRIVER,
        title="a driver",
        scope="file",
        file=driver.file,
        line=1,
        transport=DRIVER,
        argv=(driver.program,),
        env=tuple(driver.environment.items()),
        bound_to=driver.digest,
        commands=tuple(
            dict.fromkeys(_filled(one, {"program": driver.program}) for one in commands)
        ),
        writes=tuple(one.path for one in driver.files),
    )


def _filled(command: Sequence[str], values: Mapping[str, str]) -> tuple[str, ...]:
    """A command as a person sees it: with the values of the driver, not yet those of a run."""
    words = list(command)
    for name, value in values.items():
        words = [word.replace(f"{{{name}}}", value) for word in words]
    return tuple(words)


def require_driver(driver: Driver, digests: Sequence[str]) -> None:
    """Return only if the programs of the driver may run; those of Signoff's drivers always may.

    Raises NotStarted.
    """
    if driver.file:
        _require(driver_start(driver), digests)


def require_agent(name: str, command: tuple[str, ...], digests: Sequence[str] = ()) -> None:
    """The same for the command of an `agent.toml`."""
    path = own_fact(name, FACT)
    if path is None:
        return
    start = ServerStart(
        name=name,
        host=AGENT,
        title="the command of an agent",
        scope="file",
        file=str(path),
        line=1,
        transport=DRIVER,
        argv=command,
        bound_to=hashlib.sha256(own_text(path).encode()).hexdigest(),
        commands=(command,),
    )
    _require(start, digests)


def _require(start: ServerStart, digests: Sequence[str]) -> None:
    """Ask, unless one of the digests is of this start: the others may be of a server."""
    given = [one for one in digests if one.strip().lower() == start.digest]
    require_consent(start, given)


def is_agreed(driver: Driver, digests: Sequence[str] = ()) -> bool:
    """True without a question if the programs may run: by an earlier consent, or by a digest."""
    if not driver.file:
        return True
    digest = driver_start(driver).digest
    if digest in (one.strip().lower() for one in digests):
        return True
    with Store.open() as store:
        try:
            return store.starts.use(digest, time.time())
        except StoreError:
            return False
