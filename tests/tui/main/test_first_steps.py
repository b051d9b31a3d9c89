"""What the first screen says to do first."""

from __future__ import annotations

from signoff.app.approval.policies.verdicts import VerdictAnswer
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tools
from signoff.app.tui.main.hint_line import lesson_words, server_words
from tests.approved import approved

TEXTS = approved("tui-start")
KEYS = {"call": "f5", "filter": "f3"}
ALLOW, ASK, REFUSE = VerdictAnswer.ALLOW, VerdictAnswer.ASK, VerdictAnswer.REFUSE


def tools(**hints: JsonValue) -> tuple[ToolDefinition, ...]:
    return read_tools(
        [
            {"name": name, "inputSchema": {"type": "object"}, "annotations": one}
            for name, one in hints.items()
        ]
    )


LESSONS = tools(
    other={"readOnlyHint": True},
    calculate_sum={"readOnlyHint": True},
    wipe={"destructiveHint": True},
    delete_file={"destructiveHint": True},
)
SAYS = {"calculate_sum": ALLOW, "delete_file": ASK}


def test_the_bundled_server_names_one_that_reads_one_that_destroys_and_the_tour() -> None:
    words = lesson_words(LESSONS, {**KEYS, "tour": "T"}, SAYS)
    TEXTS.holds("lessons: with a tour", "\n".join(words))
    long, short, least = words
    assert len(long) <= 118
    assert len(short) <= 78
    assert len(least) <= 38


def test_without_a_tour_nothing_is_said_of_one() -> None:
    assert all("T:" not in one and "tour" not in one for one in lesson_words(LESSONS, KEYS, SAYS))


def test_what_it_says_of_them_is_what_the_policy_says_now() -> None:
    says = {"calculate_sum": ASK, "delete_file": REFUSE}
    TEXTS.holds("lessons: by another policy", lesson_words(LESSONS, KEYS, says)[0])


def test_the_keys_are_those_that_are_bound() -> None:
    words = lesson_words(LESSONS, {"call": "^k", "tour": "f7"}, SAYS)[0]
    TEXTS.holds("lessons: other keys", words)
    assert "f3" not in words
    assert lesson_words(LESSONS, {}, SAYS) == ()


def test_other_tools_stand_for_those_that_are_not_there() -> None:
    words = lesson_words(tools(look={"readOnlyHint": True}), KEYS, {"look": ALLOW})[0]
    TEXTS.holds("lessons: other tools", words)


def test_another_server_says_how_many_of_its_tools_ask() -> None:
    TEXTS.holds("server: all ask", "\n".join(server_words([ASK] * 13, KEYS)))
    TEXTS.holds("server: some ask", "\n".join(server_words([ALLOW, ASK, ASK], KEYS)))
    TEXTS.holds("server: one asks", "\n".join(server_words([ASK], KEYS)))
    unknown = [ASK, VerdictAnswer.UNKNOWN]
    TEXTS.holds("server: one is not judged yet", "\n".join(server_words(unknown, KEYS)))
    assert server_words([], KEYS) == ()
    assert server_words([ASK], {}) == ()
