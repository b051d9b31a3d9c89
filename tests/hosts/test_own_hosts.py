"""Folders of the person's are read as those of Signoff; a mistake in one is named, and costs no
other host.
"""

from __future__ import annotations

import datetime
import json
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.features.measure.drivers import (
    _KNOWN,
    _OF_KEYS,
    _OF_MODES,
    DriverError,
    driver_names,
    read_driver,
)
from signoff.app.hosts.folders import FACTS, KNOWN, hosts_folder, hosts_with, own_folders
from signoff.app.hosts.measured.values import Did, MeasuredCell, Measurement
from signoff.app.hosts.model_view.table import model_hosts
from signoff.app.hosts.new_folder import CannotMake, make_folder
from signoff.app.hosts.settings import settings_of_host
from signoff.app.hosts.table import hosts
from signoff.app.storage.policy_files import find_hosts, record_text
from tests.cli.running import run
from tests.hosts.test_new_host import FILES, MODEL, RULES, SETTINGS
from tests.servers import named
from tests.tiers import first_quick

TODAY = datetime.date(2026, 11, 30)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of own hosts, empty."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    made = tmp_path / "config" / "signoff" / "hosts"
    made.mkdir(parents=True)
    return made


def write(folder: Path, name: str = "tea-room", **facts: str) -> Path:
    made = folder / name
    made.mkdir(exist_ok=True)
    for fact, text in facts.items():
        (made / f"{fact}.toml").write_text(text, encoding="utf-8")
    return made


def record(host: str, did: Did, version: str = "9.9") -> str:
    cell = MeasuredCell("hints/destructive=true", {"destructiveHint": True}, did, "proof")
    found = Measurement(
        *(host, host, version, "run", "headless", "linux", "2099-01-01", "0.1.0", (cell,)),
        model=host,
    )
    return record_text([found])


def test_a_new_folder_has_every_key_and_no_mistake(folder: Path) -> None:
    made = make_folder("my-agent", TODAY)
    assert made == folder / "my-agent"
    assert find_hosts().problems == ()
    driver = read_driver("my-agent")
    assert driver.modes[0].commands == {"headless": ("{program}", "{prompt}")}
    assert driver.file == str(made / "driver.toml")
    text = (made / "driver.toml").read_text(encoding="utf-8")
    for key in (*_KNOWN, *_OF_MODES, *_OF_KEYS):
        assert any(
            line.lstrip("# ").startswith((f"{key} =", f"[{key}]", f"[[{key}]]"))
            for line in text.splitlines()
        ), key
    mine = next(one for one in find_hosts().hosts if one.name == "my-agent")
    assert (mine.is_own, str(mine.date)) == (True, "2026-11-30")


def test_the_keys_in_comments_of_a_new_folder_are_right(folder: Path) -> None:
    """What is uncommented is read without a mistake, too."""
    made = make_folder("my-agent", TODAY)
    for fact, first in (("files", 2), ("model", 2)):
        path = made / f"{fact}.toml"
        lines = path.read_text(encoding="utf-8").splitlines()
        text = "\n".join(line.removeprefix("# ") for line in lines[first:])
        path.write_text(text, encoding="utf-8")
    assert find_hosts().problems == ()
    assert hosts()["my-agent"].place[0].path == "~/.config/my-agent/mcp.json"
    assert model_hosts()["my-agent"].basis == "measured"


@pytest.mark.parametrize("name", ["../x", "", "A", "a b", "-x", "x/y", "x" * 61, "é", ".x"])
def test_no_folder_of_another_name_is_made(folder: Path, name: str) -> None:
    with pytest.raises(CannotMake):
        make_folder(name, TODAY)
    assert not list(folder.iterdir())


def test_nothing_is_written_over(folder: Path) -> None:
    (folder / "one.toml").write_text("", encoding="utf-8")
    (folder / "two").symlink_to(folder / "gone")
    write(folder, "three")
    for name in ("one", "two", "three"):
        with pytest.raises(CannotMake, match="is there already"):
            make_folder(name, TODAY)
    assert list((folder / "three").iterdir()) == []


