"""Several processes on the same sign-ins, and one that is killed at any moment."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from signoff.app.storage.sign_ins import SignInStore, StoreBusy
from tests.storage.signed import ISSUER, RESOURCE, number_of, numbered
from tests.tiers import first_quick

ROOT = Path(__file__).resolve().parents[2]
KEYRINGS = ["keyring.backends.null.Keyring", "tests.storage.keyring_backends.InFolder"]


def started(folder: Path, doing: str, count: int, backend: str) -> subprocess.Popen[bytes]:
    (folder.parent / "keyring").mkdir(exist_ok=True)
    environment = {
        **os.environ,
        "PYTHON_KEYRING_BACKEND": backend,
        "KEYRING_FOLDER": str(folder.parent / "keyring"),
    }
    words = [sys.executable, "-m", "tests.storage.signed", str(folder), doing, str(count)]
    return subprocess.Popen(
        words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def ended(running: list[subprocess.Popen[bytes]]) -> None:
    for one in running:
        said, _ = one.communicate(timeout=150)
        assert one.returncode == 0, said.decode()


@pytest.mark.parametrize("backend", first_quick(KEYRINGS))
@pytest.mark.parametrize(
    ("writers", "count"),
    first_quick([(2, 10), pytest.param(10, 40, marks=pytest.mark.slow)], several=True),
)
def test_no_torn_one_is_read(tmp_path: Path, writers: int, count: int, backend: str) -> None:
    folder = tmp_path / "sign-ins"
    ended([started(folder, "write", 1, backend)])
    doing = ["write", "read"] * writers
    ended([started(folder, one, count, backend) for one in doing])
    ended([started(folder, "read", 1, backend)])


@pytest.mark.parametrize(
    ("processes", "count"), [(2, 5), pytest.param(20, 10, marks=pytest.mark.slow)]
)
def test_no_refresh_is_lost_under_the_lock(tmp_path: Path, processes: int, count: int) -> None:
    store = SignInStore(tmp_path / "sign-ins")
    store.write(numbered(0))
    ended([started(store.folder, "refresh", count, KEYRINGS[0]) for _ in range(processes)])
    found = store.read(RESOURCE)
    assert found is not None
    assert number_of(found) == processes * count


def test_a_killed_holder_lets_go_of_the_lock(tmp_path: Path) -> None:
    store = SignInStore(tmp_path / "sign-ins")
    holder = started(store.folder, "hold", 1, KEYRINGS[0])
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(StoreBusy), store.locked(RESOURCE, ISSUER, 0.05):
            raise AssertionError
    finally:
        holder.kill()
        holder.communicate()
    with store.locked(RESOURCE, ISSUER):
        pass


@pytest.mark.parametrize("backend", first_quick(KEYRINGS))
@pytest.mark.parametrize("times", first_quick([1, pytest.param(30, marks=pytest.mark.slow)]))
def test_a_killed_writer_leaves_the_old_one_or_the_new_one(
    tmp_path: Path, times: int, backend: str
) -> None:
    folder = tmp_path / "sign-ins"
    chance = random.Random(7)
    for _ in range(times):
        writer = started(folder, "write", 1_000_000, backend)
        assert writer.stdout is not None
        try:
            said = writer.stdout.readline()
            time.sleep(chance.uniform(0, 0.05))
        finally:
            writer.kill()
        rest, _ = writer.communicate()
        told = int((said + rest).split()[-1])
        reader = started(folder, "read", 1, backend)
        ended([reader])
        if backend == KEYRINGS[0]:
            found = SignInStore(folder).read(RESOURCE)
            assert found is not None
            assert number_of(found) in (told, told + 1)
    ended([started(folder, "write", 1, backend)])
    assert not [name for name in os.listdir(folder) if name.endswith(".new")]
    accounts = list((tmp_path / "keyring").glob("sign-in-*-?"))
    assert len(accounts) == (0 if backend == KEYRINGS[0] else 1)
