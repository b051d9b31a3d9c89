"""Records from anywhere: too much, too deep, of odd types, with names that are paths."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from signoff.app.features.measure.words import change_lines, measurement_lines, overview_markdown
from signoff.app.hosts.measured.records import file_name
from signoff.app.hosts.measured.values import (
    CELLS_MAX,
    MEASUREMENTS_MAX,
    Did,
    HostKey,
    MeasuredCell,
    Measurement,
    RecordError,
    bounded,
    changes,
    is_cut,
    read_measurements,
)
from signoff.app.storage.policy_files import own_measurements, record_text, save_measurement

if sys.platform == "win32":
    pytest.skip("these attacks need POSIX", allow_module_level=True)

BASE: dict[str, Any] = {
    "host": "h",
    "version": "1",
    "mode": "m",
    "surface": "acp",
    "system": "linux",
    "date": "2026-11-27",
    "cells": [{"probe": "hints/none", "hints": {}, "did": "ran"}],
}
ODD = "a\x1b[2J\u202eb"


def read(**more: Any) -> Measurement:
    return read_measurements(json.dumps({**BASE, **more}), "x")[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (json.dumps({**BASE, "cells": BASE["cells"] * 2}), "is there twice"),
        (json.dumps({**BASE, "cells": BASE["cells"] * (CELLS_MAX + 1)}), "more than 2,000"),
        (json.dumps([BASE] * (MEASUREMENTS_MAX + 1)), "more than 1,000 measurements"),
        (json.dumps({**BASE, "host": ["h"]}), "host: no text"),
        (json.dumps({**BASE, "cells": [{"did": "x" * 9_000}]}), "did: 'xxx"),
        (json.dumps({**BASE, "cells": [{"did": []}]}), "did: "),
        (json.dumps({**BASE, "declared": {"x": float("nan")}}), "NaN is not JSON"),
        ('{"a":' * 5_000 + "1" + "}" * 5_000, "nested"),
    ],
)
def test_a_record_that_is_none_is_refused_in_few_words(text: str, words: str) -> None:
    with pytest.raises(RecordError, match=words) as refused:
        read_measurements(text, "x")
    assert len(str(refused.value)) < 300


def test_members_of_odd_types_count_as_missing() -> None:
    found = read(variables=5, problems={"a": 1}, reached=7, declared=[], starts="x", model=1)
    assert (found.variables, found.problems, found.reached) == ((), (), None)
    cell = {"probe": "answers/large", "did": "ran", "hints": 5, "shown": 1, "facts": []}
    found = read(cells=[{**cell, "model_got": {"cut": True, "sha256": 1, "characters": "x"}}])
    assert overview_markdown([found])
    assert list(measurement_lines(found))


def test_no_control_character_of_a_record_is_shown() -> None:
    cell = {"probe": f"{ODD}/{ODD}", "did": "unknown", "why": ODD, "facts": {ODD: ODD}}
    more: dict[str, Any] = dict.fromkeys(
        ("host", "title", "version", "mode", "surface", "system", "date"), ODD
    )
    found = read(**more, cells=[cell], problems=[ODD], variables=[ODD], reached=[ODD])
    lines = [one.plain for one in measurement_lines(found)]
    lines += change_lines(found, found, [])
    lines += overview_markdown([found])
    assert "\x1b" not in "".join(lines)
    assert "\u202e" not in "".join(lines)


def test_records_of_many_cells_are_compared_at_once() -> None:
    cells = tuple(MeasuredCell(f"hints/{at}", {}, Did.RAN) for at in range(CELLS_MAX * 10))
    found = replace(read(), cells=cells)
    began = time.monotonic()
    assert not list(changes(found, found))
    assert time.monotonic() - began < 5


def test_a_large_value_cannot_claim_to_be_an_excerpt() -> None:
    value: Any = {"cut": True, "sha256": "x", "more": "x" * 100_000}
    assert not is_cut(value)
    short: Any = bounded(value)
    assert is_cut(short)
    assert is_cut(bounded(short))
    cell = MeasuredCell("a", {}, Did.RAN, shown={"title": "x" * 10**6}, facts={"b": "x" * 10**6})
    assert len(json.dumps(cell.as_json())) < 10_000


def test_half_a_character_is_saved_and_read_again() -> None:
    found = read(cells=[{"probe": "a", "did": "ran", "model_got": "\ud800"}])
    text = record_text([found])
    assert read_measurements(text.encode().decode(), "x") == (found,)


@pytest.mark.parametrize(
    "host", ["../../x", "..", "", ".hidden", "x" * 5_000, "a\x1b]0;b\x07", "é"]
)
def test_a_name_of_a_file_stays_in_its_folder(host: str) -> None:
    name = file_name(HostKey(host, "", "", ""))
    assert name == Path(name).name
    assert name.isascii()
    assert name.isprintable()
    assert not name.startswith(".")
    assert len(name) < 200


def test_hosts_that_differ_have_files_of_their_own() -> None:
    names = [file_name(HostKey(host, "1", "m", "acp")) for host in ("a/b", "a_b", "a b", "a\0b")]
    assert len(set(names)) == 4


def test_saving_replaces_a_link_and_leaves_its_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    found = read()
    path = save_measurement(found)
    other = tmp_path / "other"
    other.write_text("precious")
    path.unlink()
    path.symlink_to(other)
    assert save_measurement(found) == path
    assert other.read_text() == "precious"
    assert not path.is_symlink()
    assert [one.name for one in path.parent.iterdir()] == [path.name]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_among_records_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    path = save_measurement(read())
    os.mkfifo(path.with_name("pipe.json"))
    assert len(list(own_measurements())) == 1