def test_of_a_known_host_a_copy_is_made(folder: Path) -> None:
    made = make_folder("codex", TODAY)
    there = {one.name for one in made.iterdir()}
    assert there == {fact for fact in FACTS if (KNOWN / "codex" / fact).exists()}
    assert find_hosts().problems == ()
    codex = next(one for one in find_hosts().hosts if one.name == "codex")
    assert codex.is_own
    assert all(one.is_own for one in codex.modes)


def test_a_folder_is_a_host_in_every_command(folder: Path, tmp_path: Path) -> None:
    write(folder, rules=RULES, files=FILES, settings=SETTINGS, model=MODEL)
    home = tmp_path / "home"
    home.mkdir()
    entry = {"command": sys.executable, "args": ["-m", "none"], "served": ["look"]}
    kept = {"servers": {"kettle": entry}, "service": "full"}
    (home / ".tea-room.json").write_text(json.dumps(kept), encoding="utf-8")
    (folder / "tea-room" / "measured-9.9.json").write_text(record("tea-room", Did.ASKED))
    config, data = str(tmp_path / "config"), str(tmp_path / "data")
    here = {"HOME": str(home), "XDG_CONFIG_HOME": config, "XDG_DATA_HOME": data}
    assert "yours: rules.toml, files.toml" in run(tmp_path, "hosts", "tea-room", **here).stdout
    assert "tea-room          2026-11-29 (yours)" in run(tmp_path, "hosts", **here).stdout
    found = run(tmp_path, "servers", "--json", **here).report
    assert found["files"][0]["switches"] == {"service": "full"}
    listed = run(tmp_path, "servers", "--auto-approved", "--json", **here).report
    assert {one["switch"] for one in listed["auto_approved"]} == {"service", "served"}
    server = named("erase=d", "look=r")
    words = ("matrix", "--hosts", "tea-room,tea-room:served", "--json", "--", *server)
    report = run(tmp_path, *words, **here).report
    assert [one["yours"] for one in report["columns"]] == [True, True]
    assert report["tools"][0]["cells"][0]["untrusted"]["known_by"] == "both"
    lines = run(tmp_path, "matrix", "--hosts", "tea-room", "--", *server, **here).stdout
    assert "yours, the manual" in lines
    view = ("call", "look", "--model-view", "tea-room", "--trust", "--", *server)
    assert "Tea room" in run(tmp_path, *view, **here).stdout


def test_a_file_counts_in_place_of_that_of_signoff_and_the_others_stay(folder: Path) -> None:
    known = (KNOWN / "codex" / "rules.toml").read_text(encoding="utf-8")
    write(folder, "codex", rules=known.replace('title = "Codex"', 'title = "Mine"', 1))
    codex = next(one for one in find_hosts().hosts if one.name == "codex")
    assert (codex.title, codex.is_own) == ("Mine", True)
    assert settings_of_host("codex").setting
    assert "codex" in hosts()
    assert not read_driver("codex").file
    others = [one for one in find_hosts().hosts if one.is_own]
    assert others == [codex]


def test_own_rules_find_only_what_the_person_measured(folder: Path) -> None:
    """A correction is not undone by a record that comes with Signoff."""
    known = (KNOWN / "codex" / "rules.toml").read_text(encoding="utf-8")
    made = write(folder, "codex", rules=known)
    codex = next(one for one in find_hosts().hosts if one.name == "codex")
    assert codex.measured is not None
    assert codex.measured.version("codex") == ""
    (made / "measured-9.9.json").write_text(record("codex", Did.RAN))
    codex = next(one for one in find_hosts().hosts if one.name == "codex")
    assert codex.measured is not None
    assert codex.measured.version("codex") == "9.9"


