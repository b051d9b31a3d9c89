"""Drivers of the person's: asked about before anything runs, and checked before that."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from signoff.app.features.measure.consent import driver_start
from signoff.app.features.measure.drivers import (
    _KNOWN,
    _OF_KEYS,
    _OF_MODES,
    DriverError,
    parse_driver,
    read_driver_file,
)
from signoff.app.features.measure.hosts_check import MeasuredAs, check_json, checked, commands
from signoff.app.features.measure.installed import ProgramHere
from signoff.app.hosts.measured.values import Did, MeasuredCell, Measurement
from tests.cli.running import ROOT, Ended, run
from tests.features.measure.test_drivers import MINIMAL, PLACES
from tests.manual import PAGES

AGENT = ROOT / "tests" / "servers" / "agents" / "careless.py"
DRIVER = f"""
title = "Careless"
program = {json.dumps(sys.executable)}
version = ["{{program}}", "-c", "open({{marker}}, 'a').write('x'); print('careless 1.2.3')"]
package = "npm:careless"
get = "npm install -g careless"
licence = "MIT"
tool_name = "{{tool}}"

[environment]
SIGNOFF_MODEL_URL = "{{model_url}}"
SIGNOFF_MODEL_KEY = "{{token}}"
SIGNOFF_MCP_CONFIG = "{{mcp_config}}"
SIGNOFF_PROMPT = "{{prompt}}"

