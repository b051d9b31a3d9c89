"""`--from`: what a file of the registry or the manifest of a bundle describes is started."""

from __future__ import annotations

import json
import os
import shlex
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from signoff.app.presentation.exit_status import ExitStatus
from tests.approved import approved
from tests.cli.running import Ended, run
from tests.servers import raw

PROSE = approved("cli-described")
SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-10-17/server.schema.json"


def tried(folder: Path, file: Path, *words: str, **environ: str) -> Ended:
    home = folder / "home"
    home.mkdir(exist_ok=True)
    given = {"HOME": str(home), "USERPROFILE": str(home), **environ}
    return run(folder, "tools", "--from", str(file), "--json", *words, **given)


def write(file: Path, value: dict[str, Any]) -> Path:
    file.write_text(json.dumps(value), encoding="utf-8")
    return file


def registry(folder: Path, **package: Any) -> Path:
    one = {"registryType": "npm", "identifier": "some-server", "version": "1.2.3", **package}
    one.setdefault("transport", {"type": "stdio"})
    whole = {"$schema": SCHEMA, "name": "io.example/one", "description": "d", "version": "1"}
    remote = {"type": "streamable-http", "url": "https://example.invalid/mcp"}
    return write(folder / "server.json", {**whole, "packages": [one], "remotes": [remote]})


def digest(ended: Ended) -> str:
    assert ended.status == ExitStatus.NOT_APPROVED, ended.stderr
    return ended.stderr.rpartition("--start ")[2].split()[0]


@pytest.mark.skipif(sys.platform == "win32", reason="npx is a script of a shell here")
def test_the_first_package_is_started_as_a_client_would(tmp_path: Path) -> None:
    words = raw("--only", "read_thing")
    programs = tmp_path / "bin"
    programs.mkdir()
    npx = programs / "npx"
    npx.write_text(f'#!/bin/sh\necho "$@" > "{tmp_path}/words"\nexec {shlex.join(words)}\n')
    npx.chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    file = registry(tmp_path, packageArguments=[{"type": "positional", "value": "stdio"}])
    agreed = digest(tried(tmp_path, file, PATH=path))
    assert not (tmp_path / "words").exists()
    ended = tried(tmp_path, file, "--start", agreed, PATH=path)
    assert [one["name"] for one in ended.report["tools"]] == ["read_thing"]
    assert (tmp_path / "words").read_text().split() == ["-y", "some-server@1.2.3", "stdio"]
    assert "io.example/one [http]" in ended.stderr


def test_what_a_person_has_to_give_is_named(tmp_path: Path) -> None:
    needed = [{"name": "API_KEY", "isSecret": True, "isRequired": True}]
    ended = tried(tmp_path, registry(tmp_path, environmentVariables=needed))
    assert ended.status == ExitStatus.USAGE
    PROSE.holds("values are needed", ended.stderr, FOLDER=tmp_path)


def test_the_manifest_of_a_bundle_is_started_from_its_folder(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    words = raw("--only", "read_thing")
    code = f"import runpy, sys; sys.argv = {words[1:]!r}\n"
    (bundle / "main.py").write_text(f"{code}runpy.run_path({words[1]!r}, run_name='__main__')\n")
    config = {"command": sys.executable, "args": ["${__dirname}/main.py"]}
    server = {"type": "python", "entry_point": "main.py", "mcp_config": config}
    whole = {"manifest_version": "0.2", "name": "one", "version": "1", "description": "d"}
    file = write(bundle / "manifest.json", {**whole, "author": {"name": "x"}, "server": server})
    ended = tried(tmp_path, file, "--start", digest(tried(tmp_path, file)))
    assert [one["name"] for one in ended.report["tools"]] == ["read_thing"]


def test_other_files_are_refused_with_what_to_do(tmp_path: Path) -> None:
    other = write(tmp_path / "mcp.json", {"mcpServers": {"a": {"command": "x"}}})
    bundle = tmp_path / "one.mcpb"
    with zipfile.ZipFile(bundle, "w") as written:
        written.writestr("manifest.json", "{}")
    empty = tmp_path / "empty"
    empty.mkdir()
    nothing = write(empty / "server.json", {"$schema": SCHEMA, "name": "x", "version": "1"})
    said = []
    for file in (other, bundle, nothing, tmp_path / "missing.json"):
        ended = tried(tmp_path, file)
        assert ended.status == ExitStatus.USAGE
        said.append(ended.stderr)
    ended = tried(tmp_path, other, "--config", str(other))
    assert ended.status == ExitStatus.USAGE
    PROSE.holds("refused files", "".join([*said, ended.stderr]), FOLDER=tmp_path)