def test_a_single_file_goes_on_working_and_two_are_none(folder: Path) -> None:
    (folder / "tea-room.toml").write_text(RULES, encoding="utf-8")
    assert "tea-room" in {one.name for one in find_hosts().hosts if one.is_own}
    write(folder, rules=RULES)
    found = find_hosts()
    assert "tea-room" not in {one.name for one in found.hosts}
    assert found.problems == (
        "tea-room.toml and tea-room/rules.toml: keep one of them; neither counts",
    )


BROKEN = {
    "files": (
        "x =",
        "[[host]]\n",
        '[[host]]\nid = "vscode"\ntitle = "V"\nplace = [{ scope = "user", path = "~/.v" }]\n',
        FILES.replace('"~/.tea-room.json"', "3"),
        FILES + 'colour = "red"\n',
        FILES + 'like = "tea-room"\n',
        FILES + 'format = "xml"\n',
        FILES.replace('["servers"]', "[3]"),
        "host = 3\n",
        "host = [3]\n",
    ),
    "settings": ("x =", "like = 'tea-room'\n", "like = 'nobody'\n", "[[setting]]\nvalue = 'odd'\n"),
    "model": (
        "x =",
        "[[host]]\n",
        MODEL.replace('"tea-room"', '"codex"'),
        MODEL.replace('"text"', '"odd"'),
        MODEL.replace('"1.0"', "1.0"),
        MODEL + "around = 3\n",
        MODEL + 'around = ["a"]\n',
        MODEL + "resource = { form = 3 }\n",
        MODEL + 'large = { words = "x" }\n',
        MODEL + "colour = 1\n",
        "host = [3]\n",
    ),
    "agent": ("x =", "", "command = []\n", "command = 'x'\n", "command = ['x']\nmore = 1\n"),
    "rules": ("x =", "name = 'other'\n"),
}


@pytest.mark.parametrize(
    ("fact", "text"),
    first_quick(
        [(fact, text) for fact, texts in BROKEN.items() for text in texts], 10, several=True
    ),
)
def test_a_broken_file_is_named_and_costs_no_other_host(folder: Path, fact: str, text: str) -> None:
    before = (set(hosts()), set(model_hosts()), len(find_hosts().hosts))
    write(folder, **{fact: text})
    assert any(f"tea-room/{fact}.toml" in one for one in find_hosts().problems)
    assert (set(hosts()), set(model_hosts()), len(find_hosts().hosts)) == before


def test_the_commands_name_a_broken_file(folder: Path, tmp_path: Path) -> None:
    write(folder, rules="x =", files="x =", driver="x =")
    ended = run(tmp_path, "hosts", XDG_CONFIG_HOME=str(tmp_path / "config"))
    assert ended.status == 0
    for fact in ("rules.toml", "files.toml"):
        assert f"left out: tea-room/{fact}" in ended.stderr
    assert "left out: tea-room.toml: " in ended.stderr


@pytest.mark.parametrize("make", ["folder", "bytes", "link", "large"])
def test_what_is_no_text_is_named(folder: Path, make: str) -> None:
    made = write(folder)
    for fact in FACTS:
        path = made / fact
        if make == "folder":
            path.mkdir()
        elif make == "bytes":
            path.write_bytes(b"\xff")
        elif make == "link":
            path.symlink_to(made / "gone")
        else:
            path.write_text("#" * 4_100_000, encoding="utf-8")
    problems = find_hosts().problems
    for fact in ("rules", "files", "settings", "model", "agent"):
        assert sum(f"tea-room/{fact}.toml" in one for one in problems) == 1, (fact, problems)
    with pytest.raises(DriverError):
        read_driver("tea-room")


def test_settings_that_are_like_each_other_in_a_circle_are_named(folder: Path) -> None:
    write(folder, "one", settings="like = 'two'\n")
    write(folder, "two", settings="like = 'one'\n")
    problems = " ".join(find_hosts().problems)
    assert "one/settings.toml" in problems
    assert "two/settings.toml" in problems


