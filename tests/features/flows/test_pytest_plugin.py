"""The plugin of pytest, in a real run of pytest in a folder of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.approved import approved
from tests.manual import page
from tests.transport.webbed import signing_in_demo

PROSE = approved("flows")

ROOT = Path(__file__).resolve().parents[3]
FLOW = """\
server: demo
steps:
  - call: delete_file
    with: {path: notes/todo.txt}
    person: deny
    expect: {verdict: ask, sent: false}
  - name: made to fail
    call: increment_counter
    with: {id: visits}
    expect: {outcome: ok}
"""


def pytest_in(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", *words]
    return subprocess.run(
        command,
        cwd=folder,
        # What was asked of these tests is not asked of those.
        env={**os.environ, "COLUMNS": "120", "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        timeout=150,
    )


def test_flow_files_are_tests_and_fail_as_tests_do(tmp_path: Path) -> None:
    (tmp_path / "a.flow.yaml").write_text(FLOW)
    (tmp_path / "b.flow.yaml").write_text(FLOW.replace("person", "persn"))
    (tmp_path / "other.yaml").write_text("nothing: of ours\n")
    with signing_in_demo() as url:
        for name, answer in (("in", "follow"), ("out", "none")):
            text = f"url: {url}\nsign_in: {answer}\nsteps:\n  - call: calculate_sum\n"
            (tmp_path / f"{name}.flow.yaml").write_text(text)
        ended = pytest_in(tmp_path, "-v", "--continue-on-collection-errors")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    for words in (
        "a.flow.yaml::1 call delete_file PASSED",
        "a.flow.yaml::2 made to fail FAILED",
        "a.flow.yaml::nothing left late PASSED",
        "in.flow.yaml::sign in PASSED",
        "out.flow.yaml::sign in FAILED",
    ):
        assert words in ended.stdout, ended.stdout
    assert re.search(r"outcome :10 +ok +\| denied", ended.stdout)
    [line] = [one for one in ended.stdout.splitlines() if "persn is" in one]
    PROSE.holds("plugin: a misspelt key", line[line.index("line 5") :])
    assert "Traceback" not in ended.stdout


@pytest.mark.slow
def test_the_fixtures_of_the_manual(tmp_path: Path) -> None:
    flow = re.findall(r"```yaml\n(flow:.*?)```", page("how-to/flow-files"), flags=re.DOTALL)[0]
    (tmp_path / "careful.flow.yaml").write_text(flow, encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page("how-to/pytest"), flags=re.DOTALL)
    (tmp_path / "test_server.py").write_text(code, encoding="utf-8")
    ended = pytest_in(tmp_path, "test_server.py", "-q")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "2 passed" in ended.stdout


MISTAKES = {
    "approval_flow('none.flow.yaml')": (
        "approval_flow: no flow file none.flow.yaml in FOLDER; a relative path begins at"
    ),
    "approval_flow('bad.flow.yaml')": "bad.flow.yaml line 1, column 1: ",
    "approval_flow('policy.flow.yaml')": "missing.toml",
    "approval_flow('.')": "approval_flow: no flow file . in FOLDER",
    "approval_flow('/none/x.flow.yaml')": "no flow file /none/x.flow.yaml",
    "signoff_server(srver='demo')": "srver is",
    "signoff_server(server='demo', policy='./none.toml')": "none.toml",
    "signoff_decide('none.txt', 'demo')": "none.txt: no such baseline",
    "signoff_server(server='demo').call('delete_user', {}, expect={'outcome': 'ok'})": "| denied",
}


def test_each_mistake_of_a_test_is_one_clear_failure(tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "bad.flow.yaml").write_text("nothing: of ours\n")
    (tests / "policy.flow.yaml").write_text(f"policy: ./missing.toml\n{FLOW}")
    fixtures = "approval_flow, signoff_server, signoff_decide"
    code = "".join(f"def test_{at}({fixtures}):\n    {call}\n" for at, call in enumerate(MISTAKES))
    (tests / "test_a.py").write_text(code)
    ended = pytest_in(tmp_path, "-q", "tests/test_a.py")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert f"{len(MISTAKES)} failed" in ended.stdout
    for words in MISTAKES.values():
        assert words.replace("FOLDER", str(tests)) in ended.stdout
    assert "Traceback" not in ended.stdout
    assert "app/testing" not in ended.stdout
    assert len(ended.stdout.splitlines()) < 10 * len(MISTAKES), ended.stdout


@pytest.mark.slow
def test_paths_of_every_fixture_begin_at_the_test_file(tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    filed = (ROOT / "tests" / "servers" / "filed.py").read_text(encoding="utf-8")
    (tests / "server.py").write_text(filed, encoding="utf-8")
    (tests / "tools.json").write_text('[{"name": "a", "inputSchema": {"type": "object"}}]')
    (tests / "a.flow.yaml").write_text(FLOW.partition("  - name")[0])
    (tests / "test_a.py").write_text(
        "import sys\n"
        "SERVER = (sys.executable, '-S', 'server.py', 'tools.json')\n"
        "def test_flow(approval_flow):\n"
        "    approval_flow('a.flow.yaml')\n"
        "def test_decide(signoff_decide):\n"
        "    signoff_decide('d.txt', '--write-baseline', 'd.txt', '--', *SERVER)\n"
        "    signoff_decide('d.txt', '--', *SERVER)\n"
        "def test_server(signoff_server):\n"
        "    signoff_server(command=[*SERVER]).call('a', expect={'sent': False})\n"
    )
    for folder, file in ((tmp_path, "tests/test_a.py"), (tests, "test_a.py"), (ROOT, "")):
        ended = pytest_in(folder, "-q", "-c", os.devnull, file or str(tests / "test_a.py"))
        assert ended.returncode == 0, ended.stdout + ended.stderr
    assert (tests / "d.txt").exists()


@pytest.mark.slow
def test_a_test_compares_decisions_with_the_baseline(tmp_path: Path) -> None:
    filed = ROOT / "tests" / "servers" / "filed.py"
    (tmp_path / "test_it.py").write_text(
        "import sys\n"
        f"SERVER = ('--', sys.executable, '-S', {str(filed)!r}, 'tools.json')\n"
        "def test_one(signoff_decide):\n"
        "    words = ('--write-baseline', 'd.txt', '--fail-on', 'stops-asking')\n"
        "    signoff_decide('d.txt', *words, *SERVER)\n",
        encoding="utf-8",
    )
    tools = tmp_path / "tools.json"
    hints = '{"readOnlyHint": true, "openWorldHint": true}'
    tools.write_text('[{"name": "a", "inputSchema": {"type": "object"}}]')
    assert pytest_in(tmp_path).returncode == 0
    tools.write_text(
        f'[{{"name": "a", "inputSchema": {{"type": "object"}}, "annotations": {hints}}}]'
    )
    ended = pytest_in(tmp_path)
    assert ended.returncode == 1
    assert "a asks in" in ended.stdout
    assert "Traceback" not in ended.stdout
