from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from tests.demo.peer import Era, Peer
from tests.demo.sdk import Lessons, Mode, lessons
from tests.demo.talker import Talker


@pytest.fixture(scope="session", params=[pytest.param("legacy", marks=pytest.mark.slow), "modern"])
def era(request: pytest.FixtureRequest) -> Era:
    return cast(Era, request.param)


@pytest.fixture(scope="session")
def sandbox_dir(era: Era, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp(f"sandbox-{era}")


@pytest.fixture(scope="session")
def peer(era: Era, sandbox_dir: Path) -> Iterator[Peer]:
    """One process an era, shared: tests keep to files, keys and counters of their own."""
    shared = Peer(era, {"SIGNOFF_DEMO_DIR": str(sandbox_dir)})
    yield shared
    assert shared.close() == 0


@pytest.fixture(scope="module")
def talker(era: Era) -> Iterator[Talker]:
    """A client that can be asked everything, one a file."""
    shared = Talker(era)
    yield shared
    assert shared.close() == 0


@pytest.fixture(scope="module")
def legacy() -> Iterator[Talker]:
    """The same, in the one era that has tasks, subscriptions to resources and levels of logs."""
    shared = Talker("legacy")
    yield shared
    assert shared.close() == 0


@pytest.fixture(scope="module")
def modern() -> Iterator[Talker]:
    """The same, in the era of rounds."""
    shared = Talker("modern")
    yield shared
    assert shared.close() == 0


@pytest.fixture(scope="module", params=["auto", pytest.param("legacy", marks=pytest.mark.slow)])
def sdk(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Lessons]:
    """The SDK's client, in the era that it finds itself and in the one before; one a file."""
    mode = cast(Mode, request.param)
    with lessons(mode, tmp_path_factory.mktemp(f"lessons-{mode}")) as client:
        yield client
