"""Policies, host rules and measurements in files: the user's own, by path or by name."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ..approval.policies.measured import Measured
from ..approval.policies.policy import BUILT_IN_NAMES, Policy, PolicyKind
from ..approval.policies.policy_text import (
    LONGEST,
    PolicyError,
    built_in,
    built_in_text,
    read_policy,
)
from ..content.files.content import FileFault, read_text
from ..content.files.tree import NOWHERE, Problem, SourceLocation
from ..content.suggest import did_you_mean
from ..hosts.agents import problems_of_agents
from ..hosts.folders import (
    NAME,
    RECORDS,
    FactError,
    hosts_folder,
    in_order,
    misnamed_folders,
    own_fact,
    own_folders,
    own_text,
)
from ..hosts.measured.records import MeasuredDecisions, file_name, packaged_measurements
from ..hosts.measured.values import Measurement, RecordError, read_measurements
from ..hosts.model_view.table import problems_of_models
from ..hosts.rules import host_names, read_host
from ..hosts.settings import problems_of_settings
from ..hosts.table import problems_of_files
from ..platforms.files import replace_whole, usual_rights, why
from .state_dir import shown

_RECORD_BYTES = 20_000_000
_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a character, which JSON can have and UTF-8 cannot."""


def measured_folder() -> Path:
    """Folder of own measurements (`XDG_DATA_HOME/signoff/measured` on Linux)."""
    import platformdirs

    folder: Path = platformdirs.user_data_path("signoff", appauthor=False)
    return folder / "measured"


def save_measurement(found: Measurement) -> Path:
    """Write a measurement into `measured_folder()`, over one of the same version, mode and surface.

    Raises OSError.
    """
    folder = measured_folder()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / file_name(found.key)
    if found.has_only_slow_calls:
        # The record of its decisions is kept.
        path = path.with_name(f"{path.stem}-patience{path.suffix}")
    replace_whole(path, record_text([found]).encode("utf-8"), usual_rights())
    return path


def record_text(found: list[Measurement]) -> str:
    """Measurements as JSON, a cell a line, so that a difference can be read."""
    parts = []
    for one in found:
        raw = one.as_json()
        cells = raw.pop("cells")
        head = json.dumps(raw, ensure_ascii=False, indent=1)[:-2]
        assert isinstance(cells, list)
        lines = ",\n  ".join(json.dumps(cell, ensure_ascii=False) for cell in cells)
        parts.append(f'{head},\n "cells": [\n  {lines}\n ]\n}}')
    text = "[" + ",\n".join(parts) + "]\n"
    return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def read_measured_file(path: Path) -> tuple[Measurement, ...]:
    """The measurements in a file. Raises RecordError."""
    try:
        return read_measurements(read_text(path, _RECORD_BYTES), path.name)
    except FileFault as fault:
        raise RecordError(f"{path.name}: it {fault}") from None


def own_measurements(problems: list[str] | None = None) -> Iterator[Measurement]:
    """The measurements in `measured_folder()`, and in the folders of own hosts; unreadable files
    are named in `problems`.
    """
    for path in _records():
        try:
            yield from read_measured_file(path)
        except RecordError as problem:
            if problems is not None:
                problems.append(str(problem))


def _records() -> Iterator[Path]:
    own = ((one, names) for one in own_folders().values() for names in RECORDS)
    places = ((measured_folder(), "*.json"), *own)
    for folder, names in places:
        with contextlib.suppress(OSError):
            # A pipe would be waited for.
            yield from sorted(path for path in folder.glob(names) if path.is_file())


def all_measurements(problems: list[str] | None = None) -> tuple[Measurement, ...]:
    """Those that come with the program, then the user's own."""
    return (*packaged_measurements(), *own_measurements(problems))


_SUFFIX = ".toml"
_BYTES = 4 * LONGEST


class PolicyNotFound(LookupError):
    """A policy name that does not exist; the text lists the existing ones and is safe to show."""


