"""The chain of the audit log, the records it is made of, and which of them are wanted."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue, same
from signoff.app.protocol.findings.findings import Severity
from signoff.app.protocol.server import Server, Trust
from signoff.app.storage.auditing.chain import (
    LINE_MAX,
    START,
    TORN_LINE,
    read_record,
    read_seal,
    seal,
    torn_fields,
)
from signoff.app.storage.auditing.rows import (
    Filters,
    FilterWords,
    named,
    read_filters,
    read_query,
    row_of,
)
from signoff.app.storage.auditing.verifying import verify
from tests.content.json_values import json_values
from tests.tiers import examples

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
READ_ONLY: dict[str, JsonValue] = {
    "name": "read",
    "inputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": True},
}
ADDITIVE: dict[str, JsonValue] = {
    "name": "add",
    "inputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": False, "destructiveHint": False},
}
DESTRUCTIVE: dict[str, JsonValue] = {
    "name": "wipe",
    "inputSchema": {"type": "object"},
    "annotations": {"destructiveHint": True},
}
SERVER = Server("demo", "demo --token abc", "stdio:demo --token abc", Trust.TRUSTED)


def chain(*fields: dict[str, Any], ts: str = "2026-11-21T12:00:00.000+00:00") -> list[bytes]:
    lines, before = [], START
    for seq, one in enumerate(fields, 1):
        line = seal({"ts": ts, "event": "asked", "severity": "note", **one}, before, seq)
        found = read_seal(line.encode())
        assert found is not None
        before = found.hash
        lines.append(line.encode() + b"\n")
    return lines


def numbered(count: int) -> list[bytes]:
    return chain(*({"call": index} for index in range(count)))


class TestALine:
    @given(st.dictionaries(st.text(max_size=8), json_values(), max_size=6))
    def test_is_one_line_of_ascii_that_reads_back(self, fields: dict[str, Any]) -> None:
        fields = {
            name: value
            for name, value in fields.items()
            if name not in ("prev", "hash", "ts", "seq")
        }
        line = seal(fields, START, 1)
        assert line.isascii()
        assert line.isprintable()
        record = json.loads(line)
        assert all(same(record[name], value) for name, value in fields.items())
        assert verify([line.encode() + b"\n"]).is_intact

    @pytest.mark.parametrize(
        "odd",
        [
            *(
                "\n",
                "\r\n",
                "\x1b[2J",
                "\x7f",
                "\x00",
                "\ud800",
                "\udfff\ud800",
                "\u2028",
                "\u202e",
            ),
            *(float("nan"), float("inf"), float("-inf"), 10**2000, b"bytes", object(), {1, 2}),
            *(
                '","hash":"',
                '"}\n{"ts":"',
                '","prev":"' + "0" * 64 + '","hash":"' + "0" * 64 + '"}',
            ),
        ],
    )
    def test_whatever_goes_in(self, odd: Any) -> None:
        for fields in ({"tool": odd}, {"x": {"y": [odd]}}, {"ts": odd}, {str(odd)[:90]: 1}):
            line = seal({"event": "asked", "severity": "note", **fields}, START, 3)
            assert line.isascii()
            assert line.isprintable()
            found = read_seal(line.encode())
            assert found is not None
            assert found.is_whole
            assert found.seq == 3
            assert isinstance(json.loads(line), dict)

    @given(st.dictionaries(st.text(max_size=8), json_values(), max_size=6))
    @example({"a": {"b": ["\x7f", (1, 2.5)]}, "c": 10**1000, "d": 10**999})
    @example({"a": [[[[[[]]]]]] * 30})
    def test_is_the_same_whatever_else_is_cut(self, fields: dict[str, Any]) -> None:
        names = [name for name in fields if name not in ("prev", "hash", "ts", "seq", "filler")]
        given_here = {name: fields[name] for name in names}
        alone = json.loads(seal(given_here, START, 1))
        beside = json.loads(seal({**given_here, "filler": "x" * 70_000}, START, 1))
        assert beside.pop("filler").startswith("xxx")
        for record in (alone, beside):
            del record["hash"]
        assert json.dumps(alone) == json.dumps(beside)

    @pytest.mark.parametrize("levels", [101, 5_000])
    def test_endless_nesting_is_cut_off(self, levels: int) -> None:
        deep: Any = []
        for _ in range(levels):
            deep = [deep]
        assert "[nested too deeply]" in seal({"x": deep}, START, 1)

    def test_has_a_length_that_is_bounded_and_says_what_is_missing(self) -> None:
        line = seal({"a": "x" * 70_000, "b": ["y" * 60_000] * 9, "event": "asked"}, START, 1)
        assert len(line) <= LINE_MAX
        record = json.loads(line)
        assert record["a"].endswith("[cut: 65,536 of 70,000 characters]")
        assert record["b"].startswith("[left out: ")
        assert record["event"] == "asked"

    def test_many_fields_are_bounded_too(self) -> None:
        line = seal({f"f{index}": "x" * 50 for index in range(20_000)}, START, 1)
        assert len(line) <= LINE_MAX
        assert verify([line.encode() + b"\n"]).is_intact


class TestTheChain:
    def test_of_nothing(self) -> None:
        found = verify([])
        assert not found.kind
        assert not found.is_intact, "an emptied log looks like one that never was"
        assert found.count == 0
        assert found.head == START

    def test_in_order(self) -> None:
        lines = numbered(9)
        found = verify(lines)
        assert found.is_intact
        assert (found.count, found.first_seq, found.last_seq) == (9, 1, 9)
        last = read_record(lines[-1])
        assert last is not None
        assert found.head == last["hash"]

    @examples(300)
    @given(st.data())
    def test_any_edit_of_any_byte(self, data: st.DataObject) -> None:
        lines = numbered(4)
        at = data.draw(st.integers(0, 3))
        line = bytearray(lines[at])
        where = data.draw(st.integers(0, len(line) - 2))
        new = data.draw(st.integers(0, 255))
        if line[where] == new:
            return
        line[where] = new
        edited = [*lines[:at], bytes(line), *lines[at + 1 :]]
        # A newline in the middle makes two lines of one.
        found = verify(b"".join(edited).splitlines(keepends=True) if new == 10 else edited)
        assert not found.is_intact
        assert found.line == at + 1
        assert found.kind in ("edited", "truncated")
        assert found.count == at

    @given(st.integers(3, 8), st.data())
    def test_any_removal(self, count: int, data: st.DataObject) -> None:
        lines = numbered(count)
        first = data.draw(st.integers(1, count - 2))
        many = data.draw(st.integers(1, count - 1 - first))
        found = verify([*lines[:first], *lines[first + many :]])
        assert found.kind == "removed"
        assert found.line == first + 1
        assert found.count == first
        if many > 1:
            assert f"records {first + 1} to {first + many} are missing" in found.problem

    @given(st.integers(2, 8), st.data())
    def test_any_swap(self, count: int, data: st.DataObject) -> None:
        lines = numbered(count)
        one = data.draw(st.integers(0, count - 2))
        other = data.draw(st.integers(one + 1, count - 1))
        lines[one], lines[other] = lines[other], lines[one]
        found = verify(lines)
        assert found.kind == "reordered"
        assert found.line == (one + 1 if one else 2)

    @given(st.integers(2, 8), st.data())
    def test_any_copy_put_in(self, count: int, data: st.DataObject) -> None:
        lines = numbered(count)
        of = data.draw(st.integers(0, count - 1))
        at = data.draw(st.integers(of + 1, count))
        found = verify([*lines[:at], lines[of], *lines[at:]])
        assert found.kind == "inserted"
        assert found.line == at + 1
        assert f"repeats line {of + 1}" in found.problem

    @given(st.integers(2, 8), st.integers(1, 12), st.data())
    def test_any_forged_record_put_in(self, count: int, seq: int, data: st.DataObject) -> None:
        lines = numbered(count)
        at = data.draw(st.integers(1, count - 1))
        forged = seal({"event": "asked"}, "f" * 64, seq).encode() + b"\n"
        found = verify([*lines[:at], forged, *lines[at:]])
        assert not found.is_intact
        assert found.line == at + 1

    def test_a_forged_record_that_names_the_one_before_it(self) -> None:
        lines = numbered(4)
        before = read_seal(lines[1].rstrip())
        assert before is not None
        forged = seal({"event": "asked"}, before.hash, 3).encode() + b"\n"
        found = verify([*lines[:2], forged, *lines[2:]])
        assert not found.is_intact
        assert found.line == 4

    def test_a_record_sealed_anew(self) -> None:
        lines = numbered(4)
        first = read_seal(lines[0].rstrip())
        assert first is not None
        lines[1] = seal({"event": "asked", "call": 99}, first.hash, 2).encode() + b"\n"
        found = verify(lines)
        assert found.kind == "edited"
        assert found.line == 3
        assert "rewritten" in found.problem

    @pytest.mark.parametrize("seq", [2, 4])
    def test_a_record_with_the_number_of_another(self, seq: int) -> None:
        lines = numbered(2)
        wrong = seal({"event": "asked"}, verify(lines).head, seq).encode() + b"\n"
        found = verify([*lines, wrong])
        assert (found.kind, found.line) == ("edited", 3)
        assert found.problem == f"record {seq} has a wrong number"

    def test_a_line_that_is_no_record(self) -> None:
        lines = numbered(4)
        for odd in (b"\n", b"x\n", b"{}\n", b"\xff\xfe\n"):
            found = verify([*lines[:2], odd, *lines[2:]])
            assert (found.kind, found.line) == ("edited", 3)

    @pytest.mark.parametrize("kept", [1, 40, -2])
    def test_an_end_that_breaks_off(self, kept: int) -> None:
        lines = numbered(3)
        found = verify([*lines[:2], lines[2][:kept]])
        assert (found.kind, found.line, found.count) == ("truncated", 3, 2)

    def test_a_last_line_without_its_end_is_whole(self) -> None:
        lines = numbered(3)
        assert verify([*lines[:2], lines[2].rstrip()]).count == 3

    def test_a_torn_line_that_the_next_record_accounts_for(self) -> None:
        lines = numbered(2)
        head = verify(lines).head
        torn = b'{"ts":"2026-11-21T12:00:00.000+00:00","seq":3,"ev'
        entry = seal({"event": TORN_LINE, **torn_fields(torn)}, head, 3).encode() + b"\n"
        found = verify([*lines, torn + b"\n", entry])
        assert found.is_intact
        assert (found.count, found.torn) == (3, 1)
        assert verify([*lines, torn[:-1] + b"\n", entry]).kind == "edited"
        assert verify([*lines, torn + b"\n", torn + b"\n", entry]).kind == "edited"

    def test_a_first_record_that_begins_no_chain_was_written_anew(self) -> None:
        second = numbered(2)[1]
        prev = json.loads(second)["prev"]
        for claimed, before in ((1, prev), (2, START)):
            line = seal({"call": 1}, before, claimed).encode() + b"\n"
            assert verify([line]).kind == "edited"
            assert verify([line]).line == 1

    @given(st.lists(st.integers(-5_000, 5_000), min_size=1, max_size=8))
    def test_every_step_back_of_a_clock_is_counted(self, steps: list[int]) -> None:
        at, times = NOW, [NOW]
        for step in steps:
            at += timedelta(milliseconds=step)
            times.append(at)
        entries = ({"ts": one.isoformat(timespec="milliseconds")} for one in times)
        found = verify(chain(*entries))
        assert found.is_intact
        back = [number for number, step in enumerate(steps, 2) if step <= -1_000]
        if not back:
            assert found.back is None
        else:
            assert found.back is not None
            assert (found.back.count, found.back.line) == (len(back), back[0])
            assert found.back.seconds == pytest.approx(-steps[back[0] - 2] / 1_000)

    def test_another_zone_is_no_step_back(self) -> None:
        times = ("2026-11-21T12:00:00.000+00:00", "2026-11-21T08:00:00.500-04:00")
        assert verify(chain(*({"ts": one} for one in times))).back is None
        times = ("2026-11-21T12:00:00.000+00:00", "2026-11-21T12:30:00.000+02:00")
        assert verify(chain(*({"ts": one} for one in times))).back is not None

    def test_an_end_that_was_cut_off_shows_only_by_a_hash_kept_elsewhere(self) -> None:
        lines = numbered(5)
        head = verify(lines).head
        assert verify(lines, head).expected_seq == 5
        assert verify([*lines, *chain()], head.upper()).expected_seq == 5
        short = verify(lines[:4], head)
        assert short.is_intact
        assert short.expected_seq is None

    def test_a_start_that_rotation_removed_is_said(self) -> None:
        found = verify(numbered(5)[2:])
        assert not found.kind
        assert found.starts_midway
        assert not found.is_intact
        assert found.first_seq == 3
        assert not verify(numbered(5)).starts_midway


def record(**fields: Any) -> dict[str, Any]:
    return {"ts": "2026-11-21T11:00:00.000+00:00", "event": "ended", "severity": "note", **fields}


class TestFilters:
    @pytest.mark.parametrize(
        ("query", "fits", "fits_not"),
        [
            ("tool:delete_*", {"tool": "delete_file"}, {"tool": "Delete_file"}),
            ("event:en*", {}, {"event": "sent"}),
            ("severity:warning", {"severity": "error"}, {"severity": "note"}),
            ("outcome:ok", {"outcome": "ok"}, {"outcome": "denied"}),
            ("session:ab", {"session": "abcd"}, {"session": "b"}),
            ("server:demo", {"server": {"name": "demo"}}, {"server": {"name": "demo2"}}),
            ("server:abcdef", {"server": {"identity": "abcdef01"}}, {"server": {"name": "x"}}),
            ("since:2h", {}, {"ts": "2026-11-21T09:59:00.000+00:00"}),
            ("until:2h", {"ts": "2026-11-21T09:59:00.000+00:00"}, {}),
            ("since:2026-11-21", {}, {"ts": "2026-11-20T23:00:00.000+00:00"}),
            ("until:2026-11-21", {}, {"ts": "2026-11-22T00:00:00.000+00:00"}),
            ("since:2026-11-21T10:30Z", {}, {"ts": "2026-11-21T10:00:00.000+00:00"}),
            ("Two WORDS", {"a": {"b": ["two words"]}}, {"a": "two other words"}),
            ("text:one two", {"a": "one two"}, {"a": "one"}),
            ("tool:x words", {"tool": "x", "a": "words"}, {"tool": "x"}),
            ("", {}, None),
        ],
    )
    def test_what_they_want(
        self, query: str, fits: dict[str, Any], fits_not: dict[str, Any] | None
    ) -> None:
        filters = read_query(query, NOW)
        assert filters.matches(record(**fits))
        assert fits_not is None or not filters.matches(record(**fits_not))

    def test_every_name_by_itself(self) -> None:
        given = FilterWords(since="1d", until="1h", severity="ERROR", text=" x ")
        filters = read_filters(given, NOW)
        assert filters.since == NOW - timedelta(days=1)
        assert filters.severity is Severity.ERROR
        assert filters.text == "x"
        assert read_filters(FilterWords(), NOW) == Filters()

    @pytest.mark.parametrize(
        "query", ["since:yesterday", "until:2026-13-01", "severity:loud", "since:999999w"]
    )
    def test_what_cannot_be_read_is_said(self, query: str) -> None:
        with pytest.raises(ValueError, match=r"time|severity"):
            read_query(query, NOW)

    @given(json_values(), st.sampled_from(["", "severity:error x", "since:2h server:a tool:b"]))
    def test_records_of_any_shape_raise_nothing(self, value: Any, query: str) -> None:
        odd = dict.fromkeys(("ts", "event", "severity", "server", "tool", "decision"), value)
        for event in (
            "asked",
            "decided",
            "ended",
            "definitions-changed",
            "changes-accepted",
            "listed",
            "what-if",
        ):
            read_query(query, NOW).matches({**odd, "event": event})
            row = row_of({**odd, "event": event, "duration_ms": value, "torn": value})
            assert row.event == event
            assert row_of(odd).words.isprintable()
            assert list(named([{**odd, "event": event}], {}))


class TestNames:
    def test_a_server_is_known_by_what_was_said_before(self) -> None:
        records = [
            {"event": "opened", "server": {"name": "demo", "identity": "i"}},
            {"event": "sent", "server": {"identity": "i"}},
            {"event": "sent", "server": {"identity": "other"}},
        ]
        found = [row_of(one).server for one in named(records, {})]
        assert found == ["demo", "demo", "other"]


@pytest.mark.parametrize("event", ["asked", "sent"])
def test_a_row_says_what_was_sent_although_invalid(event: str) -> None:
    record = {"event": event, "verdict": {"answer": "ask"}, "arguments": {"sha256": "a" * 64}}
    assert "invalid" not in row_of(record).words
    assert row_of({**record, "although_invalid": True}).words.endswith(", although invalid")


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({"event": "definitions-changed", "renamed": [{}]}, "1 renamed"),
        (
            {"event": "changes-accepted", "changed": [{}], "more_changed": 4, "by": "you"},
            "5 changed",
        ),
        ({"event": "ended", "outcome": "ok", "withheld": True}, "answered, response withheld"),
        ({"event": "ended", "outcome": "denied", "sent": False}, "denied, nothing was sent"),
        ({"event": "denied-for-session"}, "with any arguments"),
        (
            {"event": "result-asked", "verdict": {"answer": "allow", "reviews_result": True}},
            "runs, ",
        ),
        ({"event": "another"}, ""),
    ],
)
def test_each_event_has_the_words_of_the_screens(record: dict[str, Any], words: str) -> None:
    assert row_of(record).words.startswith(words)
