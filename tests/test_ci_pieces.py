"""What other projects use of this one in their CI: the action and the hooks of pre-commit."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from ruamel.yaml import YAML

from tests.servers import raw

ROOT = Path(__file__).resolve().parents[1]
ACTION = ROOT / ".github" / "actions" / "signoff"
HOOKS = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")


def run_py() -> ModuleType:
    spec = importlib.util.spec_from_file_location("run_of_action", ACTION / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_action(folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [sys.executable, str(ACTION / "run.py")],
        env=os.environ | {"PATH": path} | {f"SIGNOFF_{key}": one for key, one in inputs.items()},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )


def test_an_input_is_words_and_never_a_script() -> None:
    words = run_py().command(
        {"SIGNOFF_RUN": "lint", "SIGNOFF_ARGS": "--pin 'a b.json'", "SIGNOFF_SERVER": "x; rm -rf /"}
    )
    assert words == ["signoff", "lint", "--pin", "a b.json", "--", "x;", "rm", "-rf", "/"]
    text = (ACTION / "action.yml").read_text(encoding="utf-8")
    for step in text.split("run:")[1:]:
        assert "${{" not in step.partition("\n")[0]


def test_the_action_leaves_the_python_of_the_server_alone() -> None:
    action = YAML(typ="safe").load((ACTION / "action.yml").read_text(encoding="utf-8"))
    python, install, work, *_ = action["runs"]["steps"]
    assert python["with"]["update-environment"] is False
    assert install["env"]["PYTHON"] == "${{ steps.python.outputs.python-path }}"
    assert '"$PYTHON" -m venv' in install["run"]
    assert [line for line in install["run"].splitlines() if " pip " in line] == [
        '"$own/python" -m pip install --quiet "$HERE/../../.."'
    ]
    assert "GITHUB_PATH" not in (ACTION / "action.yml").read_text(encoding="utf-8")
    assert work["run"] == '"$OWN/python" "$HERE/run.py"'


def test_the_action_starts_its_own_signoff_without_a_place_in_path() -> None:
    words = run_py().started(["signoff", "lint", "--", "python", "x.py"])
    assert Path(words[0]).parent == Path(sys.executable).parent
    assert words[1:] == ["lint", "--", "python", "x.py"]


@pytest.mark.slow
def test_the_action_ends_as_signoff_does_and_keeps_what_is_printed(tmp_path: Path) -> None:
    server = shlex.join(raw("--only", "echo"))
    ended = run_action(tmp_path, RUN="lint", ARGS="--sarif -", SERVER=server, OUTPUT="lint.sarif")
    assert ended.returncode == 0, ended.stderr
    assert json.loads((tmp_path / "lint.sarif").read_text())["version"] == "2.1.0"
    assert run_action(tmp_path, RUN="lint", ARGS="nowhere.json").returncode == 2


def test_an_unknown_command_is_named(tmp_path: Path) -> None:
    ended = run_action(tmp_path, RUN="rm", ARGS="-rf /")
    assert ended.returncode == 2
    assert "::error title=Signoff::run: 'rm' is none of lint" in ended.stdout


@pytest.mark.parametrize("name", ["signoff-lint", "signoff-test"])
def test_a_hook_names_files_and_a_command_that_there_is(name: str) -> None:
    hook = HOOKS.partition(f"- id: {name}\n")[2].partition("\n- id:")[0]
    entry = re.search(r"entry: (.*)", hook)
    assert entry is not None
    assert f"signoff {name.removeprefix('signoff-')}" in entry[1]
    assert re.search(r"files: (.*)", hook) is not None


def test_the_hook_of_decide_writes_the_baseline_that_the_action_reads() -> None:
    hook = HOOKS.partition("- id: signoff-decide\n")[2]
    entry = re.search(r"entry: (.*)", hook)
    assert entry is not None
    words = run_py().command({"SIGNOFF_RUN": "decide", "SIGNOFF_SERVER": "x"})
    assert words == ["signoff", "decide", "--", "x"]
    default = re.search(r"default: (signoff-decisions\.txt)", (ACTION / "action.yml").read_text())
    assert default is not None
    file = default[1]
    assert entry[1] == f"signoff decide --baseline {file} --write-baseline {file}"
    assert "pass_filenames: false" in hook


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="pre-commit brings its own sh there")
def test_the_hook_lints_each_file(tmp_path: Path) -> None:
    listed = {"tools": [{"name": "one", "inputSchema": {"type": "object"}}]}
    (tmp_path / "tools.json").write_text(json.dumps(listed))
    (tmp_path / "mcp-tools.json").write_text('{"tools": [{"name": 3}]}')
    entry = re.search(r"id: signoff-lint.*?entry: (.*?)\n", HOOKS, re.DOTALL)
    assert entry is not None
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    def hook(*files: str) -> int:
        words = [*shlex.split(entry[1]), *files]
        env = os.environ | {"PATH": path}
        return subprocess.run(
            words, env=env, cwd=tmp_path, capture_output=True, timeout=150, check=False
        ).returncode

    assert hook("tools.json") == 0
    assert hook("tools.json", "mcp-tools.json") == 4
