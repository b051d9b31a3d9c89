"""The page of all measurements, the schema of a record, the ids of cells, and new probes."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.features.measure.command import MeasureOptions, probes_of
from signoff.app.features.measure.drivers import driver_names, read_driver
from signoff.app.features.measure.hosts_command import SCHEMA
from signoff.app.features.measure.hosts_page import hosts_page
from signoff.app.features.measure.repeating import repeat_lines
from signoff.app.features.measure.words import change_lines
from signoff.app.hosts.folders import KNOWN
from signoff.app.hosts.measured.records import measured_modes, packaged_measurements
from signoff.app.hosts.measured.values import Did, MeasuredCell, Measurement, changes
from signoff.app.storage.policy_files import find_hosts, record_text
from tests.cli.running import run
from tests.tiers import first_quick

RECORDS = sorted(KNOWN.glob("*/*.json"))
VALIDATOR = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
HOSTILE = '"><script>alert(1)</script>\x1b[2J\u202e'


class Reader(HTMLParser):
    """Collects ids, links and elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            elif name == "href":
                self.links.append(value or "")


def page_of(*found: Measurement) -> str:
    hosts = find_hosts().hosts
    drivers = {name: read_driver(name) for name in driver_names()}
    return hosts_page(hosts, found, measured_modes(hosts, found), drivers)


@pytest.mark.parametrize("path", first_quick(RECORDS, 8), ids=lambda path: path.parent.name)
def test_every_record_has_the_published_form(path: Path) -> None:
    VALIDATOR.check_schema(VALIDATOR.schema)
    VALIDATOR.validate(json.loads(path.read_text(encoding="utf-8")))


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=9)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.text(max_size=4), inner, max_size=2)
    ),
    max_leaves=5,
)
CELLS = st.builds(
    MeasuredCell,
    st.text(max_size=9),
    st.dictionaries(st.text(max_size=4), VALUES, max_size=2),
    st.sampled_from(Did),
    st.text(max_size=9),
    st.booleans(),
    VALUES,
    VALUES,
    st.none() | st.dictionaries(st.text(max_size=4), VALUES, max_size=2),
    st.none() | st.dictionaries(st.text(max_size=4), VALUES, max_size=2),
    st.text(max_size=9),
)
WORDS = st.text(max_size=8)


@given(
    st.tuples(*([WORDS] * 5)),
    st.lists(CELLS, max_size=3),
    st.booleans(),
    st.none() | st.tuples(WORDS),
)
def test_what_is_written_has_the_form(
    words: tuple[str, ...], cells: list[MeasuredCell], is_stopped: bool, reached: tuple[str] | None
) -> None:
    host, title, version, mode, surface = words
    found = Measurement(
        *(host, title, version, mode, surface, "linux", "2026-11-30", "0.1.0", tuple(cells)),
        reached=reached,
        stopped="because" if is_stopped else "",
    )
    VALIDATOR.validate(json.loads(record_text([found])))
    VALIDATOR.validate(found.with_ids())


def test_another_form_is_none() -> None:
    base = json.loads(RECORDS[0].read_text(encoding="utf-8"))[0]
    for more in (
        {"cells": [{"probe": "x", "did": "perhaps"}]},
        {"cells": [{"did": "ran"}]},
        {"host": 3},
        {"isolated": "yes"},
        {"names": [3]},
    ):
        assert not VALIDATOR.is_valid({**base, **more})
    assert VALIDATOR.is_valid({**base, "isolated": None, "names": None, "later": 1})


def test_the_schema_is_printed_and_each_cell_has_an_id_in_json(tmp_path: Path) -> None:
    assert run(tmp_path, "hosts", "schema").report == VALIDATOR.schema
    report = run(tmp_path, "hosts", "fast-agent", "--json").report
    ids = [cell["id"] for one in report["measurements"] for cell in one["cells"]]
    assert len({*ids}) == len(ids)
    first = report["measurements"][0]
    place = f"fast-agent@{first['version']}:{first['mode']}/{first['surface']}/"
    assert all(one.startswith(place) for one in ids[: len(first["cells"])])


def test_the_page_has_a_place_for_every_cell_and_no_script(tmp_path: Path) -> None:
    path = tmp_path / "hosts.html"
    assert run(tmp_path, "hosts", "--html", str(path)).status == 0
    page = Reader(path.read_text(encoding="utf-8"))
    assert not page.tags & {"script", "img", "link", "iframe"}
    assert len({*page.ids}) == len(page.ids)
    inside = {one.removeprefix("#") for one in page.links}
    assert inside <= {*page.ids}
    for one in packaged_measurements():
        assert all(one.cell_id(cell) in page.ids for cell in one.cells), one.key


