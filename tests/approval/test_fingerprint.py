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
from signoff.app.approval.questions.server_lines import (
    bound_lines,
    changed_words,
    covered_words,
    lapsed_words,
)
from signoff.app.approval.snapshot import take_snapshot
from signoff.app.protocol.requests import ToolCall
from signoff.app.protocol.tool_reading import read_tool
from tests.approved import approved

PROSE = approved("approval")

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
    ("now", "key"),
    [
        (replace(RUNS, values=(("API_KEY", "z"), ("REGION", "b"))), "changed: a value"),
        (
            replace(RUNS, values=(("API_KEY", "z"), ("REGION", "z"))),
            "changed: two values",
        ),
        (
            replace(RUNS, files=(replace(PROGRAM, sha256="0"), SCRIPT)),
            "changed: the program",
        ),
        (
            replace(RUNS, files=(replace(PROGRAM, real="/usr/bin/python3.13"), SCRIPT)),
            "changed: the target of a link",
        ),
        (
            replace(RUNS, files=(replace(PROGRAM, path="/tmp/python3"), SCRIPT)),
            "changed: another program",
        ),
        (
            replace(RUNS, files=(PROGRAM, replace(SCRIPT, sha256="0"))),
            "changed: the script",
        ),
        (replace(RUNS, files=(PROGRAM,)), "changed: no script"),
        (
            replace(
                RUNS,
                files=(PROGRAM, replace(SCRIPT, size=1)),
                values=(("API_KEY", "z"), RUNS.values[1]),
            ),
            "changed: script and value",
        ),
        (replace(RUNS, target="u"), "changed: the command"),
        (unknown_runs("it was changed"), "changed: problem"),
    ],
)
def test_what_is_another_is_named(now: ServerFingerprint, key: str) -> None:
    lapsed = [lapsed_words(Lapsed(RUNS, was_remembered=one), now) for one in (True, False)]
    PROSE.holds(key, "\n".join([changed_words(RUNS, now), *lapsed]))


@given(ALL, ALL)
def test_whatever_is_another_there_are_words_for_it(
    one: ServerFingerprint, other: ServerFingerprint
) -> None:
    assert changed_words(one, other)


def test_variables_that_came_or_went_are_named() -> None:
    fewer = replace(RUNS, values=RUNS.values[:1])
    PROSE.holds("changed: a variable", changed_words(RUNS, fewer))
    PROSE.holds("changed: a variable", changed_words(fewer, RUNS))


def test_what_an_approval_covers() -> None:
    assert covered_words(None) == ""
    PROSE.holds("covered: two files", covered_words(RUNS))
    many = replace(RUNS, files=(LARGE,), values=tuple((f"V{at}", "") for at in range(300)))
    PROSE.holds("covered: many variables", covered_words(many))
    odd = replace(SCRIPT, path="/x/\u202e" + "y" * 900, real="")
    assert len(covered_words(ServerFingerprint((odd,)))) < 150
    assert "\u202e" not in covered_words(ServerFingerprint((odd,)))


def test_what_it_is_bound_to_line_by_line() -> None:
    assert list(bound_lines(None)) == []
    lines = list(bound_lines(replace(RUNS, files=(LARGE, SCRIPT))))
    assert [name for name, _ in lines] == ["program", "script", "variables"]
    PROSE.holds("bound: line by line", "\n".join(f"{name}: {words}" for name, words in lines))


def test_an_approval_is_for_what_ran_when_it_was_given() -> None:
    tool = read_tool(0, {"name": "delete"})
    bare = take_snapshot("server", ToolCall(tool), {})
    one, other = (replace(bare, runs=runs) for runs in (RUNS, replace(RUNS, target="another")))
    assert len({bare.digest, one.digest, other.digest}) == 3
    approvals = Approvals()
    assert not approvals.redeem(approvals.issue(one), other, tool.digest)
    assert approvals.redeem(approvals.issue(one), one, tool.digest)
