"""Questions on the screen of an agent are recognised, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.features.measure.drivers import DriverError
from signoff.app.features.measure.running.screen_rules import ScreenRules, plain_lines, read_rules

CALL = 'delete_file {"path": "a"}'
FOUND = [
    (f"Allow {CALL}? [y/N]", "y", "n", ""),
    (f"{CALL}\nProceed? (Y/n):", "y", "n", ""),
    (f"Run {CALL} (yes/no)? >", "yes", "no", ""),
    (f"{CALL}\nApprove or reject?", "approve", "reject", ""),
    (f"Allow/Deny {CALL}\nallow/deny:", "allow", "deny", ""),
    (f"Run {CALL}? [y/n/a]", "y", "n", "a"),
    (f"{CALL}\n[a]llow, [s]ession, [d]eny >", "a", "d", ""),
    (f"{CALL}\n(y)es (n)o", "y", "n", ""),
    (f"{CALL}?\n1. Yes\n2. No", "1", "2", ""),
    (
        f"{CALL}?\n❯ 1. Yes\n  2. Yes, and don't ask again\n  3. No, tell it what to do",
        "1",
        "3",
        "2",
    ),
    (f"│ {CALL}?\n│ 1) Always allow\n│ 2) Allow once\n│ 3) Deny\n> ", "2", "3", "1"),
    (f"{CALL}?\n1. No\n2. Yes\nChoose [1-2]:", "2", "1", ""),
]


@pytest.mark.parametrize(("screen", "yes", "no", "always"), FOUND)
def test_known_forms_are_questions(screen: str, yes: str, no: str, always: str) -> None:
    asked = ScreenRules().asked(f"earlier words\n\n{screen}\n\n")
    assert asked is not None
    assert (asked.approve, asked.deny) == ((yes,), (no,))
    assert asked.always == ((always,) if always else ())
    assert CALL in plain_lines((*asked.before, *asked.lines))


@pytest.mark.parametrize(
    "screen",
    [
        "",
        "What can I do?\n>",
        f"Allow {CALL}? [y/N] n",
        f"Allow {CALL}? [y/N] y\nworking",
        f"{CALL}\n1. Yes\n2. No\n> 1",
        "Steps:\n1. Read the file\n2. Delete it",
        "1. Yes\n2. No\nDone",
        "It is allowed or denied by the policy of the server.",
        "I can run or skip tests for you",
        "[a]bout [h]elp",
    ],
)
def test_answered_questions_and_other_text_are_none(screen: str) -> None:
    assert ScreenRules().asked(screen) is None


@given(st.text(max_size=400))
def test_no_screen_breaks_the_rules(screen: str) -> None:
    ScreenRules().asked(screen)
    ScreenRules().is_ready(screen)


def test_the_lines_of_a_question_begin_after_the_one_before_and_end_the_screen() -> None:
    asked = ScreenRules().asked("Allow one? [y/N] n\nresult\ncalls two\nAllow it? [y/N]")
    assert asked is not None
    assert (asked.before, asked.lines) == (("result", "calls two"), ("Allow it? [y/N]",))
    text = 'question = "(?s)Shall I .*, master\\\\?"\napprove = "aye\\r"\ndeny = ["n", "\\r"]'
    rules = read_rules("f", text)
    assert (rules.approve, rules.deny) == (("aye\r",), ("n", "\r"))
    asked = rules.asked("Shall I one, master? n\nShall I\ntwo, master?")
    assert asked is not None
    assert asked.lines[-1] == "two, master?"
    assert rules.asked("Shall I one, master? n\nworking") is None
    assert rules.asked("Allow? [y/N]") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("question = ", "f: "),
        ('questions = "x"', "questions: unknown key; known: question, approve"),
        ('question = "("', "f: question: "),
        ("question = 5", "f: question: a regular expression is a text"),
        ('question = "x"\napprove = "y"', "f: deny: missing"),
        ('question = "x"\napprove = 5\ndeny = "n"', "f: approve: keys are a text"),
        ('question = "x"\napprove = ""\ndeny = "n"', "f: approve: keys are a text"),
        ('approve = "y"', "f: question: missing"),
    ],
)
def test_mistakes_in_rules_are_named(text: str, said: str) -> None:
    with pytest.raises(DriverError) as found:
        read_rules("f", text)
    assert said in str(found.value)


def test_a_prompt_is_typed_where_one_is_waited_for() -> None:
    assert ScreenRules().is_ready("Welcome\n> ")
    assert ScreenRules().is_ready("Welcome\nYou: ")
    assert not ScreenRules().is_ready("Welcome\nloading...")
    assert read_rules("f", 'ready = "loading"').is_ready("Welcome\nloading...")
