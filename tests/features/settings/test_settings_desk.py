"""The screen of settings: what counts and why, and a change that lands in the file."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import Input

from signoff.app.approval.policies.policy_text import built_ins
from signoff.app.cli.options.session import SessionOptions
from signoff.app.cli.targets.session import read_policy_setting, session_config
from signoff.app.cli.targets.targets import read_target
from signoff.app.features.settings.rows import InUse, setting_rows
from signoff.app.features.settings.screen import SettingList, SettingsScreen
from signoff.app.features.settings.value_screen import ValueList, ValueScreen
from signoff.app.storage.settings.file import load_settings
from signoff.app.storage.settings.settings import SETTINGS
from signoff.app.tui.startup import AppConfig
from tests.tui.bench_stage import NARROW, WIDE, BenchStage, bench_stage

NO_FILE_RIGHTS = sys.platform == "win32" or os.geteuid() == 0


def file_in(folder: Path) -> Path:
    """The usual file where `folder` is that of all settings."""
    return folder / "signoff" / "config.toml"


@asynccontextmanager
async def opened(
    file: Path, monkeypatch: pytest.MonkeyPatch, text: str | None = "", size: tuple[int, int] = WIDE
) -> AsyncIterator[BenchStage]:
    """A session with this file of settings, and their screen over it."""
    if text is not None:
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    monkeypatch.delenv("SIGNOFF_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(file.parents[1]))
    settings = read_policy_setting(load_settings(os.environ))[0]
    make = AppConfig.of

    def with_settings(engine: object) -> AppConfig:
        opening = make(engine)  # type: ignore[arg-type]
        opening.settings = settings
        opening.theme = settings.text("theme")
        return opening

    monkeypatch.setattr(AppConfig, "of", with_settings)
    async with bench_stage(size=size) as stage:
        await stage.press("comma")
        await stage.sees("decision_seconds")
        yield stage


async def change(stage: BenchStage, name: str) -> ValueScreen:
    screen = stage.app.screen
    assert isinstance(screen, SettingsScreen)
    listed = screen.query_one(SettingList)
    names = [one.setting.name for one in listed.rows]
    listed.move_cursor(names.index(name))
    await stage.press("enter")
    await stage.until(lambda: isinstance(stage.app.screen, ValueScreen), "the value")
    found = stage.app.screen
    assert isinstance(found, ValueScreen)
    return found


async def choose(stage: BenchStage, name: str, value: str) -> None:
    screen = await change(stage, name)
    listed = screen.query_one(ValueList)
    listed.move_cursor(list(listed.rows).index(value))
    await stage.press("enter")


async def write(stage: BenchStage, name: str, value: str) -> None:
    screen = await change(stage, name)
    field = screen.query_one(Input)
    field.focus()
    field.value = value
    await stage.press("enter")


async def says(stage: BenchStage, *words: str) -> None:
    """Wait for these words, however they are folded into rows."""

    def are_there() -> bool:
        text = " ".join(stage.text.replace("│", "").split())
        return all(one in text for one in words)

    await stage.until(are_there, repr(words))


async def row(stage: BenchStage, name: str) -> str:
    """The row of a setting, once the cursor has brought it into sight."""
    listed = stage.app.screen.query_one(SettingList)
    listed.move_cursor([one.setting.name for one in listed.rows].index(name))
    await stage.pilot.pause()
    return next(one for one in stage.text.split("\n") if one.lstrip("› ").startswith(f"{name} "))


@pytest.mark.slow
@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_each_setting_has_value_source_and_file(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SIGNOFF_PANES_TOOLS", "33")
    async with opened(
        tmp_path / "signoff" / "config.toml", monkeypatch, '\ntheme = "nord"\n', size
    ) as stage:
        for one in SETTINGS:
            assert await row(stage, one.name)
        assert "nord" in await row(stage, "theme")
        assert "file line 2" in await row(stage, "theme")
        assert "33" in await row(stage, "panes.tools")
        assert "SIGNOFF_PANES_TOOLS" in await row(stage, "panes.tools")
        assert "cautious" in await row(stage, "policy")
        assert "default" in await row(stage, "policy")
        assert "signoff/config.toml" in "".join(stage.text.split())
        assert "enter Change" in stage.text.split("\n")[-1]
        await stage.press("escape")
        await stage.no_longer_sees("decision_seconds")


@pytest.mark.slow
async def test_a_theme_a_grouping_and_hosts_count_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = file_in(tmp_path)
    async with opened(file, monkeypatch, "# mine\n") as stage:
        await choose(stage, "theme", "nord")
        await says(stage, 'theme = "nord"', "In use now.")
        assert stage.app.theme == "nord"
        await choose(stage, "grouping", "retry safety")
        await says(stage, 'grouping = "retry safety"')
        await write(stage, "hosts", "vscode, codex")
        await says(stage, 'hosts = "vscode,codex"')
        assert "file line 2" in await row(stage, "theme")
        assert stage.app.hosts == "vscode,codex"
        assert stage.app.changed_look == {}
        assert not stage.app._notifications
        await stage.press("escape")
        await says(stage, "by retry safety")
    text = '# mine\ntheme = "nord"\ngrouping = "retry safety"\nhosts = "vscode,codex"\n'
    assert file.read_text(encoding="utf-8") == text


@pytest.mark.slow
async def test_others_count_from_the_next_start_and_can_be_taken_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = file_in(tmp_path)
    async with opened(file, monkeypatch, None) as stage:
        await says(stage, "not there yet")
        await write(stage, "timeout", "20")
        await says(stage, "timeout = 20", "It counts from the next start.")
        assert "60 → 20" in await row(stage, "timeout")
        await choose(stage, "policy", "first-use")
        await says(stage, "cautious → first-use")
        await stage.press("delete")
        await says(stage, "Removed from")
        await stage.until(lambda: "→ first-use" not in stage.text, "the policy of before")
        await write(stage, "panes.tools", "30")
        await says(stage, "42 → 30")
    kept = load_settings({"SIGNOFF_CONFIG": str(file)})
    assert (kept.value("timeout"), kept.value("panes.tools")) == (20.0, 30)
    assert kept.of("policy").source == "default"
    assert not kept.mistakes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("timeout", "soon", "a number of seconds above 0"),
        ("panes.tools", "99", "a whole number from 15 to 70"),
        ("hosts", "vscod", "no host has the name"),
        ("policy", "allow-all", "must not run destructive calls"),
        ("files", "here", "a path that begins with / or ~"),
    ],
)
async def test_a_value_that_does_not_fit_is_refused_in_the_words_of_the_reader(
    name: str, value: str, words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = file_in(tmp_path)
    async with opened(file, monkeypatch, "# mine\n", NARROW) as stage:
        await write(stage, name, value)
        await says(stage, words)
        assert isinstance(stage.app.screen, ValueScreen)
        await stage.press("escape")
        await says(stage, "connect_timeout")
    assert file.read_text(encoding="utf-8") == "# mine\n"


@pytest.mark.slow
async def test_a_broken_file_is_named_and_left_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = file_in(tmp_path)
    async with opened(file, monkeypatch, 'theme = "nord\n', NARROW) as stage:
        await says(stage, "config.toml line 1", "every call asks (ask-always)")
        await choose(stage, "theme", "dracula")
        await says(stage, "Not kept")
        await says(stage, "Add this yourself")
        assert stage.app.theme != "dracula"
    assert file.read_text(encoding="utf-8") == 'theme = "nord\n'


@pytest.mark.slow
async def test_a_mistake_is_at_its_setting_and_a_right_value_ends_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with opened(
        tmp_path / "signoff" / "config.toml", monkeypatch, 'timeout = "x"\n'
    ) as stage:
        await says(stage, "config.toml line 1: timeout: expected")
        await write(stage, "timeout", "30")
        line = stage.app.screen.query_one("#mistakes")
        await stage.until(lambda: not line.display, "no mistake")


@pytest.mark.slow
@pytest.mark.skipif(NO_FILE_RIGHTS, reason="rights of folders do not count here")
async def test_a_folder_without_rights_gives_the_line_to_add(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "signoff"
    folder.mkdir()
    (folder / "config.toml").write_text("# mine\n", encoding="utf-8")
    folder.chmod(0o500)
    try:
        async with opened(folder / "config.toml", monkeypatch, None) as stage:
            await choose(stage, "theme", "nord")
            await says(stage, "Not kept", 'theme = "nord"')
            assert stage.app.theme == "signoff-dark"
    finally:
        folder.chmod(0o700)


@pytest.mark.slow
async def test_a_variable_counts_before_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SIGNOFF_THEME", "light")
    async with opened(file_in(tmp_path), monkeypatch) as stage:
        await choose(stage, "theme", "nord")
        await says(stage, "SIGNOFF_THEME in the environment counts before it.")
        assert "SIGNOFF_THEME" in await row(stage, "theme")
        assert "In use now" not in stage.text
        assert stage.app.theme == "signoff-light"


@pytest.mark.slow
async def test_the_palette_opens_it_and_what_was_changed_on_the_screen_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with opened(file_in(tmp_path), monkeypatch) as stage:
        await stage.press("escape", "g")
        titles = {one.title: one for one in stage.app.get_system_commands(stage.app.screen)}
        titles["Settings (,)"].callback()
        await says(stage, "decision_seconds")
        assert "world" in await row(stage, "grouping")
        assert "changed on the screen" in await row(stage, "grouping")


def test_options_and_a_policy_that_cannot_be_used_are_named_as_sources() -> None:

    target = read_target(SessionOptions(is_bundled=True), (), ())
    given = SessionOptions(is_bundled=True, timeout=7.0, policy="first-use")
    session, settings = session_config(given, target, {"SIGNOFF_CONFIG": ""})
    assert session.policy is not None
    now = InUse(settings, {}, "nord", session, session.policy)
    found = {one.setting.name: (one.value, one.source) for one in setting_rows(now, settings)}
    assert found["timeout"] == ("7", "option")
    assert found["policy"] == ("first-use", "option")
    assert found["theme"] == ("nord", "option")
    assert found["max_time"] == ("600", "default")
    other = next(one for one in built_ins() if one.name not in ("first-use", "cautious"))
    rows = setting_rows(replace(now, policy=other), settings)
    (policy,) = (one for one in rows if one.setting.name == "policy")
    assert (policy.value, policy.source) == (other.name, "changed on the screen")


def test_a_policy_that_cannot_be_used_is_named_with_its_reason(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('policy = "casual"\n', encoding="utf-8")
    target = read_target(SessionOptions(is_bundled=True), (), ())
    given = SessionOptions(is_bundled=True)
    session, settings = session_config(given, target, {"SIGNOFF_CONFIG": str(file)})
    assert session.policy is not None
    rows = setting_rows(InUse(settings, {}, "auto", session, session.policy), settings)
    (policy,) = (one for one in rows if one.setting.name == "policy")
    assert policy.value == "ask-always"
    assert policy.source == "since the policy of the settings cannot be used"
    assert not policy.later


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="rights of files are those of POSIX")
async def test_a_file_that_others_can_write_is_named_and_not_changed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = file_in(tmp_path)
    async with opened(file, monkeypatch, "# mine\n") as stage:
        file.chmod(0o666)
        await choose(stage, "theme", "nord")
        await says(stage, "Not kept", "other users can write to it")
        assert stage.app.theme != "nord"
        await stage.press("delete")
        await says(stage, "Not removed", "other users can write to it")
    assert file.read_text(encoding="utf-8") == "# mine\n"
