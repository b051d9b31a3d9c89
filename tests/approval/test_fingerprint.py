"""What runs, as it is written down and compared, and the words about it."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.approval import Approvals
from signoff.app.approval.fingerprint import (
    Role,
    RunFile,
    ServerFingerprint,
    keyed,
    read_fingerprint,
    unknown_runs,
)
from signoff.app.approval.grants import Lapsed
from signoff.app.approval.snapshot import take_snapshot
from signoff.app.protocol.requests import ToolCall
from signoff.app.protocol.tool_reading import read_tool
from signoff.app.questions.server_lines import (
    bound_lines,
    changed_words,
    covered_words,
    lapsed_words,
)

PROGRAM = RunFile(Role.PROGRAM, "/usr/bin/python3", "/usr/bin/python3.12", 7, "1a2b3c4d" * 8)
SCRIPT = RunFile(Role.SCRIPT, "/x/server.py", "/x/server.py", 9, "9f8e7d6c" * 8)
LARGE = RunFile(Role.PROGRAM, "/usr/bin/node", "/usr/bin/node", 99_000_000, None, 5)
RUNS = ServerFingerprint((PROGRAM, SCRIPT), "t", (("API_KEY", "a"), ("REGION", "b")))

TEXTS = st.text(st.characters(), max_size=5)
FILES = st.builds(
    RunFile,
    st.sampled_from(Role),
    TEXTS,
    TEXTS,
    st.integers(0),
    st.none() | TEXTS,
    st.none() | st.integers(),
)
ALL = st.builds(
    ServerFingerprint,
    st.lists(FILES, max_size=3).map(tuple),
    TEXTS,
    st.dictionaries(TEXTS, TEXTS, max_size=3).map(lambda found: tuple(sorted(found.items()))),
    TEXTS,
)


@given(ALL, ALL)
def test_it_is_read_as_it_was_written_and_equal_only_to_itself(
    one: ServerFingerprint, other: ServerFingerprint
) -> None:
    assert one.text.isascii()
    assert read_fingerprint(one.text) == one
    assert (one.text == other.text) == (one == other) == (one.digest == other.digest)


@given(ALL, st.data())
def test_what_was_cut_or_changed_is_not_read_as_something_else(
    one: ServerFingerprint, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(one.text) - 1))
    for text in (one.text[:at], one.text[:at] + one.text[at + 1 :], one.text + " "):
        try:
            assert read_fingerprint(text) != one
        except ValueError:
            continue


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "{}", '{"files":1,"target":"","values":{}}', "[" * 9_999, '"' + "\ud800"],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a fingerprint"):
        read_fingerprint(text)


@given(st.binary(min_size=1, max_size=8), st.lists(TEXTS, max_size=3), st.lists(TEXTS, max_size=3))
def test_keyed_digests_tell_texts_and_their_borders_apart(
    key: bytes, one: list[str], other: list[str]
) -> None:
    assert (keyed(key, *one) == keyed(key, *other)) == (one == other)
    assert keyed(key, *one) != keyed(key + b"x", *one)


def test_a_keyed_digest_is_what_it_says() -> None:
    expected = hmac.new(b"key", b'["A","v"]', hashlib.sha256).hexdigest()[:32]
    assert keyed(b"key", "A", "v") == expected


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (replace(RUNS, values=(("API_KEY", "z"), ("REGION", "b"))), "the value of API_KEY changed"),
        (
            replace(RUNS, values=(("API_KEY", "z"), ("REGION", "z"))),
            "the values of API_KEY and REGION changed",
        ),
        (
            replace(RUNS, files=(replace(PROGRAM, sha256="0"), SCRIPT)),
            "the program /usr/bin/python3 changed",
        ),
        (
            replace(RUNS, files=(replace(PROGRAM, real="/usr/bin/python3.13"), SCRIPT)),
            "the program /usr/bin/python3 leads to another file",
        ),
        (
            replace(RUNS, files=(replace(PROGRAM, path="/tmp/python3"), SCRIPT)),
            "another program runs, /tmp/python3,",
        ),
        (
            replace(RUNS, files=(PROGRAM, replace(SCRIPT, sha256="0"))),
            "the script /x/server.py changed",
        ),
        (replace(RUNS, files=(PROGRAM,)), "the script /x/server.py is gone"),
        (
            replace(
                RUNS,
                files=(PROGRAM, replace(SCRIPT, size=1)),
                values=(("API_KEY", "z"), RUNS.values[1]),
            ),
            "the script /x/server.py changed and the value of API_KEY changed",
        ),
        (replace(RUNS, target="u"), "the command or the key of its digest changed"),
        (unknown_runs("it was changed"), "it was changed"),
    ],
)
def test_what_is_another_is_named(now: ServerFingerprint, words: str) -> None:
    assert changed_words(RUNS, now) == words
    remembered = lapsed_words(Lapsed(RUNS, was_remembered=True), now)
    if now.problem:
        assert remembered == "it was changed, so no remembered approval counts"
    else:
        assert remembered == (f"your remembered approval does not count: {words} since you gave it")
        assert lapsed_words(Lapsed(RUNS, was_remembered=False), now) == (
            f"{words} since you approved it last"
        )


@given(ALL, ALL)
def test_whatever_is_another_there_are_words_for_it(
    one: ServerFingerprint, other: ServerFingerprint
) -> None:
    assert changed_words(one, other)


def test_variables_that_came_or_went_are_named() -> None:
    fewer = replace(RUNS, values=RUNS.values[:1])
    assert changed_words(RUNS, fewer) == "the value of REGION changed"
    assert changed_words(fewer, RUNS) == "the value of REGION changed"


def test_what_an_approval_covers() -> None:
    assert covered_words(None) == ""
    assert covered_words(RUNS) == (
        "as it runs now: python3 1a2b3c4d, server.py 9f8e7d6c, the values of API_KEY and REGION; "
        "files that these load are not covered"
    )
    many = replace(RUNS, files=(LARGE,), values=tuple((f"V{at}", "") for at in range(300)))
    assert covered_words(many) == (
        "as it runs now: node (size and time), the values of 300 variables; "
        "files that these load are not covered"
    )
    odd = replace(SCRIPT, path="/x/\u202e" + "y" * 900, real="")
    assert len(covered_words(ServerFingerprint((odd,)))) < 150
    assert "\u202e" not in covered_words(ServerFingerprint((odd,)))


def test_what_it_is_bound_to_line_by_line() -> None:
    assert list(bound_lines(None)) == []
    assert list(bound_lines(replace(RUNS, files=(LARGE, SCRIPT)))) == [
        ("program", "/usr/bin/node, 99,000,000 bytes, by size and time"),
        ("script", "/x/server.py, sha256 9f8e7d6c9f8e7d6c"),
        ("variables", "the values of API_KEY and REGION"),
    ]


def test_an_approval_is_for_what_ran_when_it_was_given() -> None:
    tool = read_tool(0, {"name": "delete"})
    bare = take_snapshot("server", ToolCall(tool), {})
    one, other = (replace(bare, runs=runs) for runs in (RUNS, replace(RUNS, target="another")))
    assert len({bare.digest, one.digest, other.digest}) == 3
    approvals = Approvals()
    assert not approvals.redeem(approvals.issue(one), other, tool.digest)
    assert approvals.redeem(approvals.issue(one), one, tool.digest)
