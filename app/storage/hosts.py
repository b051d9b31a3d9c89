"""Models of hosts that a person has added or mended: files in the configuration folder."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ..approval.hosts import host_names, in_order, read_host
from ..approval.policies.policy import BUILT_IN_NAMES, Policy, PolicyKind
from ..approval.policies.policy_text import PolicyError, read_policy
from ..approval.policies.toml_tables import Problem
from .place import shown, why
from .policies import policy_text

_SUFFIX = ".toml"


class FoundHosts(NamedTuple):
    """Models that can be used, and what is wrong with the files that cannot, safe to show."""

    hosts: tuple[Policy, ...]
    problems: tuple[str, ...]


def hosts_folder() -> Path:
    """Where own models lie by name (`XDG_CONFIG_HOME/signoff/hosts` on Linux)."""
    import platformdirs

    return platformdirs.user_config_path("signoff", appauthor=False) / "hosts"


def find_hosts() -> FoundHosts:
    """The models that come with the program and the person's own, in the order of columns.

    An own file counts in place of the model of the same name. Where it is broken there is none of
    that name: what the person mended is not silently taken back.
    """
    paths, problems = _own_paths()
    found: dict[str, Policy | None] = {name: None for name in host_names() if name not in paths}
    for name, path in paths.items():
        try:
            found[name] = _read_own(name, path)
        except PolicyError as problem:
            problems += problem.lines
    hosts = (found[name] or read_host(name) for name in in_order(found))
    return FoundHosts(tuple(hosts), tuple(problems))


def _own_paths() -> tuple[dict[str, Path], list[str]]:
    """Own files by the name of their host, and why the folder cannot be looked at."""
    folder = hosts_folder()
    if not folder.is_absolute():
        return {}, [f"the folder {shown(folder)} is not an absolute path, so it is not used"]
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == _SUFFIX)
    except FileNotFoundError:
        return {}, []
    except OSError as problem:
        return {}, [f"the folder {shown(folder)} cannot be read: {why(problem)}"]
    return {path.stem: path for path in paths}, []


def _read_own(name: str, path: Path) -> Policy:
    host = read_policy(policy_text(str(path)), path.name, kind=PolicyKind.HOST)
    words = ""
    if host.name != name:
        words = f'its name is "{host.name}": a model of a host has the name of its file'
    elif name in BUILT_IN_NAMES:
        words = f'"{name}" is the name of a built-in policy: give the host another'
    if words:
        raise PolicyError(path.name, (Problem(0, words),))
    return host
