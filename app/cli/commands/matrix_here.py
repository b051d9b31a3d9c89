"""`signoff matrix --here`: the columns of this machine's hosts, and what runs without asking."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ...approval.policies.policy import Policy
from ...configuration.as_configured import (
    ConfiguredColumn,
    Run,
    Wanted,
    columns_here,
    entries_of,
    runs_here,
)
from ...configuration.discovery import Machine, read_bytes, read_given
from ...configuration.edits import Edit, Patch, patch_of
from ...configuration.problems import ConfigProblem
from ...configuration.reading import format_of
from ...configuration.servers import FileReport, as_read_by_all
from ...content.frozen import frozen
from ...engine.target import Target
from ...presentation.here import Patches
from ...protocol.tool import ToolDefinition
from ...storage.policy_files import find_hosts
from ..configured import read_files, this_machine


@frozen
class Here:
    """One server in the files of this machine."""

    columns: tuple[ConfiguredColumn, ...]
    runs: tuple[Run, ...]
    patches: Patches
    machine: Machine
    models: tuple[Policy, ...]
    """The models of the hosts that have it, as they are without any settings."""

    @property
    def policies(self) -> tuple[Policy, ...]:
        """The columns of the matrix."""
        return tuple(one.policy for one in self.columns)

    @property
    def beside_models(self) -> tuple[Policy, ...]:
        """Each column after the model of its host."""
        found: dict[str, Policy] = {}
        for one in self.columns:
            model = next((each for each in self.models if each.name == one.server.host), None)
            found |= {each.name: each for each in (model, one.policy) if each is not None}
        return tuple(found.values())


def read_here(tools: Sequence[ToolDefinition], target: Target) -> Here:
    """Read the files of all hosts and find the server in them; nothing is started."""
    machine = this_machine()
    files = read_files((), "", machine)
    known = {file.file for file in files}
    if target.configured and target.configured[0] not in known:
        files.append(read_given(target.configured[0], None, machine))
    files = as_read_by_all(files)
    entries = entries_of(files, Wanted(target.argv, target.url, target.configured))
    hosts = find_hosts().hosts
    columns = columns_here(tools, entries, files, hosts, machine)
    runs = runs_here(tools, columns)
    having = {one.server.host for one in columns}
    models = tuple(one for one in hosts if one.name in having)
    return Here(tuple(columns), tuple(runs), _patches(files), machine, models)


def _patches(files: Sequence[FileReport]) -> Patches:
    reports = {file.file: file for file in files}
    made: dict[tuple[str, Edit], Patch] = {}

    def patch(path: str, edit: Edit) -> Patch:
        if (path, edit) not in made:
            made[path, edit] = _patch(reports[path], edit)
        return made[path, edit]

    return patch


def _patch(file: FileReport, edit: Edit) -> Patch:
    data = read_bytes(file.file, file.root or os.path.dirname(file.file))
    if isinstance(data, ConfigProblem):
        return Patch("", data.message)
    if file.has_changed(data):
        return Patch("", "the file has changed since it was read")
    if b"\r\n" in data:
        return Patch("", "the lines of the file end as on Windows: edit it by hand")
    return patch_of(file.file, data.decode("utf-8-sig"), format_of(file.file), edit)
