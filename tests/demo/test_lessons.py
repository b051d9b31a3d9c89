"""What each lesson does and says, to the SDK's own client in both eras."""

from __future__ import annotations

import base64
import json
import re

import pytest

from tests.approved import approved
from tests.demo.sdk import Lessons

PROSE = approved("demo")

NEXT = re.compile(r"\[Next page cursor: ([A-Za-z0-9_-]+)\]\Z")


def test_confetti_replaces_the_last_launch(sdk: Lessons) -> None:
    launch = {"color": "gold", "location": "the office"}
    answer = sdk.call("launch_confetti", **launch, intensity="low")
    PROSE.holds("confetti: launched", answer.text.partition("\n")[0])
    thrown = (sdk.folder / "confetti.txt").read_text(encoding="utf-8")
    assert sum(not mark.isspace() for mark in thrown) == 30
    sdk.call("launch_confetti", **launch)
    assert (sdk.folder / "confetti.txt").read_text(encoding="utf-8") != thrown
    assert sdk.call("launch_confetti", **launch, intensity="extreme").is_error


def test_cancelling_stops_a_migration_half_way(sdk: Lessons) -> None:
    sdk.cancel_after(3, "migrate_database")
    left = sdk.call("show_database").result.structured_content
    assert left["state"] == "half migrated"
    assert 2 <= left["stepsApplied"] < 15
    assert left["nextStep"].startswith(f"{left['stepsApplied'] + 1:03}_")
    # Were the work still going on, a wait of two steps would move it.
    sdk.call("wait_without_total", seconds=0.11)
    assert sdk.call("show_database").result.structured_content == left


def test_many_files_are_processed_one_by_one_and_nothing_is_written_twice(sdk: Lessons) -> None:
    sources = ("src/app.ts", "src/lib/sum.ts", "src/lib/text.ts")
    answer = sdk.call("bulk_process_files", directory="src")
    assert answer.progress == [
        (number, 3, f"Processing {path} ({number}/3)") for number, path in enumerate(sources, 1)
    ]
    assert answer.text == "Processed 3 files."
    first = {path: path.read_text() for path in (sdk.folder / "processed").rglob("*.txt")}
    assert set(first.values()) == {"3 lines\n", "1 lines\n"}
    sdk.call("bulk_process_files", directory=".", pattern="src/**/*.ts")
    assert {path: path.read_text() for path in (sdk.folder / "processed").rglob("*.txt")} == first
    assert not sdk.call("bulk_process_files", directory="src", pattern="*.py").progress
    nowhere = sdk.call("bulk_process_files", directory="nowhere")
    assert nowhere.is_error is True
    PROSE.holds("folder: not found", nowhere.text)


def test_a_cursor_keeps_to_its_filter_and_to_its_server(sdk: Lessons) -> None:
    first = sdk.call("github_list_repositories", org="acme", language="Rust", pageSize=5).text
    found = NEXT.search(first)
    assert found
    cursor = found[1]
    padded = cursor + "=" * (-len(cursor) % 4)
    assert {"offset", "filter", "sort"} == set(json.loads(base64.urlsafe_b64decode(padded)[9:])), (
        "it holds where to go on, of what, in which order"
    )
    good = sdk.call("github_list_repositories", org="acme", language="Rust", cursor=cursor)
    assert not good.is_error
    for changed in ({"language": "Go"}, {}, {"language": "Rust", "org": "other"}):
        refused = sdk.call(
            "github_list_repositories", **{"org": "acme", **changed, "cursor": cursor}
        )
        assert refused.is_error
        assert "another filter" in refused.text
    foreign = base64.urlsafe_b64encode(b'123456789{"offset":5}').decode()
    for broken in ("", "nope", "é", cursor[:-2], cursor + "A", "A" + cursor[1:], padded, foreign):
        if broken == cursor:
            continue
        refused = sdk.call("github_list_repositories", org="acme", language="Rust", cursor=broken)
        assert refused.is_error, broken
        assert refused.text.startswith("Invalid cursor")


def test_the_deprecated_search_warns_and_forwards(sdk: Lessons) -> None:
    new = sdk.call("github_search_repos", query="rust")
    assert len(new.text.split("\n")) == 10
    assert len(sdk.call("github_search_repos", query="rust", limit=3).text.split("\n")) == 3
    assert sdk.call("github_search_repos", query="rust", limit=31).is_error
    assert "deprecated" not in sdk.stderr()
    assert sdk.call("search", q="rust").text == new.text
    assert "github_search_repos" in sdk.stderr()


@pytest.mark.slow
def test_a_pattern_without_end_is_stopped_and_others_go_on(sdk: Lessons) -> None:
    answer = sdk.call("db_search", type="regex", pattern="([A-Za-z ]+)+!")
    assert answer.is_error
    assert "was stopped" in answer.text
    assert sdk.call("calculate_sum", a=1, b=1).text == "2"


@pytest.mark.slow
def test_the_weather_is_remembered_timed_and_limited(sdk: Lessons) -> None:
    before = sdk.stderr()
    first, second = (sdk.call("get_weather", location="Berlin") for _ in range(2))
    assert first.text == second.text
    assert first.text.startswith("Berlin: ")
    said = sdk.stderr().removeprefix(before)
    assert said.count("'Berlin'") == 2
    assert said.count("cache miss") == said.count("cache hit") == 1
    slow = sdk.call("get_weather", location="Slowville")
    assert slow.is_error is True
    PROSE.holds("weather: timed out", slow.text)
    many = [sdk.call("get_weather", location=f"place {n}") for n in range(6)]
    limited = [answer for answer in many if answer.is_error]
    assert limited
    assert all(answer.text.startswith("Rate limit exceeded.") for answer in limited)
    assert sdk.call("get_weather", location="berlin").text == first.text


def test_settings_are_set_and_the_reader_of_them_writes(sdk: Lessons) -> None:
    assert sdk.call("upsert_setting", key="theme", value="light").text.startswith("Setting theme")
    before = set(sdk.folder.rglob("*"))
    assert "theme = light" in sdk.call("read_settings").text.split("\n")
    written = set(sdk.folder.rglob("*")) - before
    assert [path.name for path in written] == ["read_settings-was-here.txt"]
