"""What system calls do to paths, programs and addresses, and what became of each path."""

from __future__ import annotations

import pytest

from signoff.app.calls.effects.deeds import FileAccess, FileLoss, SeenFile, is_loopback
from signoff.app.calls.effects.folders import FileState, FolderState, reduced
from signoff.app.calls.effects.system_calls import Trace
from signoff.app.calls.effects.touches import PATHS_MAX, ObservationWindow, PathAccess
from tests.approved import approved

PROSE = approved("evidence")

W = "AT_FDCWD</w>"


def traced(*lines: str) -> ObservationWindow:
    trace, window = Trace("/w"), ObservationWindow()
    trace.watch(window)
    for line in lines:
        trace.feed(line if line[0].isdigit() else f"1 {line}")
    return window


def file(content: bytes) -> FileState:
    return FileState("file", len(content), 0, 0o644, content.hex() or "-", content)


def became(
    *lines: str, before: FolderState | None = None, after: FolderState | None = None
) -> list[SeenFile]:
    window = traced(*lines)
    seen, more = reduced(
        window.touches, before or {}, after or {}, lambda path: None, scratch="/w", temporary="/t"
    )
    assert not more
    return seen


@pytest.mark.parametrize(
    ("line", "path", "touch"),
    [
        (f'openat({W}, "a", O_WRONLY|O_CREAT|O_EXCL, 0666) = 3</w/a>', "/w/a", PathAccess.MADE),
        (f'openat({W}, "a", O_RDWR|O_CREAT, 0666) = 3</w/a>', "/w/a", PathAccess.OPENED_OR_MADE),
        (f'openat({W}, "a", O_RDONLY) = 3</w/a>', "/w/a", PathAccess.READ),
        ('open("/x/../y", O_RDWR) = 3</y>', "/y", PathAccess.OPENED),
        (
            f'openat2({W}, "a", {{flags=O_WRONLY, resolve=0}}, 24) = 3</w/a>',
            "/w/a",
            PathAccess.OPENED,
        ),
        ("write(3</w/a>, ..., 2) = 2", "/w/a", PathAccess.WROTE),
        ("pwritev(3</w/a>, [...], 1, 0) = 2", "/w/a", PathAccess.WROTE),
        ("copy_file_range(3</w/b>, NULL, 4</w/a>, NULL, 9, 0) = 9", "/w/a", PathAccess.WROTE),
        ("sendfile(4</w/a>, 3</w/b>, NULL, 9) = 9", "/w/a", PathAccess.WROTE),
        ("ftruncate(3</w/a>, 0) = 0", "/w/a", PathAccess.EMPTIED),
        ('truncate("a", 0) = 0', "/w/a", PathAccess.EMPTIED),
        (
            "mmap(NULL, 9, PROT_READ|PROT_WRITE, MAP_SHARED, 3</w/a>, 0) = 0x7",
            "/w/a",
            PathAccess.MAPPED,
        ),
        ('unlink("a") = 0', "/w/a", PathAccess.GONE),
        (f'unlinkat({W}, "a", 0) = 0', "/w/a", PathAccess.GONE),
        ('unlinkat(3</w/d>, "a", AT_REMOVEDIR) = 0', "/w/d/a", PathAccess.GONE),
        ('rmdir("a") = 0', "/w/a", PathAccess.GONE),
        ('mkdir("a", 0777) = 0', "/w/a", PathAccess.MADE),
        ('symlink("target", "a") = 0', "/w/a", PathAccess.MADE),
        ('symlinkat("target", 3</w/d>, "a") = 0', "/w/d/a", PathAccess.MADE),
        (f'linkat({W}, "b", {W}, "a", 0) = 0', "/w/a", PathAccess.MADE),
        (f'fchmodat({W}, "a", 0600) = 0', "/w/a", PathAccess.ATTRIBUTES),
        ("fchmod(3</w/a>, 0600) = 0", "/w/a", PathAccess.ATTRIBUTES),
        ("utimensat(3</w/a>, NULL, NULL, 0) = 0", "/w/a", PathAccess.ATTRIBUTES),
        ('setxattr("a", "user.x", "y", 1, 0) = 0', "/w/a", PathAccess.ATTRIBUTES),
    ],
)
def test_one_call_touches_one_path(line: str, path: str, touch: PathAccess) -> None:
    assert traced(line).touches == {path: [touch]}