def policies_folder() -> Path:
    """Folder of own policies, found by name (`XDG_CONFIG_HOME/signoff/policies` on Linux)."""
    import platformdirs

    return platformdirs.user_config_path("signoff", appauthor=False) / "policies"


def own_names() -> tuple[str, ...]:
    """The names of the files in `policies_folder()`, in order; empty if it cannot be read.

    A file that has the name of a built-in policy is none of them: the built-in one counts.
    """
    folder = policies_folder()
    if not folder.is_absolute():
        return ()
    try:
        found = sorted(path.stem for path in folder.iterdir() if path.suffix == _SUFFIX)
    except OSError:
        return ()
    return tuple(name for name in found if name not in BUILT_IN_NAMES)


def find_policy(name_or_path: str) -> Policy:
    """Return a built-in policy, one of the user's own by name, or the one in a file.

    A name with a separator or the ending `.toml` is a path; `docker:FILE` and `toolhive:FILE` are
    Cedar policies. Raises PolicyNotFound, and PolicyError
    for a file that cannot be read or has a mistake in it.
    """
    if ":" in name_or_path:
        from .cedar_files import DIALECTS, read_cedar_text

        dialect, _, path = name_or_path.partition(":")
        if dialect in DIALECTS:
            return read_cedar_text(dialect, path, _cedar_text(dialect, path))
    if is_path(name_or_path):
        return read_policy_file(Path(name_or_path))
    if name_or_path in BUILT_IN_NAMES:
        return built_in(name_or_path)
    policy = read_policy_file(own_path(name_or_path))
    if policy.name != name_or_path:
        file_name = f"{name_or_path}{_SUFFIX}"
        words = f'its name is "{policy.name}": a policy in this folder has the name of its file'
        raise PolicyError(file_name, (Problem(NOWHERE, words),))
    return policy


def policy_text(name_or_path: str) -> str:
    """The text of the policy that `find_policy` finds; it raises the same, but for mistakes in
    it.
    """
    if ":" in name_or_path:
        from .cedar_files import DIALECTS

        dialect, _, path = name_or_path.partition(":")
        if dialect in DIALECTS:
            return _cedar_text(dialect, path)
    if is_path(name_or_path):
        return _text(Path(name_or_path))
    if name_or_path in BUILT_IN_NAMES:
        return built_in_text(name_or_path)
    return _text(own_path(name_or_path))


def _cedar_text(dialect: str, path: str) -> str:
    """The text of a file with Cedar policies; `example` is one that comes with the program."""
    from .cedar_files import EXAMPLE, example_text

    return example_text(dialect) if path == EXAMPLE else _text(Path(path))


def is_path(name_or_path: str) -> bool:
    return os.sep in name_or_path or "/" in name_or_path or name_or_path.endswith(_SUFFIX)


def own_path(name: str) -> Path:
    """The file of an own policy. Raises PolicyNotFound."""
    names = own_names()
    if name in names:
        return policies_folder() / f"{name}{_SUFFIX}"
    known = ", ".join([*BUILT_IN_NAMES, *map(shown, names)])
    hint = did_you_mean(name, [*BUILT_IN_NAMES, *names])
    words = f"unknown policy {shown(name)!r}{hint} (known policies: {known}"
    raise PolicyNotFound(f"{words}; for a file, use its path: ./{shown(name)}{_SUFFIX})")


def read_policy_file(path: Path, kind: PolicyKind = PolicyKind.OWN) -> Policy:
    """The policy, or the rules of a host, in a file. Raises PolicyError."""
    policy = read_policy(_text(path), path.name, kind=kind)
    if policy.name in BUILT_IN_NAMES:
        words = f'"{policy.name}" is the name of a built-in policy: choose another name'
        raise PolicyError(path.name, (Problem(NOWHERE, words),))
    return policy


