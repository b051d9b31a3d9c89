"""A network of its own for a host: what it can reach, and what is noted."""

from __future__ import annotations

import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.features.measure.running.name_server import answer_to, name_in, serving_names
from signoff.app.platforms.isolation import Isolation, IsolationError, isolate
from tests.features.measure.apart import AGENTS, measured_apart, report_of
from tests.tiers import first_quick

NOSY = """
    import socket
    for name in ("telemetry.example.org", "localhost"):
        try:
            socket.getaddrinfo(name, 443)
        except OSError:
            pass
    try:
        socket.create_connection(("192.0.2.1", 443), 2)
    except OSError:
        pass
"""


def query(name: str, number: int = 7, flags: int = 0x0100) -> bytes:
    labels = b"".join(bytes([len(one)]) + one.encode("latin-1") for one in name.split("."))
    return struct.pack(">HHHHHH", number, flags, 1, 0, 0, 0) + labels + b"\0" + b"\0\1\0\1"


LABEL = st.text(
    st.characters(max_codepoint=255, exclude_characters=".ABC"), min_size=1, max_size=63
)


@given(st.lists(LABEL, min_size=1, max_size=3), st.integers(0, 65_535))
def test_a_name_is_noted_and_does_not_exist(labels: list[str], number: int) -> None:
    name = ".".join(labels)
    found = answer_to(query(name, number))
    assert found is not None
    noted, response = found
    assert noted == name.lower()
    assert struct.unpack(">H", response[:2])[0] == number
    flags, questions, answers = struct.unpack(">HHH", response[2:8])
    assert flags & 0x800F == 0x8003
    assert (questions, answers) == (1, 0)
    assert name_in(response) is not None


@given(st.binary(max_size=300))
def test_no_packet_is_too_odd(packet: bytes) -> None:
    answer_to(packet)


def test_a_response_and_a_half_query_are_not_answered() -> None:
    for packet in (query("example.org", flags=0x8180), query("example.org")[:-5], b""):
        assert answer_to(packet) is None


def test_names_are_noted_until_the_end() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        own.bind(("127.0.0.1", 0))
        with (
            serving_names(own) as found,
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking,
        ):
            asking.settimeout(20)
            for name in ("One.example", "two.example", "printer.local"):
                asking.sendto(query(name), own.getsockname())
                assert asking.recv(512)[3] & 0xF == 3
    assert found == {"one.example", "two.example"}


@pytest.fixture
def isolation(tmp_path: Path) -> Iterator[Isolation]:
    try:
        made = isolate(tmp_path, [str(tmp_path)])
    except IsolationError as problem:
        pytest.skip(f"no network of its own here: {problem.strerror}")
    yield made
    made.close()


def in_there(isolation: Isolation, code: str, folder: Path) -> str:
    words = (*isolation.entry, sys.executable, "-I", "-c", dedent(code))
    ended = subprocess.run(words, capture_output=True, text=True, cwd=folder, timeout=60)
    return ended.stdout + ended.stderr


def test_it_reaches_this_process_and_nothing_else(isolation: Isolation, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        places = (other.getsockname(), ("192.0.2.1", 443), ("2001:db8::1", 443))
        code = f"""
            import os, socket
            print(os.getcwd())
            socket.create_connection({isolation.listening.getsockname()!r}, 20).close()
            print([name for _, name in socket.if_nameindex()])
            for other in {places!r}:
                try:
                    socket.create_connection(other, 20)
                except OSError as problem:
                    print(type(problem).__name__)
        """
        lines = in_there(isolation, code, tmp_path).splitlines()
    assert lines == [str(tmp_path), "['lo']", "ConnectionRefusedError", "OSError", "OSError"]
    isolation.listening.settimeout(20)
    isolation.listening.accept()[0].close()
    with serving_names(isolation.names) as found:
        in_there(isolation, NOSY, tmp_path)
    assert "telemetry.example.org" in found
    assert not any("localhost" in one for one in found)
    ended = subprocess.run(
        (*isolation.entry, str(tmp_path / "nothing")), capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 127
    assert "nothing: No such file or directory" in ended.stderr


def test_with_its_end_everything_in_it_ends(isolation: Isolation) -> None:
    """Also if this process is killed: the channel to the holder is then closed by the system."""
    code = "import time; print(1, flush=True); time.sleep(600)"
    apart = subprocess.Popen(
        (*isolation.entry, sys.executable, "-c", code),
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert apart.stdout is not None
    assert apart.stdout.readline() == b"1\n"
    for one in (isolation.listening, isolation.names, isolation.channel):
        one.close()
    assert apart.wait(60) == -9
    assert isolation.holder.wait(60) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="the words of Linux")
def test_a_network_that_cannot_be_made_has_its_reason(tmp_path: Path) -> None:
    with pytest.raises(IsolationError) as caught:
        isolate(tmp_path / "missing", [])
    assert caught.value.strerror


@pytest.mark.slow
@pytest.mark.parametrize(
    ("option", "is_isolated", "names"),
    first_quick(
        [("--isolated", True, ["telemetry.example.org"]), ("--network", False, None)], several=True
    ),
)
def test_a_record_has_the_isolation_and_the_names_that_were_looked_up(
    isolation: Isolation, tmp_path: Path, option: str, is_isolated: bool, names: object
) -> None:
    agent = tmp_path / "nosy.py"
    rest = (AGENTS / "careless.py").read_text().replace("from __future__ import annotations\n", "")
    agent.write_text(f"{dedent(NOSY)}\n{rest}", encoding="utf-8")
    ended = measured_apart("--json", "--only", "hints/none", option, agent=agent)
    assert ended.returncode == 0
    found = report_of(ended)
    assert (found["isolated"], found["names"]) == (is_isolated, names)
    assert [one["did"] for one in found["cells"]] == ["ran"]
