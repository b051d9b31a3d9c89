"""`[keys]`: what an action may have, what is refused and why, and who loses a key to whom."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.keys import _character_to_key

from signoff.app.content.key_tables import key_rows
from signoff.app.storage.settings.actions import (
    DIALOG_KEYS,
    GUARDS,
    NotAKey,
    actions,
    key_name,
    shown_key,
)
from signoff.app.storage.settings.reading import read_settings
from signoff.app.storage.settings.values import Settings
from signoff.app.tui.approving.guarded_dialog import GuardedDialog
from tests.approved import approved
from tests.bindings import bindings

PROSE = approved("settings")


def keys(lines: str) -> dict[str, str]:
    return dict(read(lines).keys)


def read(lines: str) -> Settings:
    return read_settings(f"[keys]\n{lines}\n", "f", "config.toml", {})


def refusal(lines: str) -> str:
    (mistake,) = read(lines).mistakes
    return mistake.words


def test_every_binding_is_a_row_of_a_table_and_every_row_a_binding() -> None:
    bound = {(one.id or "", one.key, one.action, one.description) for _, one in bindings()}
    rows = {(row.id, row.keys, row.action, row.label) for row in key_rows()}
    assert bound == rows


def test_an_action_has_one_meaning_and_one_set_of_keys() -> None:
    found: dict[str, tuple[str, str]] = {}
    for row in key_rows():
        if row.id in actions():
            assert found.setdefault(row.id, (row.keys, row.about)) == (row.keys, row.about)


def test_every_key_of_the_dialogs_is_known_as_one() -> None:
    found = {
        key
        for kind, one in bindings()
        if issubclass(kind, GuardedDialog)
        for key in one.key.split(",")
    }
    assert found <= set(DIALOG_KEYS)
    assert set(GUARDS) <= set(DIALOG_KEYS)


def test_no_action_of_a_dialog_that_asks_can_be_chosen() -> None:
    asks = {one.id for kind, one in bindings() if issubclass(kind, GuardedDialog) and one.id}
    assert asks
    assert not asks & set(actions())
    for id_ in asks:
        PROSE.holds("keys: of a dialog", refusal(f'"{id_}" = "f13"'), ACTION=id_)


def test_the_usual_keys_go_on_working() -> None:
    assert keys('main.call = "ctrl+b"') == {"main.call": "ctrl+b,f5,ctrl+enter"}
    assert keys('"main.call" = ["ctrl+b", "F8 "]\nmain.raw = "alt+z"') == {
        "main.call": "ctrl+b,f8,f5,ctrl+enter",
        "main.raw": "alt+z",
    }


@pytest.mark.parametrize("key", GUARDS)
def test_what_guards_the_dialogs_is_given_to_nothing(key: str) -> None:
    words = refusal(f'main.call = "{key}"')
    assert f" {shown_key(key)}: " in words
    assert "dialog" in words
    assert keys(f'main.call = "{key}"') == {}


@pytest.mark.parametrize("key", sorted(DIALOG_KEYS))
@pytest.mark.parametrize("action", ["app.quit", "app.suspend"])
def test_what_works_over_the_dialogs_has_none_of_their_keys(action: str, key: str) -> None:
    words = refusal(f'{action} = "{key}"')
    assert f" {shown_key(key)}: " in words
    assert "dialog" in words


@pytest.mark.parametrize("key", ["z", "#", "delete", "backspace"])
def test_what_works_everywhere_is_no_key_for_text(key: str) -> None:
    PROSE.holds("keys: for text", refusal(f'app.quit = "{key}"').replace(f" {key}:", " KEY:"))


@pytest.mark.parametrize(
    ("alias", "guard"), [("esc", "escape"), ("ctrl+i", "tab"), ("ctrl+m", "enter")]
)
def test_another_name_for_a_guard_is_that_guard(alias: str, guard: str) -> None:
    assert f" {guard}: " in refusal(f'main.call = "{alias}"')


def test_a_key_of_a_dialog_is_not_chosen() -> None:
    for action in ("approval.deny", "approval.approve"):
        PROSE.holds("keys: of a dialog", refusal(f'{action} = "x"'), ACTION=action)


def test_an_action_may_keep_what_it_has() -> None:
    assert keys('main.back = "escape"') == {"main.back": "escape"}
    assert keys('pager.next = ["tab", "f13"]') == {"pager.next": "tab,f13"}


def test_a_key_of_another_action_is_named_and_not_taken() -> None:
    words = refusal('main.log = "f10"')
    PROSE.holds("keys: a key of another action", words)
    assert "main.quit" not in words
    assert "app.quit" in refusal('matrix.reset = "ctrl+q"')
    PROSE.holds("keys: of the palette", refusal('main.log = "ctrl+p"'))


def test_a_key_that_its_action_gave_up_is_free() -> None:
    assert keys('main.log = "f10"\nmain.grants = "alt+g"') == {
        "main.log": "f10,ctrl+l",
        "main.grants": "alt+g",
    }


def test_a_name_of_an_earlier_version_is_the_present_one() -> None:
    assert keys('bench.log = "alt+l"') == {"main.log": "alt+l,ctrl+l"}
    assert "bench.nothing" in refusal('bench.nothing = "alt+l"')
    both = 'main.log = "alt+l"\nbench.log = "alt+k"'
    assert keys(both) == {"main.log": "alt+l,ctrl+l"}
    PROSE.holds("keys: given by both names", refusal(both))


def test_two_actions_may_change_places() -> None:
    assert keys('main.log = "f10"\nmain.grants = "ctrl+l"') == {
        "main.log": "f10",
        "main.grants": "ctrl+l",
    }


def test_two_actions_may_not_have_one_key() -> None:
    words = refusal('main.log = "alt+l"\nmain.raw = "alt+l"')
    PROSE.holds("keys: one key for two actions", words)
    assert "main.log" in words


def test_places_that_never_meet_may_share_a_key() -> None:
    assert read('main.log = "alt+l"\nmatrix.reset = "alt+l"').mistakes == ()
    # The same thing in two places.
    assert read('answer.save = "alt+w"\npart.save = "alt+w"').mistakes == ()


@pytest.mark.parametrize("value", ["3", "true", "{a = 1}", "[1]", '""', '"ctrl+"', '"hyperspace"'])
def test_what_is_no_key_is_refused_with_its_line(value: str) -> None:
    assert refusal(f"main.call = {value}").startswith("config.toml line 2: ")


@given(st.sampled_from([chr(code) for code in range(33, 127)]))
def test_a_sign_has_the_name_that_textual_gives_it(sign: str) -> None:
    name = key_name(sign)
    assert name == _character_to_key(sign)
    assert shown_key(name) == sign


@given(st.text(max_size=12))
def test_any_text_is_a_key_or_refused_in_words(text: str) -> None:
    try:
        name = key_name(text)
    except NotAKey as problem:
        name = str(problem)
    assert name.isprintable()
    assert name


def test_every_usual_key_has_its_own_name() -> None:
    for action in actions().values():
        for key in action.keys:
            assert key_name(shown_key(key)) == key, action