@pytest.mark.parametrize(
    "line",
    [
        'unlink("a") = -1 ENOENT (No such file or directory)',
        f'openat({W}, "a", O_WRONLY|O_CREAT, 0666) = -1 EACCES (Permission denied)',
        "write(1<pipe:[5]>, ..., 2) = 2",
        "write(3</dev/null<char 1:3>>, ..., 2) = 2",
        'openat(AT_FDCWD</w>, "/proc/self/oom_score_adj", O_WRONLY) = 3</proc/12/oom_score_adj>',
        "mmap(NULL, 9, PROT_READ|PROT_WRITE, MAP_PRIVATE, 3</w/a>, 0) = 0x7",
        'openat(AT_FDCWD</w>, "d", O_RDONLY|O_DIRECTORY) = 3</w/d>',
    ],
)
def test_what_changes_no_file_touches_none(line: str) -> None:
    assert traced(line).touches == {}


def test_a_process_has_its_folder_and_its_children_begin_there() -> None:
    window = traced(
        '1 chdir("d") = 0',
        "1 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID) = 2",
        '2 chdir("/other") = 0',
        '1 unlink("a") = 0',
        '2 unlink("a") = 0',
        "1 clone3({flags=CLONE_VM|CLONE_FS|CLONE_THREAD}, 88) = 3",
        '3 chdir("/third") = 0',
        '1 unlink("a") = 0',
    )
    assert set(window.touches) == {"/w/d/a", "/other/a", "/third/a"}


def test_programs_and_addresses() -> None:
    window = traced(
        'execve("/bin/sh", ["sh", "-c", "ls"], 0x7 /* 3 vars */) = 0',
        'execve("/no", ["no"], 0x7 /* 3 vars */) = -1 ENOENT (No such file or directory)',
        "connect(3<TCP:[1]>, {sa_family=AF_INET, sin_port=htons(80),"
        ' sin_addr=inet_addr("192.0.2.1")}, 16) = -1 EINPROGRESS (Operation now in progress)',
        "connect(3<TCPv6:[1]>, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0),"
        ' inet_pton(AF_INET6, "2001:db8::1", &sin6_addr), sin6_scope_id=0}, 28) = 0',
        "connect(3<UDP:[1]>, {sa_family=AF_INET, sin_port=htons(53),"
        ' sin_addr=inet_addr("192.0.2.9")}, 16) = 0',
        'sendto(3<UDP:[10.0.0.1:5->192.0.2.53:53]>, "", 9, 0, NULL, 0) = 9',
        'connect(3<UNIX-STREAM:[1]>, {sa_family=AF_UNIX, sun_path="/run/x.sock"}, 110) = 0',
        'connect(3<UNIX-STREAM:[1]>, {sa_family=AF_UNIX, sun_path="/var/run/nscd/socket"}, 110)'
        " = -1 ENOENT (No such file or directory)",
    )
    assert [one.argv for one in window.processes] == [("sh", "-c", "ls")]
    PROSE.holds("addresses: of system calls", "\n".join(one.words for one in window.addresses))
    assert [one.is_open_world for one in window.addresses] == [True, True, True, False]
    assert is_loopback("127.0.0.1")
    assert is_loopback("::1")
    assert not is_loopback("10.0.0.1")


def test_where_a_server_may_escape_is_said() -> None:
    trace = Trace("/w")
    trace.feed("1 io_uring_setup(8, {flags=0}) = 4<anon_inode:[io_uring]>")
    assert "io_uring" in trace.blind[0]


def test_paths_without_end_are_counted() -> None:
    window = traced(*(f'unlink("{number}") = 0' for number in range(PATHS_MAX + 5)))
    assert len(window.touches) == PATHS_MAX
    assert window.more == 5


def test_a_window_takes_what_comes_while_it_is_open() -> None:
    trace, one, two = Trace("/w"), ObservationWindow(), ObservationWindow()
    trace.watch(one)
    trace.feed('1 unlink("a") = 0')
    trace.watch(two)
    trace.feed('1 unlink("b") = 0')
    trace.leave(one)
    trace.feed('1 unlink("c") = 0')
    assert set(one.touches) == {"/w/a", "/w/b"}
    assert set(two.touches) == {"/w/b", "/w/c"}


