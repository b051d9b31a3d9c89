"""`signoff call --pages` and `--twice`: each call approved as its own, and what they come to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.approved import approved
from tests.cli.running import Ended, call, run
from tests.servers import recorded

PROSE = approved("cli-call")

pytestmark = pytest.mark.timeout(240)

SEVERAL: dict[str, list[str]] = {
    "order": call("list_pages", "--trust", "--json", "--pages", "9", "-a", "kind=order"),
    "data": call("list_pages", "--trust", "--json", "--pages", "9", "-a", "kind=data"),
    "repeat": call("list_pages", "--trust", "--pages", "9", "-a", "kind=repeat"),
    "circle": call("list_pages", "--trust", "--json", "--pages", "9", "-a", "kind=circle"),
    "endless": call("list_pages", "--trust", "--json", "--pages", "4", "-a", "kind=endless"),
    "unmarked": call("list_pages", "--trust", "--json", "--pages", "9", "-a", "kind=unmarked"),
    "huge": call("list_pages", "--trust", "--json", "--pages", "9", "-a", "kind=huge"),
    "escape": call("list_pages", "--trust", "--pages", "9", "-a", "kind=escape"),
    "breaks": call("list_pages", "--trust", "--json", "--pages", "9", "-a", "kind=breaks"),
    "position": call("list_by_position", "--trust", "--json", "--pages", "9"),
    "position named": call(
        *("list_by_position", "--trust", "--json", "--pages", "9"),
        *("--page-parameter", "position"),
    ),
    "not its parameter": call(
        "list_by_position", "--trust", "--pages", "9", "--page-parameter", "x"
    ),
    "parameter alone": call("list_by_position", "--trust", "--page-parameter", "position"),
    "both": call("list_pages", "--pages", "2", "--twice"),
    "no pages": call("list_pages", "--pages", "0"),
    "policy": call("add_pages", "--trust", "--json", "--pages", "9", "--approve", "policy"),
    "counts": call("count_up", "--json", "--twice", "--approve", "always"),
    "counts in secret": call("count_in_secret", "--twice", "--approve", "always"),
    "key": call(
        *("send_with_key", "--json", "--twice", "--approve", "always"),
        *("-a", "text=hello", "-a", "idempotencyKey=k-1"),
    ),
    "reads": call("read_thing", "--trust", "--json", "--twice"),
    "twice denied": call("count_up", "--json", "--twice"),
}
STATUSES = {
    0: ("order", "data", "endless", "escape", "position named", "counts", "key", "reads"),
    1: ("breaks",),
    2: ("not its parameter", "parameter alone", "both", "no pages"),
    3: ("policy", "twice denied"),
    4: ("repeat", "circle", "unmarked", "huge", "position", "counts in secret"),
}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ended]:
    folder = tmp_path_factory.mktemp("state")
    return {name: run(folder, *words) for name, words in SEVERAL.items()}


def codes(report: dict[str, Any]) -> list[str]:
    return [one["code"] for one in report["paging"]["findings"]]


@pytest.mark.slow
def test_exit_statuses(ended: dict[str, Ended]) -> None:
    expected = {name: status for status, names in STATUSES.items() for name in names}
    assert {name: one.status for name, one in ended.items()} == expected
    assert not any("Traceback" in one.stderr for one in ended.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["order", "data"])
def test_pages_are_followed_to_the_end(ended: dict[str, Ended], name: str) -> None:
    report = ended[name].report
    pages = report["pages"]
    assert [page["cursor"] for page in pages] == [None, "page-1", "page-2"]
    assert [page["next_cursor"] for page in pages] == ["page-1", "page-2", None]
    assert [page["items"] for page in pages] == [2, 2, 2]
    assert [page["end"] for page in pages] == ["more", "more", "marked"]
    assert [page["arguments"].get("cursor") for page in pages] == [None, "page-1", "page-2"]
    assert all(page["decision"]["by"] == "policy" for page in pages)
    assert report["outcome"] == "ok"
    assert report["arguments"] == {"kind": name}
    PROSE.holds("pages: to the end", report["paging"].pop("words"))
    assert report["paging"] == {
        "parameter": "cursor",
        "pages": 3,
        "items": 6,
        "ended": True,
        "findings": [],
    }


@pytest.mark.slow
def test_what_is_wrong_with_pages(ended: dict[str, Ended]) -> None:
    PROSE.holds("pages: repeats", ended["repeat"].stdout.rpartition("\npages    ")[2])
    circle = ended["circle"].report
    assert codes(circle) == ["page-repeats", "page-cursor-loops"]
    assert len(circle["pages"]) == 4
    assert [one["code"] for one in circle["findings"]][-2:] == ["page-repeats", "page-cursor-loops"]
    assert codes(ended["unmarked"].report) == ["page-end-unmarked"]
    assert codes(ended["huge"].report) == ["cursor-too-long"]
    assert codes(ended["endless"].report) == ["pages-not-finished"]
    assert len(ended["endless"].report["pages"]) == 4
    assert codes(ended["position"].report) == ["cursor-has-no-parameter"]
    assert len(ended["position named"].report["pages"]) == 3


@pytest.mark.slow
def test_a_page_that_fails_ends_it(ended: dict[str, Ended]) -> None:
    report = ended["breaks"].report
    assert [page["outcome"] for page in report["pages"]] == ["ok", "tool-error"]
    assert report["pages"][1]["items"] is None


@pytest.mark.slow
def test_a_hostile_cursor_is_sent_and_drawn_as_marks(ended: dict[str, Ended]) -> None:
    out = ended["escape"].stdout
    assert "page 2   cursor “␛]0;owned␇" in out
    PROSE.holds("pages: to the end", out.rpartition("\npages    ")[2])
    assert not any(control in out for control in "\x1b\x07\u202e")


@pytest.mark.slow
def test_nobody_is_asked_where_the_policy_alone_decides(ended: dict[str, Ended]) -> None:
    report = ended["policy"].report
    assert len(report["pages"]) == 1
    assert (report["sent"], report["outcome"]) == (False, "denied")
    assert report["paging"]["words"] == "no page received"


def test_each_page_is_approved_as_a_call_of_its_own(tmp_path: Path) -> None:
    record = tmp_path / "record"
    words = call(
        *("add_pages", "--json", "--pages", "2", "--approve", "always"),
        server=("--record", str(record)),
    )
    report = run(tmp_path, *words).report
    assert [page["decision"]["by"] for page in report["pages"]] == ["script", "script"]
    assert [one["arguments"] for one in recorded(record)] == [{}, {"cursor": "page-1"}]


def test_a_counter_is_held_against_what_it_claims(ended: dict[str, Ended]) -> None:
    report = ended["counts"].report
    assert report["result"]["structuredContent"] == {"count": 1}
    repeat = report["repeat"]
    assert (repeat["kind"], repeat["standing"]) == ("different", "upheld")
    assert repeat["claim"] == "idempotentHint false"
    assert repeat["differences"][1] == {
        "path": "$.structuredContent.count",
        "first": "1",
        "second": "2",
    }
    assert repeat["second"]["result"]["structuredContent"] == {"count": 2}
    assert repeat["second"]["decision"]["by"] == "script"
    out = ended["counts in secret"].stdout
    PROSE.holds("twice: contradicted", out.rpartition("\n  repeat   ")[2])


def test_a_key_and_equal_answers(ended: dict[str, Ended]) -> None:
    key = ended["key"].report["repeat"]
    assert (key["kind"], key["key"], key["standing"]) == (
        "duplicate",
        "idempotencyKey",
        "not known",
    )
    reads = ended["reads"].report["repeat"]
    assert (reads["kind"], reads["claim"]) == ("identical", "readOnlyHint true")


def test_what_was_not_sent_is_not_repeated(ended: dict[str, Ended]) -> None:
    report = ended["twice denied"].report
    assert (report["sent"], report["repeat"]) == (False, None)
