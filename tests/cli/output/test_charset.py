"""Whatever the locale is: UTF-8 goes in and comes out, or one sentence says why not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.approved import approved
from tests.cli.running import ROOT
from tests.e2e.program import QUIT, signoff, wait_for_tools
from tests.e2e.steps import wait_for_start
from tests.e2e.terminal import Terminal
from tests.servers import raw

PROSE = approved("headless")

IS_ASCII = f"{ROOT}{sys.executable}".isascii()
NOT_FOUND = "in this charset Python finds no module in a folder of such a name"
PLAIN = "Python told to be plain"
SILENT = {
    "LANG": {"LANG": "C"},
    "POSIX": {"LC_ALL": "POSIX"},
    "not installed": {"LANG": "xx_YY.ISO-8859-1"},
    PLAIN: {
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    },
}
"""Locales that say nothing of what a terminal draws."""
NAMES = [
    pytest.param(name, marks=pytest.mark.skipif(name == PLAIN and not IS_ASCII, reason=NOT_FOUND))
    for name in SILENT
]


@pytest.fixture(scope="session")
def latin(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a locale whose charset is ISO-8859-1."""
    if not IS_ASCII:
        pytest.skip(NOT_FOUND)
    folder = tmp_path_factory.mktemp("locales")
    name = "de_DE.ISO-8859-1"
    try:
        made = subprocess.run(
            ["localedef", "-i", "de_DE", "-f", "ISO-8859-1", str(folder / name)],
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        pytest.skip("there is no localedef")
    if made.returncode:
        pytest.skip("the sources of this locale are not installed")
    return {"LOCPATH": str(folder), "LC_ALL": name}


def run(words: list[str], env: dict[str, str], stdin: bytes = b"") -> tuple[int, bytes, bytes]:
    """Exit status, standard output, standard error."""
    clean = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "PYTHONPATH": str(ROOT)}
    state = {name: value for name, value in os.environ.items() if name.startswith("XDG_")}
    done = subprocess.run(
        signoff(*words),
        input=stdin,
        capture_output=True,
        env=clean | state | env,
        check=False,
        timeout=150,
        cwd=ROOT,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_screen_is_drawn(name: str) -> None:
    env = {"LANG": "", **SILENT[name]}
    with Terminal(signoff("--", *raw()), env=env) as terminal:
        wait_for_start(terminal)
        wait_for_tools(terminal)
        assert "╭─ Tools" in terminal.text
        assert b"\\u256d" not in terminal.raw
        terminal.press(QUIT)
        assert terminal.wait_exit() == 0


def test_a_locale_of_another_charset_is_refused_in_one_sentence(latin: dict[str, str]) -> None:
    with Terminal(signoff("--", *raw()), env=latin) as terminal:
        assert terminal.wait_exit() == 2
        text = " ".join(terminal.text.split())
    PROSE.holds("locale: another charset", text)
    assert b"\x1b" not in terminal.raw


@pytest.mark.slow
def test_such_a_terminal_gets_no_byte_of_utf_8(latin: dict[str, str]) -> None:
    with Terminal(signoff("tools", "--", *raw("--only", "echo")), env=latin) as terminal:
        terminal.wait_exit()
        written = terminal.raw
    assert b"\\u25cb read-only" in written
    assert not any(0x80 <= byte < 0xA0 for byte in written)


@pytest.mark.slow
def test_files_and_pipes_get_utf_8(latin: dict[str, str]) -> None:
    for env in (latin, SILENT[PLAIN]):
        status, said, _ = run(["tools", "--", *raw("--only", "echo")], env)
        assert status == 0
        assert "○ read-only" in said.decode("utf-8")
        status, said, _ = run(["policy", "show", "cautious"], env)
        assert status == 0
        assert "\\u" not in said.decode("utf-8")


def echoed(env: dict[str, str], *words: str, stdin: bytes = b"") -> object:
    call = ["call", "echo", *words, "--approve", "always", "--json"]
    status, said, told = run([*call, "--", *raw("--only", "echo")], env, stdin)
    assert status == 0, told
    return json.loads(said)["arguments"]


WORD = {"text": "Grüße 雛"}
TYPED: tuple[tuple[tuple[str, ...], bytes], ...] = (
    (("-a", f"text={WORD['text']}"), b""),
    (("--args", json.dumps(WORD, ensure_ascii=False)), b""),
    (("--args", "-"), json.dumps(WORD, ensure_ascii=False).encode()),
)
"""The ways to type arguments: words of the command, and what is standard input."""
TYPED_BY = {"LANG": TYPED[:1], "POSIX": TYPED[1:2], "not installed": TYPED[2:], PLAIN: TYPED}
"""Each way in the plainest Python, and one in each locale that Python itself makes UTF-8 of."""


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_what_is_typed_is_utf_8(name: str) -> None:
    for words, stdin in TYPED_BY[name]:
        assert echoed(SILENT[name], *words, stdin=stdin) == WORD


@pytest.mark.slow
def test_what_is_typed_in_another_charset_is_that(latin: dict[str, str]) -> None:
    argv: list[str | bytes] = [sys.executable, "-m", "signoff.app", "call", "echo"]
    argv += ["-a", b"text=Gr\xfc\xdfe", "--approve", "always", "--json", "--"]
    argv += raw("--only", "echo")
    env = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "PYTHONPATH": str(ROOT)}
    done = subprocess.run(argv, env=env | latin, capture_output=True, check=False, cwd=ROOT)
    assert json.loads(done.stdout)["arguments"] == {"text": "Grüße"}


@pytest.mark.slow
@pytest.mark.skipif(not IS_ASCII, reason=NOT_FOUND)
def test_a_file_of_arguments_is_utf_8(tmp_path: Path) -> None:
    """`@FILE` is UTF-8 whatever the locale."""
    file = tmp_path / "arguments.json"
    file.write_text('{"text": "Grüße"}', encoding="utf-8")
    env = SILENT[PLAIN]
    assert echoed(env, "--args", f"@{file}") == {"text": "Grüße"}
