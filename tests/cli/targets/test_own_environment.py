"""A server in an environment of its own, and one whose `python` is that of Signoff."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from signoff.app.cli.targets.own_environment import own_environment_words
from tests.cli.running import Ended, run
from tests.servers import filed

NOTE = "in the environment of Signoff"
OWN = Path(sys.executable).parent
IN_VENV = pytest.mark.skipif(sys.prefix == sys.base_prefix, reason="no environment of its own")
MCP_1 = """\
from importlib.metadata import version

from mcp.server.fastmcp import FastMCP

server = FastMCP("first")


@server.tool(name="on_mcp_" + version("mcp").split(".")[0])
def tool() -> str:
    return "here"


server.run()
"""


def path_of(*folders: Path) -> str:
    return os.pathsep.join([*map(str, folders), os.environ["PATH"]])


def on(folder: Path, path: str, *command: str) -> Ended:
    words = ("tools", "--no-audit", "--no-memory", "--env", f"PATH={path}")
    return run(folder, *words, "--", *command)


@IN_VENV
def test_a_bare_program_beside_signoff_is_named_with_its_path(tmp_path: Path) -> None:
    program = Path(sys.executable).name
    (tmp_path / "tools.json").write_text("[]")
    own = on(tmp_path, path_of(OWN), program, "-S", filed.__file__, "tools.json")
    assert own.status == 0
    assert f"{program} is {OWN / program}, {NOTE}" in " ".join(own.stderr.split())
    dies = on(tmp_path, path_of(OWN), program, "-c", "import a_package_of_the_server")
    assert dies.status == 5
    assert NOTE in " ".join(dies.stderr.split())
    assert "ModuleNotFoundError" in dies.stderr


@IN_VENV
@pytest.mark.parametrize("program", ["mcp", "pytest", Path(sys.executable).name])
def test_any_program_of_the_environment_is_meant(program: str) -> None:
    assert NOTE in own_environment_words([program, "x"], {"PATH": path_of(OWN)})


def test_a_program_elsewhere_or_with_a_path_is_not(tmp_path: Path) -> None:
    program = tmp_path / "python"
    program.write_text("")
    program.chmod(0o755)
    path = path_of(tmp_path, OWN)
    assert own_environment_words(["python"], {"PATH": path}) == ""
    assert own_environment_words([sys.executable], {"PATH": path}) == ""
    assert own_environment_words(["no-such-program"], {"PATH": path}) == ""
    assert own_environment_words([], {"PATH": path}) == ""
    linked = tmp_path / "bin"
    linked.mkdir()
    (linked / "python").symlink_to(sys.executable)
    assert own_environment_words(["python"], {"PATH": str(linked)}) == ""


@IN_VENV
def test_a_flow_whose_server_dies_has_the_note(tmp_path: Path) -> None:
    program = Path(sys.executable).name
    (tmp_path / "a.flow.yaml").write_text(
        f"command: [{program}, -c, import a_package_of_the_server]\n"
        f"env: {{PATH: '{path_of(OWN)}'}}\nsteps: [{{wait: message}}]\n"
    )
    ended = run(tmp_path, "test", "a.flow.yaml")
    assert ended.status == 5, ended
    assert NOTE in " ".join((ended.stdout + ended.stderr).split())


@pytest.mark.slow
def test_a_server_keeps_its_own_version_of_mcp(tmp_path: Path) -> None:
    python = _with_mcp_1(tmp_path / "environment")
    (tmp_path / "server.py").write_text(MCP_1)
    ended = on(tmp_path, path_of(python.parent), "python", "server.py")
    assert ended.status == 0, ended.stderr
    assert "on_mcp_1" in ended.stdout
    assert NOTE not in ended.stderr


def _with_mcp_1(folder: Path) -> Path:
    """The Python of a new environment with the older SDK; skips if it cannot be had here."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, timeout=120)
    places = (folder / "bin" / "python", folder / "Scripts" / "python.exe")
    python = next(one for one in places if one.exists())
    words = [str(python), "-m", "pip", "install", "--quiet", "mcp<2"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=150, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip("mcp 1.x was not installed within 150 s")
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason"])[-1]
        pytest.skip(f"mcp 1.x cannot be installed: {reason}")
    return python
