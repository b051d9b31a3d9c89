"""The commands that repeat a measurement: the host in a folder of its own, then `measure`."""

from __future__ import annotations

import re
import shlex
from typing import Final

from ...content.text import visible
from ...hosts.measured.values import PATIENCE, Measurement
from .drivers import Driver
from .probes.patience import FAMILY
from .probes.probes import FAMILIES, default_probes

_PLAIN: Final = re.compile(r"[A-Za-z0-9@/][A-Za-z0-9@/._+~-]*")
"""Names and versions that are put into a command; a record may be anyone's."""
_EXTRAS: Final = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(?P<extras>\[[A-Za-z0-9,_-]+\])?")


def repeat_lines(found: Measurement, driver: Driver | None) -> list[str]:
    """The commands, one a line, and comments."""
    if driver is None:
        name = visible(found.host)
        return [f"# No driver of {name} is here. It was measured by hand, or elsewhere."]
    is_plain = _PLAIN.fullmatch(found.version) is not None
    if not is_plain or found.mode not in {one.name for one in driver.modes}:
        return [f"# install: {visible(driver.get)}", f"signoff measure {shlex.quote(driver.name)}"]
    lines, program = _installed(driver, found.version)
    words = ["signoff", "measure", f"{driver.name}:{found.mode}"]
    if found.surface != next(iter(driver.mode(found.mode).commands)):
        words += ["--surface", found.surface]
    end = ["--program", program] if program else []
    tried = {one.probe for one in found.cells}
    quick = {one for one in tried if not one.startswith(PATIENCE)}
    if quick:
        lines.append(shlex.join([*words, *_probes_of(quick), *end]))
    if quick != tried:
        lines.append("# How long it waits for a slow tool takes up to 15 minutes:")
        lines.append(shlex.join([*words, "--only", FAMILY, *end]))
    return lines


def _installed(driver: Driver, version: str) -> tuple[list[str], str]:
    """The commands that install one version into a folder of its own, and its program."""
    registry, _, package = driver.package.partition(":")
    folder = f"./{driver.name}-{version}"
    note = [f"# {visible(driver.get)}"] if "(" in driver.get else []
    if registry == "npm" and _PLAIN.fullmatch(package):
        install = ["npm", "install", "--prefix", folder, f"{package}@{version}"]
        return [*note, shlex.join(install)], f"{folder}/node_modules/.bin/{driver.program}"
    if registry == "pypi" and (words := _with_version(driver.get, package, version)):
        lines = [
            shlex.join(["python3", "-m", "venv", folder]),
            shlex.join([f"{folder}/bin/pip", "install", *words]),
        ]
        return lines, f"{folder}/bin/{'python' if driver.is_library else driver.program}"
    return [f"# install version {version}: {visible(driver.get)}"], ""


def _with_version(get: str, package: str, version: str) -> list[str]:
    """What `pip install` is given, with the version of the package; empty for another command."""
    try:
        words = shlex.split(get)
    except ValueError:
        return []
    if words[:2] != ["pip", "install"]:
        return []
    found = []
    for word in words[2:]:
        name = _EXTRAS.match(word)
        is_it = name is not None and name["name"] == package
        found.append(f"{name[0]}=={version}" if name is not None and is_it else word)
    return found


def _probes_of(tried: set[str]) -> list[str]:
    """The options that choose at least the probes that were tried."""
    usual = {one.id for one in default_probes()}
    if tried <= usual:
        return []
    families = {probe.partition("/")[0] for probe in tried}
    only = ["--only", ",".join(name for name in FAMILIES if name in families)]
    if families == {*FAMILIES} - {FAMILY}:
        only = []
    needs_all = any(one not in usual and one.startswith(("hints/", "answers/")) for one in tried)
    return [*only, *(["--all"] if needs_all or not only else [])]
