"""The settings that last: what file and environment come to, and every mistake by its line."""

from __future__ import annotations

import math
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.theme import BUILTIN_THEMES

from signoff.app.content.files.tree import TOML, Problems, Tree
from signoff.app.protocol.tool import Grouping
from signoff.app.storage.settings.reading import CannotWrite, read_settings, template, with_values
from signoff.app.storage.settings.settings import GROUPINGS, SETTINGS, THEMES
from signoff.app.storage.settings.values import DEFAULTS, Settings
from tests.approved import approved

PROSE = approved("settings")


def read(text: str | None, **variables: str) -> Settings:
    return read_settings(text, "/home/me/config.toml", "config.toml", variables)


def mistakes(text: str, **variables: str) -> list[str]:
    return [one.words for one in read(text, **variables).mistakes]


def panes(settings: Settings) -> tuple[object, object]:
    return settings.value("panes.tools"), settings.value("panes.answers")


def test_without_a_file_the_defaults_count() -> None:
    settings = read(None)
    assert settings.mistakes == ()
    assert {settings.of(one.name).source for one in SETTINGS} == {"default"}
    assert [one.name for one in SETTINGS] == list(DEFAULTS)
    for one in SETTINGS:
        value = one.kind.read(Tree(cast("Any", one.default)), one.name, Problems(TOML))
        assert not one.default or value == one.default
    assert settings.text("theme") == "auto"
    assert panes(settings) == (42, 50)


def test_every_setting_can_be_kept() -> None:
    settings = read(
        'theme = "nord"\ngrouping = "world"\ndecision_seconds = "off"\npolicy = "ask-always"\n'
        'graphics = "off"\ntimeout = 5\nmax_time = 7.5\nconnect_timeout = 9\nfiles = "~/kept"\n'
        'hosts = "vscode, codex"\nexperimental = "tool-resolution"\n'
        "[panes]\ntools = 30\nanswers = 60\n"
    )
    assert settings.mistakes == ()
    assert {settings.of(one.name).source for one in SETTINGS} == {"file"}
    assert settings.value("decision_seconds") == math.inf
    assert settings.value("max_time") == 7.5
    assert panes(settings) == (30, 60)
    assert settings.value("hosts") == "vscode,codex"
    assert settings.of("panes.tools").line == 13


def test_a_host_that_there_is_not_is_named_with_one_like_it() -> None:
    (mistake,) = read('hosts = "vscode,codx"').mistakes
    assert "codx" in mistake.words
    assert "codex" in mistake.words
    assert read("hosts = 5").mistakes
    assert read(None, SIGNOFF_HOSTS="zed").text("hosts") == "zed"


def test_a_variable_counts_before_the_file() -> None:
    settings = read('theme = "nord"\ntimeout = 5', SIGNOFF_THEME="light", SIGNOFF_PANES_TOOLS="20")
    assert settings.of("theme") == ("light", "SIGNOFF_THEME", 0)
    assert settings.of("timeout") == (5.0, "file", 2)
    assert panes(settings) == (20, 50)


def test_an_empty_variable_says_nothing() -> None:
    assert read(None, SIGNOFF_THEME="").of("theme").source == "default"


def test_the_variable_of_textual_counts_where_nothing_else_says_a_theme() -> None:
    assert read(None, TEXTUAL_THEME="nord").of("theme") == ("nord", "TEXTUAL_THEME", 0)
    assert read('theme = "dark"', TEXTUAL_THEME="nord").text("theme") == "dark"


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ('theme = "drak"', "settings: a misspelt theme"),
        ("theme = 3", "settings: no theme"),
        ('them = "dark"', "settings: a misspelt setting"),
        ("decision_seconds = 0", "settings: no seconds"),
        ("decision_seconds = nan", "settings: seconds that are not a number"),
        ("decision_seconds = true", "settings: seconds that are a flag"),
        ('timeout = "off"', "settings: never a timeout"),
        ('files = "here"', "settings: a relative folder"),
        ('policy = "allow-all"', "settings: a policy for one run"),
        ("trust = true", "settings: trust"),
        ('approve = "always"', "settings: approvals"),
        ("panes = 3", "settings: panes"),
        ("keys = 3", "settings: keys"),
    ],
)
def test_a_mistake_has_its_line_and_what_to_do(line: str, key: str) -> None:
    found = mistakes(f"# one\n\n{line}\n")
    assert len(found) == 1
    assert found[0].startswith("config.toml line 3: ")
    PROSE.holds(key, found[0])