OPEN = f'openat({W}, "a", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3</w/a>'
WRITE = "write(3</w/a>, ..., 1) = 1"


@pytest.mark.parametrize(
    ("lines", "before", "after", "deed", "loss"),
    [
        ((OPEN, WRITE), None, b"x", FileAccess.CREATED, FileLoss.KEPT),
        ((OPEN, WRITE), b"old\n", b"new\n", FileAccess.EMPTIED, FileLoss.LOST),
        ((OPEN, WRITE), b"old\n", b"old\nnew\n", FileAccess.EMPTIED, FileLoss.KEPT),
        ((OPEN, WRITE), b"old\n", b"old\n", FileAccess.EMPTIED, FileLoss.KEPT),
        ((WRITE,), b"a\nb\n", b"a\nc\n", FileAccess.CHANGED, FileLoss.UNKNOWN),
        (('unlink("a") = 0',), b"x", None, FileAccess.DELETED, FileLoss.LOST),
        (('unlink("a") = 0', OPEN, WRITE), b"x", b"x", FileAccess.REPLACED, FileLoss.KEPT),
        ((OPEN, WRITE, 'unlink("a") = 0'), None, None, FileAccess.TRANSIENT, FileLoss.KEPT),
        (('rename("a", "/elsewhere") = 0',), b"x", None, FileAccess.MOVED, FileLoss.LOST),
        (('rename("b", "a") = 0',), b"x", b"x\ny", FileAccess.REPLACED, FileLoss.KEPT),
        (('chmod("a", 0600) = 0',), b"x", b"x", FileAccess.ATTRIBUTES, FileLoss.KEPT),
    ],
)
def test_what_became_of_a_path(
    lines: tuple[str, ...],
    before: bytes | None,
    after: bytes | None,
    deed: FileAccess,
    loss: FileLoss,
) -> None:
    seen = became(
        *lines,
        before={} if before is None else {"/w/a": file(before)},
        after={} if after is None else {"/w/a": file(after)},
    )
    (of_path,) = [one for one in seen if one.path == "/w/a"]
    assert (of_path.deed, of_path.loss) == (deed, loss)


def test_appending_loses_nothing() -> None:
    opened = f'openat({W}, "a", O_WRONLY|O_CREAT|O_APPEND, 0666) = 3</w/a>'
    before, after = {"/w/a": file(b"1")}, {"/w/a": file(b"12")}
    (seen,) = became(opened, WRITE, before=before, after=after)
    assert (seen.deed, seen.loss, seen.is_same) == (FileAccess.APPENDED, FileLoss.KEPT, False)


def test_opening_to_write_is_no_change_by_itself() -> None:
    assert became(f'openat({W}, "a", O_RDWR) = 3</w/a>', before={"/w/a": file(b"1")}) == []


def test_a_file_elsewhere_may_have_been_there() -> None:
    line = 'openat(AT_FDCWD</w>, "/o/a", O_WRONLY|O_CREAT, 0666) = 3</o/a>'
    (seen,) = became(line)
    assert seen.deed is FileAccess.WRITTEN
    new, _ = reduced(traced(line).touches, {}, {}, lambda path: False)
    assert new[0].deed is FileAccess.CREATED
    old, _ = reduced(traced(line).touches, {}, {}, lambda path: True)
    assert old == []


def test_what_a_language_keeps_for_itself_does_not_matter() -> None:
    path = "/s/__pycache__/m.cpython-311.pyc"
    (seen,) = became(f'openat({W}, "x", O_WRONLY|O_CREAT|O_EXCL, 0644) = 3<{path}.123>')
    assert seen.is_own
    assert not seen.matters
    (seen,) = became(f'openat({W}, "x", O_WRONLY|O_CREAT|O_EXCL, 0644) = 3</t/x>')
    assert seen.is_temporary
    assert not seen.matters


def test_reads_of_the_system_are_left_out() -> None:
    reads = ("/usr/lib/x.so", "/etc/passwd", "/home/me/.ssh/id", "/v/lib/python3.11/os.py", "/w/in")
    seen = became(*(f'openat({W}, "x", O_RDONLY) = 3<{path}>' for path in reads))
    assert [one.path for one in seen] == ["/etc/passwd", "/home/me/.ssh/id"]