def test_a_change_is_seen_without_a_restart(folder: Path) -> None:
    assert "tea-room" not in hosts()
    write(folder, files=FILES)
    assert hosts()["tea-room"].title == "Tea room"
    write(folder, files=FILES.replace("Tea room", "Tea house"))
    assert hosts()["tea-room"].title == "Tea house"
    (folder / "tea-room" / "files.toml").unlink()
    assert "tea-room" not in hosts()


def test_a_folder_of_a_project_is_not_read(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the folder in which one works nor a relative one of a variable counts."""
    write(folder, rules=RULES, driver="")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", "config")
    if hosts_folder().is_absolute():
        assert hosts_folder() != folder
    assert own_folders() == {}
    assert "tea-room" not in {*hosts_with("rules.toml"), *driver_names()}


def test_odd_names_of_folders_are_named_and_hidden_ones_left_alone(folder: Path) -> None:
    for name in ("My Agent", ".git", "é", "a\x1b[2Jb"):
        (folder / name).mkdir()
    problems = find_hosts().problems
    assert len(problems) == 3
    assert "\x1b" not in "".join(problems)
    assert own_folders() == {}


TEXTS = st.recursive(
    st.one_of(st.booleans(), st.integers(-3, 3), st.text(max_size=6), st.just("tea-room")),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(st.sampled_from(("path", "scope", "form", "words")), inner, max_size=2),
    ),
    max_leaves=4,
)


def toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value)


KEYS = ("id", "title", "of", "like", "place", "format", "containers", "types", "rank", "names")
OF_MODELS = ("id", "title", "form", "structured", "around", "resource", "large", "rank", "notes")


@given(st.dictionaries(st.sampled_from(KEYS), TEXTS, max_size=6), st.booleans())
def test_any_values_are_a_host_or_a_problem(
    tmp_path_factory: pytest.TempPathFactory, table: dict[str, object], is_like: bool
) -> None:
    place = tmp_path_factory.mktemp("any")
    base: dict[str, object] = tomllib.loads(FILES)["host"][0]
    own = {**({"id": "tea-room", "like": "codex"} if is_like else base), **table}
    text = "[[host]]\n" + "\n".join(f"{key} = {toml(one)}" for key, one in own.items())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(place))
        made = hosts_folder()
        made.mkdir(parents=True)
        write(made, files=text)
        is_there = "tea-room" in hosts()
        assert is_there is not bool(find_hosts().problems)


@given(st.dictionaries(st.sampled_from(OF_MODELS), TEXTS, max_size=6))
def test_any_values_are_a_view_or_a_problem(
    tmp_path_factory: pytest.TempPathFactory, table: dict[str, object]
) -> None:
    place = tmp_path_factory.mktemp("any")
    own = {**tomllib.loads(MODEL)["host"][0], **table}
    text = "[[host]]\n" + "\n".join(f"{key} = {toml(one)}" for key, one in own.items())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(place))
        made = hosts_folder()
        made.mkdir(parents=True)
        write(made, model=text)
        is_there = any(one.startswith("tea-room") for one in model_hosts())
        assert is_there is not bool(find_hosts().problems)


@pytest.mark.slow
def test_init_writes_once_and_names_the_next_steps(folder: Path, tmp_path: Path) -> None:
    config = str(tmp_path / "config")
    first = run(tmp_path, "hosts", "init", "my-agent", XDG_CONFIG_HOME=config)
    assert first.status == 0
    assert [line[:2] for line in first.stdout.splitlines()] == ["wr", "1.", "2.", "3."]
    before = (folder / "my-agent" / "driver.toml").read_bytes()
    again = run(tmp_path, "hosts", "init", "my-agent", XDG_CONFIG_HOME=config)
    assert (again.status, again.stdout) == (2, "")
    assert (folder / "my-agent" / "driver.toml").read_bytes() == before
    for line in (
        *("init", "init check", "init cautious", "init a b"),
        *("schema x", "chekc", "a b", "init x --html y"),
    ):
        assert run(tmp_path, "hosts", *line.split(), XDG_CONFIG_HOME=config).status == 2
    assert sorted(one.name for one in folder.iterdir()) == ["my-agent"]