def _text(path: Path) -> str:
    try:
        # Policies are read at each start: no pipe is waited for there.
        return read_text(path, _BYTES, waits=False)
    except FileFault as fault:
        problem = Problem(SourceLocation(fault.line), f"it {fault}")
        raise PolicyError(path.name if fault.line else str(path), (problem,)) from None


class FoundHosts(NamedTuple):
    """Usable host rules, and errors of the files that cannot be used, safe to show."""

    hosts: tuple[Policy, ...]
    problems: tuple[str, ...]


def find_hosts() -> FoundHosts:
    """The host rules that come with the program and the user's own, in the order of columns.

    An own file replaces the rules of the same name. If it is broken there are none of that name: a
    correction of the user's is not silently undone. For the same reason rules in a folder of the
    user's find only what the user measured, and those in a single file nothing.
    """
    paths, problems = _own_paths()
    found: dict[str, Policy | None] = {name: None for name in host_names() if name not in paths}
    for name, path in paths.items():
        try:
            if path is not None:
                found[name] = _read_own(name, path)
        except PolicyError as problem:
            problems += problem.lines
    measured = MeasuredDecisions(all_measurements)
    hosts = (found[name] or with_measured(read_host(name), measured) for name in in_order(found))
    return FoundHosts(tuple(hosts), (*problems, *_problems_of_folders()))


def _problems_of_folders() -> Iterator[str]:
    """The problems of the folders of own hosts, beside their rules and drivers."""
    for name in misnamed_folders():
        words = f"a folder of a host has a name such as my-agent ({NAME.pattern})"
        yield f"{shown(hosts_folder() / name)}: {words}"
    if own_folders():
        for problems in (problems_of_files, problems_of_settings, problems_of_models):
            yield from map(shown, problems())
        yield from map(shown, problems_of_agents())


def with_measured(host: Policy, measured: Measured) -> Policy:
    """The rules of a host that find what was measured of it; a correction of the user's is none
    of these: it counts as it is.
    """
    modes = tuple(replace(one, measured=measured) for one in host.modes)
    return replace(host, measured=measured, modes=modes)


def _own_paths() -> tuple[dict[str, Path | None], list[str]]:
    """Own files by the name of their host, None for one that has two, and problems."""
    folder = hosts_folder()
    if not folder.is_absolute():
        return {}, [f"the folder {shown(folder)} is not an absolute path, so it is not used"]
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == _SUFFIX)
    except FileNotFoundError:
        return {}, []
    except OSError as problem:
        return {}, [f"the folder {shown(folder)} cannot be read: {why(problem)}"]
    found: dict[str, Path | None] = {path.stem: path for path in paths}
    problems: list[str] = []
    for name in own_folders():
        rules = own_fact(name, "rules.toml")
        if rules is not None and name in found:
            problems.append(f"{name}.toml and {name}/rules.toml: keep one of them; neither counts")
            found[name] = None
        elif rules is not None:
            found[name] = rules
    return found, problems


def _read_own(name: str, path: Path) -> Policy:
    is_folder = path.name == "rules.toml"
    file = f"{name}/{path.name}" if is_folder else path.name
    try:
        text = own_text(path) if is_folder else policy_text(str(path))
    except FactError as problem:
        raise PolicyError(file, (Problem(NOWHERE, str(problem)),)) from None
    host = read_policy(text, file, kind=PolicyKind.HOST)
    words = ""
    if host.name != name:
        of = "folder" if is_folder else "file"
        words = f'its name is "{host.name}": the rules of a host have the name of their {of}'
    elif name in BUILT_IN_NAMES:
        words = f'"{name}" is the name of a built-in policy: give the host another'
    if words:
        raise PolicyError(file, (Problem(NOWHERE, words),))
    modes = tuple(replace(one, is_own=True) for one in host.modes)
    host = replace(host, is_own=True, modes=modes)
    return with_measured(host, MeasuredDecisions(own_measurements)) if is_folder else host