def test_what_is_not_toml_has_its_line() -> None:
    [found] = mistakes("# one\n\ntheme = \n")
    words, _, _ = found.partition(" TOML")
    PROSE.holds("settings: not TOML", f"{words} TOML")


def test_what_is_sound_counts_beside_a_mistake() -> None:
    settings = read('theme = "light"\nbad = 1\n[panes]\ntools = 99\nanswers = 60')
    assert settings.text("theme") == "light"
    assert panes(settings) == (42, 60)
    assert [one.problem.line for one in settings.mistakes] == [2, 4]
    assert settings.is_policy_sure


def test_a_setting_below_a_heading_is_told_where_to_go() -> None:
    PROSE.holds("settings: below a heading", "\n".join(mistakes('[keys]\ntheme = "dark"')))
    assert "[panes]" in mistakes('[panes]\npolicy = "x"')[0]


@pytest.mark.parametrize(
    "text",
    ['polcy = "ask-always"', "policy = 3", '[keys]\npolicy = "ask-always"', "policy ="],
)
def test_where_a_policy_was_meant_nobody_takes_the_default_for_it(text: str) -> None:
    assert not read(text).is_policy_sure
    assert read(text, SIGNOFF_POLICY="ask-always").is_policy_sure


def test_a_wrong_policy_in_the_environment_is_not_the_default_either() -> None:
    assert not read('policy = "ask-always"', SIGNOFF_POLICY="allow-all").is_policy_sure


def test_a_variable_that_is_nearly_one_is_named_and_others_are_not() -> None:
    found = mistakes("", SIGNOFF_THEMES="x", SIGNOFF_DEMO_DIR="/", SIGNOFF_CONFIG="/x", PATH="")
    PROSE.holds("settings: nearly a variable", "\n".join(found))


def test_nothing_of_a_file_reaches_the_screen_raw() -> None:
    found = mistakes('"\\u001b[31mx" = 1\ntheme = "\\u202Ey"\n[keys]\n"main.\\u0007" = "f5"')
    assert len(found) == 3
    assert not any(one in "".join(found) for one in "\x1b\u202e\x07")


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    settings = read(text)
    assert all(one.words.isprintable() for one in settings.mistakes)


def test_the_names_are_those_of_textual_and_of_the_list() -> None:
    assert set(THEMES) == set(BUILTIN_THEMES)
    assert tuple(one.value for one in Grouping) == GROUPINGS


def test_the_template_says_nothing_and_can_be_taken_as_it_is() -> None:
    assert read(template()).found == {}
    # Without the signs in front of what is an example it is sound, too.
    live = "\n".join(
        line.removeprefix("# ") if " = " in line and line[2:3].islower() else line
        for line in template().splitlines()
    )
    settings = read(live)
    assert settings.mistakes == ()
    assert set(settings.found) == {one.name for one in SETTINGS}
    assert settings.keys["main.call"] == "ctrl+b,f5,ctrl+enter"


def test_a_value_is_put_beside_its_comment_and_the_rest_stays() -> None:
    text = with_values(template(), {"theme": "nord", "panes.tools": 30})
    assert '# theme = "auto"\ntheme = "nord"\n' in text
    settings = read(text)
    assert (settings.text("theme"), panes(settings)) == ("nord", (30, 50))
    again = with_values(text, {"theme": "light"})
    assert again == text.replace('theme = "nord"', 'theme = "light"')


@pytest.mark.parametrize(
    "text", ["", "x = 1", "x = 1\n[keys]\n", "# note\n\n[[odd]]\na = 1\n", '"theme" = "dark"\r\n']
)
def test_a_value_fits_into_any_file(text: str) -> None:
    assert read(with_values(text, {"theme": "nord"})).text("theme") == "nord"


def test_a_comment_behind_a_value_stays() -> None:
    text = with_values('theme = "dark"  # at night\n', {"theme": "light"})
    assert text == 'theme = "light"  # at night\n'


@pytest.mark.parametrize("text", ["theme =", 'theme = """\ndark"""', 'theme = "a#b"'])
def test_what_cannot_be_changed_safely_is_left_alone(text: str) -> None:
    try:
        changed = with_values(text, {"theme": "light"})
    except CannotWrite:
        return
    assert changed == 'theme = "light"\n'