def test_a_hostile_record_is_text_on_the_page() -> None:
    cell = MeasuredCell(
        *(f"hints/{HOSTILE}", {HOSTILE: HOSTILE}, Did.ASKED, HOSTILE, True),
        model_got={HOSTILE: HOSTILE},
        when_denied=HOSTILE,
        shown={HOSTILE: HOSTILE},
        facts={HOSTILE: HOSTILE},
        screen=HOSTILE,
    )
    same = replace(cell, probe=f"hints/{HOSTILE}\n")
    odd = f"{HOSTILE}\nsignoff measure codex"
    found = Measurement(
        *(f"host {odd}", odd, odd, odd, odd, odd, odd, odd),
        (cell, same),
        declared={"capabilities": {HOSTILE: 1}, "protocolVersion": HOSTILE},
        variables=(HOSTILE,),
        notes=(HOSTILE,),
        problems=(HOSTILE,),
    )
    text = page_of(found)
    assert "<script" not in text
    assert not re.search("[\x1b\u202e]", text)
    page = Reader(text)
    assert len({*page.ids}) == len(page.ids)
    assert {one.removeprefix("#") for one in page.links} <= {*page.ids}
    assert "signoff measure codex" not in re.split("<|>|\n", text)


def test_a_conflict_is_marked_on_the_page() -> None:
    cell = MeasuredCell("hints/destructive=true", {"destructiveHint": True}, Did.RAN, "proof")
    found = Measurement(
        *("codex", "Codex", "9.9", "exec", "headless", "linux", "2099-01-01", "0.1.0", (cell,)),
        model="codex:exec",
    )
    assert page_of(found).count("ran ‡") == 2
    assert "ran ‡" not in page_of(replace(found, model=""))


def test_the_commands_choose_every_probe_that_was_tried() -> None:
    for one in packaged_measurements():
        if one.host not in driver_names():
            continue
        *_, last = repeat_lines(one, read_driver(one.host))
        words = shlex.split(last)
        assert words[:3] == ["signoff", "measure", f"{one.host}:{one.mode}"]
        only = words[words.index("--only") + 1] if "--only" in words else ""
        wanted = MeasureOptions()._replace(only=only, all="--all" in words)
        known = {probe.id for probe in probes_of(wanted)}
        tried = {cell.probe for cell in one.cells}
        assert {probe for probe in tried if probe in {p.id for p in probes_of(ALL)}} <= known


ALL = MeasureOptions()._replace(all=True)


def test_each_registry_has_its_commands() -> None:
    by_host = {one.host: one for one in packaged_measurements()}
    codex = repeat_lines(by_host["codex"], read_driver("codex"))
    version = by_host["codex"].version
    assert codex[0] == f"npm install --prefix ./codex-{version} @openai/codex@{version}"
    assert f"--program ./codex-{version}/node_modules/.bin/codex" in codex[-1]
    adk = repeat_lines(by_host["google-adk"], read_driver("google-adk"))
    version = by_host["google-adk"].version
    assert adk[1] == f"./google-adk-{version}/bin/pip install 'google-adk[mcp]=={version}'"
    assert f"--program ./google-adk-{version}/bin/python" in adk[-1]
    odd = replace(by_host["codex"], version="1; rm -rf ~")
    assert "rm" not in " ".join(repeat_lines(odd, read_driver("codex")))


def test_slow_calls_are_beside_the_decisions_of_the_same_version() -> None:
    cell = MeasuredCell("hints/none", {}, Did.RAN, "proof")
    words = ("codex", "Codex", "9.9", "exec", "headless", "linux", "2099-01-01", "0.1.0")
    decided = Measurement(*words, (cell,))
    slow = Measurement(*words, (replace(cell, probe="patience/silence"),))
    assert slow.has_only_slow_calls
    for order in ((decided, slow), (slow, decided)):
        page = Reader(page_of(*order))
        assert {decided.cell_id(cell), slow.cell_id(slow.cells[0])} <= {*page.ids}
        assert len({*page.ids}) == len(page.ids)
    both = replace(decided, cells=(*decided.cells, *slow.cells))
    usual, comment, patient = repeat_lines(both, read_driver("codex"))[1:]
    assert "patience" not in usual
    assert comment.startswith("# ")
    assert "--only patience" in patient


def test_new_probes_are_no_difference(tmp_path: Path) -> None:
    old = Measurement(
        *("h", "H", "1", "m", "headless", "linux", "2026-11-30", "0.1.0"),
        (MeasuredCell("hints/none", {}, Did.RAN),),
    )
    new = replace(old, cells=(*old.cells, MeasuredCell("hints/readOnly=true", {}, Did.ASKED)))
    for name, one in (("old", old), ("new", new)):
        (tmp_path / f"{name}.json").write_text(record_text([one]))
    compared = run(tmp_path, "measure", "new.json", "--compare", "old.json")
    assert compared.status == 0
    lines = compared.stdout.splitlines()
    assert lines[1:] == ["  no difference", "  new probes: 1", "    hints/readOnly=true: asked"]
    report = run(tmp_path, "measure", "new.json", "--compare", "old.json", "--json").report
    (both,) = report["comparisons"]
    assert both["changes"] == []
    assert [one["probe"] for one in both["new_probes"]] == ["hints/readOnly=true"]
    worse = replace(new, cells=(MeasuredCell("hints/none", {}, Did.HIDDEN), *new.cells[1:]))
    (tmp_path / "new.json").write_text(record_text([worse]))
    assert run(tmp_path, "measure", "new.json", "--compare", "old.json").status == 1
    found = list(changes(old, worse))
    assert change_lines(old, worse, found)[1] == "  hints/none: ran -> hidden"
    gone = list(changes(new, old))
    assert change_lines(new, old, gone)[1:] == ["  hints/readOnly=true: only in the older one"]
