"""What is kept of arguments, and what is not."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.approval import Decision, DecisionAnswer, deny
from signoff.app.approval.policies.verdicts import Verdict, VerdictAnswer
from signoff.app.approval.snapshot import take_snapshot
from signoff.app.calls.argument_history import (
    DOCUMENT_MAX,
    NAME_MAX,
    NOT_KEPT,
    KeptArguments,
    document_of,
    is_worth_keeping,
    places_words,
    read_name,
)
from signoff.app.calls.call import Call, Outcome, State
from signoff.app.content.json.jsonio import JsonValue, digest
from signoff.app.protocol.requests import CallName, ToolCall
from signoff.app.protocol.tool_reading import read_tool
from tests.approved import approved
from tests.content.json_values import json_values
from tests.schemas.masking import mask

PROSE = approved("calls")

TOKEN = "ghp_" + "a1B2" * 9


def kept(arguments: dict[str, Any], **more: Any) -> KeptArguments:
    return KeptArguments(1, "tool", "", 0.0, document_of(json.dumps(arguments)), **more)


def test_arguments_without_secrets_are_kept_as_they_are() -> None:
    arguments = {"path": "a.txt", "deep": {"list": [1, 1.0, True, None, "x"]}}
    one = kept(arguments)
    assert json.dumps(one.arguments()) == json.dumps(one.shown()) == json.dumps(arguments)
    assert one.document.not_kept == ()
    assert one.marks == ()


def test_secrets_are_not_kept_and_not_sent_again() -> None:
    arguments = {
        "password": "hunter2",
        "path": "a",
        "deep": {"api_key": ["k1", "k2"], "note": f"use {TOKEN} please"},
        "argv": ["--verbose", "--token", "abc", "last"],
    }
    one = kept(arguments)
    assert one.document.not_kept == (
        ("password",),
        ("deep", "api_key"),
        ("deep", "note"),
        ("argv", 2),
    )
    assert one.shown() == {
        "password": NOT_KEPT,
        "path": "a",
        "deep": {"api_key": NOT_KEPT, "note": NOT_KEPT},
        "argv": ["--verbose", "--token", NOT_KEPT, "last"],
    }
    assert one.arguments() == {
        "path": "a",
        "deep": {},
        "argv": ["--verbose", "--token", "", "last"],
    }
    assert one.marks == ("4 secrets not kept",)
    text = one.document.text or ""
    assert not any(secret in text for secret in ("hunter2", "k1", "k2", TOKEN, "abc"))
    PROSE.holds("history: places not kept", places_words(one.document.not_kept, 2))


def test_a_secret_in_a_name_takes_its_value_with_it() -> None:
    one = kept({"env": {TOKEN: "yes", "HOME": "/home"}})
    assert TOKEN not in (one.document.text or "")
    assert one.arguments() == {"env": {"HOME": "/home"}}


def test_what_only_looks_like_the_marker_is_an_ordinary_value() -> None:
    one = kept({"text": NOT_KEPT, "password": "hunter2"})
    assert one.arguments() == {"text": NOT_KEPT}


NAMES = st.sampled_from(["password", "api_key", "value", "name", "path"])


@given(st.dictionaries(NAMES | st.text(), json_values(NAMES), max_size=4))
def test_whatever_is_masked_in_the_log_is_not_kept_here(arguments: dict[str, JsonValue]) -> None:
    one = kept(arguments)
    if one.document.text is None:
        return
    assert one.document.size == len(json.dumps(arguments))
    if mask(arguments)[1] == 0:
        assert json.dumps(one.arguments()) == json.dumps(arguments)
    else:
        assert one.document.not_kept
    # What has been taken out leaves nothing else to take out.
    assert json.dumps(kept(one.arguments() or {}).arguments()) == json.dumps(one.arguments())


def test_of_what_is_too_large_only_digest_and_size_are_kept() -> None:
    arguments: dict[str, JsonValue] = {"text": "x" * DOCUMENT_MAX}
    one = kept(arguments)
    assert one.document.text is None
    assert one.document.size == len(json.dumps(arguments))
    assert one.document.digest == digest(arguments)
    assert (one.arguments(), one.shown()) == (None, None)
    [mark] = one.marks
    PROSE.holds("history: too large", mark)


@pytest.mark.parametrize(
    ("outcome", "was_sent", "words"),
    [
        ("ok", True, "answered"),
        ("tool-error", True, "isError"),
        ("denied", False, "denied"),
        ("not-sent", False, "not sent"),
        ("fault", False, "internal error, not sent"),
        ("fault", True, "internal error"),
        ("cancelled", False, "cancelled, not sent"),
        ("", False, ""),
        ("of a later version", True, "of a later version"),
    ],
)
def test_an_outcome_in_a_word(outcome: str, was_sent: bool, words: str) -> None:
    assert kept({}, outcome=outcome, was_sent=was_sent).outcome_words == words


def test_marks_say_what_is_to_be_known() -> None:
    one = kept({}, times=3, although_invalid=True, is_on_disk=False)
    assert one.marks == ("3 times", "although invalid")


@pytest.mark.parametrize("bad", ["", "   ", "x" * (NAME_MAX + 1), "a\nb", "a\u202eb", "a\x1b[0m"])
def test_names_that_cannot_be(bad: str) -> None:
    with pytest.raises(ValueError, match="name"):
        read_name(bad)


def test_names_are_kept_without_blanks_around_them() -> None:
    assert read_name("  nightly run ") == "nightly run"


def test_what_went_back_to_the_form_is_no_history() -> None:
    tool = read_tool(0, {"name": "t", "inputSchema": {"type": "object"}})
    verdict = Verdict(VerdictAnswer.ASK, (), policy="cautious", rule="")
    running = Call(
        CallName("demo", 1), ToolCall(tool), take_snapshot("s", ToolCall(tool), {}), verdict, 0.0
    )
    ended = replace(running, state=State.ENDED, outcome=Outcome.DENIED)
    assert not is_worth_keeping(running)
    assert is_worth_keeping(replace(ended, decision=deny("you")))
    assert not is_worth_keeping(replace(ended, decision=Decision(DecisionAnswer.EDIT, "you")))