[[mode]]
name = "run"
model = "careless"
headless = ["{{program}}", {json.dumps(str(AGENT))}]
"""


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """The file that a program of the driver leaves behind."""
    return tmp_path / "started"


@pytest.fixture
def driver(tmp_path: Path, marker: Path) -> Path:
    """A driver in the folder of own hosts."""
    folder = tmp_path / "config" / "signoff" / "hosts" / "careless"
    folder.mkdir(parents=True)
    path = folder / "driver.toml"
    path.write_text(DRIVER.replace("{marker}", repr(str(marker))), encoding="utf-8")
    return path


def signoff(folder: Path, *words: str) -> Ended:
    places = {
        f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("CONFIG", "STATE", "DATA")
    }
    return run(folder, *words, **places)


def digest_of(ended: Ended) -> str:
    found = re.search(r"--start ([0-9a-f]{64}) starts exactly this", ended.stderr)
    assert found is not None, ended.stderr
    return found[1]


def test_without_a_terminal_nothing_runs_and_the_option_is_named(
    driver: Path, tmp_path: Path, marker: Path
) -> None:
    for words in (
        ("measure", "careless"),
        ("measure", "--driver", str(driver)),
        ("hosts", "check", "careless", "--start", "0" * 64),
    ):
        ended = signoff(tmp_path, *words)
        assert ended.status == 3, ended.stderr
        assert str(AGENT) in ended.stderr
        assert len(digest_of(ended)) == 64
    for words in (("hosts", "check"), ("measure", "--list")):
        assert "not looked for" in signoff(tmp_path, *words).stdout
    assert not marker.exists()


@pytest.mark.slow
def test_a_digest_is_of_the_whole_file_and_the_driver_measures(
    driver: Path, tmp_path: Path, marker: Path
) -> None:
    digest = digest_of(signoff(tmp_path, "hosts", "check", "careless"))
    check = ("hosts", "check", "careless", "--start", digest)
    ended = signoff(tmp_path, *check)
    assert "careless           1.2.3: not measured" in ended.stdout
    assert "signoff measure careless --save" in ended.stdout
    assert (ended.status, marker.read_text()) == (1, "x")
    everything = signoff(tmp_path, "hosts", "check", "--json", "--start", digest).report
    mine = next(one for one in everything["hosts"] if one["host"] == "careless")
    assert (mine["version"], mine["state"], mine["yours"]) == ("1.2.3", "not-measured", True)
    words = ("measure", "careless", "--save", "--json", "--only", "hints", "--start", digest)
    report = signoff(tmp_path, *words).report
    assert {one["did"] for one in report["cells"]} == {"ran"}
    assert report["cells"][0]["id"] == "careless@1.2.3:run/headless/hints/none"
    found = signoff(tmp_path, *check)
    assert (found.status, found.stdout) == (0, "careless           1.2.3: measured as it is\n")
    listed = signoff(tmp_path, "hosts", "careless", "--json").report
    assert listed["measurements"][0]["model"] == "careless"
    driver.write_text(driver.read_text() + "# another byte\n")
    marker.unlink()
    assert signoff(tmp_path, *check).status == 3
    assert digest_of(signoff(tmp_path, "hosts", "check", "careless")) != digest
    assert not marker.exists()


def test_a_copy_elsewhere_is_another_start(driver: Path, tmp_path: Path) -> None:
    other = tmp_path / "careless.toml"
    other.write_text(driver.read_text())
    here, there = (driver_start(read_driver_file(one)) for one in (driver, other))
    assert here.name == there.name == "careless"
    assert here.bound_to == there.bound_to
    assert here.digest != there.digest


def test_mistakes_of_usage_come_before_the_question(driver: Path, tmp_path: Path) -> None:
    for words, problem in (
        (("careless:none",), "has no mode none"),
        (("careless", "--surface", "acp"), "has no surface acp"),
        (("careless", "--program", "./none"), "not found"),
        (("careless", "--driver", str(driver)), "--driver"),
        (("--driver", str(tmp_path / "none.toml")), "none.toml"),
        (("--driver", str(tmp_path)), str(tmp_path)),
    ):
        ended = signoff(tmp_path, "measure", *words)
        assert ended.status == 2, words
        assert problem in ended.stderr


FILE = f"{MINIMAL}[[file]]\ntext = 'x'\npath = "
MISTAKES = {
    MINIMAL.replace("headless =", "headles ="): "mode run: headles: unknown key",
    f"{MINIMAL}[[mode]]\nname = \"run\"\nheadless = ['x']\n": "mode: two",
    MINIMAL.replace("headless =", "screen ="): "keys: missing",
    f"varying = ['(']\n{MINIMAL}": "invalid pattern",
    f"seconds = 0\n{MINIMAL}": "above 0",
    f"seconds = nan\n{MINIMAL}": "above 0",
    f"quiet_seconds = -1\n{MINIMAL}": "above 0",
    f"seconds = 'x'\n{MINIMAL}": "could not convert",
    MINIMAL.replace('title = "Host"', ""): "title: missing",
    MINIMAL.replace('program = "host"', ""): "program: missing",
    MINIMAL.replace('headless = ["{program}", "{prompt}"]', ""): "no command for any of",
    MINIMAL.replace('name = "run"', ""): "name: missing",
    'colour = "red"\n' + MINIMAL: "host.toml: colour: unknown key",
    **{
        FILE + json.dumps(path): "is not below"
        for path in ("/etc/x", "../x", "a/../../x", "{folder}/../x", "", "~/../x", ".")
    },
}


@pytest.mark.parametrize(("text", "words"), MISTAKES.items(), ids=range(len(MISTAKES)))
def test_a_mistake_in_a_driver_is_named_before_a_measurement(text: str, words: str) -> None:
    with pytest.raises(DriverError, match=words):
        parse_driver("host", text)


TWO_MODES = f"""{MINIMAL}acp = ["x"]
[[mode]]
name = "other"
headless = ["x"]
"""


def measured(version: str, mode: str, surface: str, **more: object) -> Measurement:
    cell = MeasuredCell("hints/none", {}, Did.RAN)
    words = ("host", "Host", version, mode, surface, "linux", "2026-11-30", "0.1.0", (cell,))
    return Measurement(*words, **more)  # type: ignore[arg-type]


NEVER, SAME, OTHER = MeasuredAs.NEVER, MeasuredAs.SAME, MeasuredAs.OTHER


@pytest.mark.parametrize(
    ("records", "state", "again"),
    [
        ([], NEVER, ["host --save"]),
        ([measured("2.0", "run", "headless")], SAME, []),
        (
            [measured("1.0", "run", "acp"), measured("2.0", "run", "headless")],
            *(OTHER, ["host:run --surface acp --save"]),
        ),
        ([measured("3.0", "run", "acp"), measured("2.0", "run", "acp")], SAME, []),
        ([measured("3.0", "other", "headless")], OTHER, ["host:other --save"]),
        ([measured("2.0", "gone", "headless")], NEVER, ["host --save"]),
        ([measured("2.0", "run", "headless", stopped="x")], NEVER, ["host --save"]),
    ],
)
def test_a_version_is_compared_by_mode_and_surface(
    records: list[Measurement], state: MeasuredAs, again: list[str]
) -> None:
    here = ProgramHere(parse_driver("host", TWO_MODES), "/bin/host", "2.0")
    (found,) = checked([here], records)
    assert found.state is state
    assert commands(found) == [f"signoff measure {words}" for words in again]
    assert check_json([found])["fine"] is (state is SAME)
    (gone,) = checked([here._replace(program="", version="")], records)
    assert gone.state is MeasuredAs.NOT_HERE
    assert check_json([gone])["fine"]
    assert not check_json([gone], is_named=True)["fine"]


def test_the_command_of_an_agent_is_asked_about_too(tmp_path: Path, marker: Path) -> None:
    folder = tmp_path / "config" / "signoff" / "hosts" / "talker"
    folder.mkdir(parents=True)
    command = [sys.executable, "-c", f"open({str(marker)!r}, 'w').write('x')"]
    path = folder / "agent.toml"
    path.write_text(f"command = {json.dumps(command)}\n")
    words = ("agent", "--agent", "talker", "--prompt", "x", "--json")
    refused = signoff(tmp_path, *words)
    assert refused.status == 3
    assert "your variables and your configuration" in refused.stderr
    assert not marker.exists()
    digest = digest_of(refused)
    path.write_text(f"command = {json.dumps([*command, 'more'])}\n")
    assert signoff(tmp_path, *words, "--start", digest).status == 3
    assert not marker.exists()
    path.write_text(f"command = {json.dumps(command)}\n")
    assert signoff(tmp_path, *words, "--start", digest).status == 5
    assert marker.exists()
    unknown = signoff(tmp_path, "agent", "--agent", "talkr", "--prompt", "x")
    assert unknown.status == 2
    assert "did you mean talker?" in unknown.stderr


def test_the_page_of_the_manual_has_every_key_and_every_text_in_braces() -> None:
    page = PAGES["how-to/write-a-driver"]
    for key in (*_KNOWN, *_OF_MODES, *_OF_KEYS):
        assert re.search(rf"`(\[+)?{key}(\]+)?[` ]", page), key
    example = (ROOT / "app" / "hosts" / "new" / "driver.toml").read_text(encoding="utf-8")
    filled = PLACES._replace(server_url="http://127.0.0.1:1")
    for name in re.findall(r"\{(\w+)\}", page):
        assert filled.fill(f"{{{name}}}") != f"{{{name}}}" or name in ("server", "tool")
    for name in ("server", *re.findall(r"\{(\w+)\}", example)):
        assert f"{{{name}}}" in page or name in ("model", "tool"), name
