"""Lines of strace are read as they are written, whatever the names of files are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.calls.effects.strace_lines import (
    Lines,
    Syscall,
    path_of,
    stands_for,
    unescaped,
    unquoted,
    words_in,
)


def read(*lines: str) -> list[Syscall]:
    reader = Lines()
    return [call for line in lines if (call := reader.read(line)) is not None]


def as_strace(name: bytes) -> str:
    """A name as strace prints it: every byte that is not plain as an octal escape."""
    plain = set(range(0x20, 0x7F)) - set(b'"\\<>')
    return "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in name)


def test_a_call_has_name_arguments_and_result() -> None:
    (call,) = read('12 openat(AT_FDCWD</tmp/a b>, "x, y)", O_RDONLY|O_CLOEXEC) = 3</tmp/a b/x, y)>')
    assert call == Syscall(
        12, "openat", ("AT_FDCWD</tmp/a b>", '"x, y)"', "O_RDONLY|O_CLOEXEC"), "3</tmp/a b/x, y)>"
    )
    assert not call.failed
    assert path_of(call.result) == "/tmp/a b/x, y)"


def test_a_failure_has_its_number() -> None:
    (call,) = read('12 unlink("gone") = -1 ENOENT (No such file or directory)')
    assert call.failed
    assert call.errno == "ENOENT"


def test_what_is_interrupted_is_joined() -> None:
    calls = read(
        '1 openat(AT_FDCWD</>, "a", O_RDONLY <unfinished ...>',
        '2 unlink("b" <unfinished ...>',
        "1 <... openat resumed>) = 3</a>",
        "2 <... unlink resumed>)            = 0",
        "3 <... write resumed>) = 1",
    )
    assert [(call.pid, call.name, call.args) for call in calls] == [
        (1, "openat", ("AT_FDCWD</>", '"a"', "O_RDONLY")),
        (2, "unlink", ('"b"',)),
    ]


@pytest.mark.parametrize(
    ("arg", "meaning"),
    [
        ("3</dev/pts/0<char 136:0>>", "/dev/pts/0"),
        ("3<TCP:[127.0.0.1:40000->192.0.2.1:80]>", "TCP:[127.0.0.1:40000->192.0.2.1:80]"),
        ('3<UNIX-STREAM:[1->2, "/run/a>b"]>', 'UNIX-STREAM:[1->2, "/run/a>b"]'),
        ("3</tmp/x>(deleted)", "/tmp/x"),
        ("3</tmp/a\\76b>", "/tmp/a>b"),
        ("3", ""),
    ],
)
def test_a_descriptor_says_what_it_stands_for(arg: str, meaning: str) -> None:
    assert stands_for(arg) == meaning


@pytest.mark.parametrize(
    "line",
    [
        *("", "garbage", "12 +++ exited with 0 +++", "12 --- SIGCHLD {si_signo=SIGCHLD} ---"),
        "12 open(",
    ],
)
def test_other_lines_are_no_calls(line: str) -> None:
    assert read(line) == []


@given(st.binary(min_size=1, max_size=40).filter(lambda name: b"\0" not in name))
def test_any_name_comes_back(name: bytes) -> None:
    written = as_strace(name)
    (call,) = read(f'7 rename("{written}", "b") = 0')
    assert unquoted(call.arg(0)) == name.decode("utf-8", "surrogateescape")
    assert call.arg(1) == '"b"'
    (opened,) = read(f'7 openat(AT_FDCWD</w>, "{written}", O_RDONLY) = 3</{written}>')
    assert path_of(opened.result) == "/" + name.decode("utf-8", "surrogateescape")


@given(st.text(max_size=200))
def test_no_line_is_too_odd(line: str) -> None:
    read(line, f"1 {line}", f"1 open({line}", f'1 open("{line}')


def test_the_words_of_a_command() -> None:
    assert list(words_in('["sh", "-c", "echo \\"hi\\""]')) == ["sh", "-c", 'echo "hi"']
    assert unescaped("\\303\\244\\n\\x41") == "ä\nA"
