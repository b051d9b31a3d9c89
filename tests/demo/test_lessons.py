"""What each lesson does and says, to the SDK's own client in both eras."""

from __future__ import annotations

import base64
import io
import json
import re

import pytest
from jsonschema import Draft202012Validator
from mcp.types import EmbeddedResource, ImageContent, TextContent, TextResourceContents
from PIL import Image

from tests.approved import approved
from tests.demo.sdk import Answer, Lessons

PROSE = approved("demo")

NEXT = re.compile(r"\[Next page cursor: ([A-Za-z0-9_-]+)\]\Z")


def embedded(answer: Answer, place: int) -> TextResourceContents:
    part = answer.content[place]
    assert isinstance(part, EmbeddedResource)
    assert isinstance(part.resource, TextResourceContents)
    return part.resource


def test_sums_and_fibonacci_numbers(sdk: Lessons) -> None:
    assert sdk.call("calculate_sum", a=2, b=3).text == "5"
    assert sdk.call("calculate_sum", a=0.5, b=-2).text == "-1.5"
    wanted = {0: "0", 1: "1", 2: "1", 10: "55", 90: "2880067194370816120"}
    assert {n: sdk.call("calculate_fibonacci", n=n).text for n in wanted} == wanted
    assert sdk.call("calculate_fibonacci", n=91).is_error
    assert sdk.call("calculate_fibonacci", n=-1).is_error


def test_confetti_replaces_the_last_launch(sdk: Lessons) -> None:
    launch = {"color": "gold", "location": "the office"}
    answer = sdk.call("launch_confetti", **launch, intensity="low")
    PROSE.holds("confetti: launched", answer.text.partition("\n")[0])
    thrown = (sdk.folder / "confetti.txt").read_text(encoding="utf-8")
    assert sum(not mark.isspace() for mark in thrown) == 30
    sdk.call("launch_confetti", **launch)
    assert (sdk.folder / "confetti.txt").read_text(encoding="utf-8") != thrown
    assert sdk.call("launch_confetti", **launch, intensity="extreme").is_error


def test_a_file_is_deleted_once(sdk: Lessons) -> None:
    assert sdk.call("search_files", pattern="notes/*").text == "notes/ideas.md\nnotes/todo.txt"
    first = sdk.call("delete_file", path="notes/todo.txt")
    assert (first.is_error, first.text) == (False, "Deleted: notes/todo.txt")
    assert not (sdk.folder / "notes/todo.txt").exists()
    again = sdk.call("delete_file", path="notes/todo.txt")
    assert again.is_error is True
    PROSE.holds("file: not found", again.text)


def test_files_are_found_by_pattern(sdk: Lessons) -> None:
    assert sdk.call("search_files", pattern="**/*.csv").text == (
        "reports/2025-q4.csv\nreports/2026-q1.csv"
    )
    PROSE.holds("files: no match", sdk.call("search_files", pattern="*.xyz").text)


def test_records_are_made_anew_each_time_and_can_be_read(sdk: Lessons) -> None:
    record = {"table": "planets", "data": {"name": "Mars", "moons": 2}}
    first, second = (sdk.call("create_record", **record).result for _ in range(2))
    assert first.structured_content == {"id": "planets-1", **record}
    assert second.structured_content == {"id": "planets-2", **record}
    read = sdk.call("read_table", table="planets", limit=1).text
    assert json.loads(read) == {"id": "planets-1", "data": record["data"]}
    assert sdk.call("read_table", table="nowhere").is_error


def test_users_are_updated_and_deleted_as_often_as_one_likes(sdk: Lessons) -> None:
    update = {"id": "ada", "changes": {"role": "viewer"}}
    once, twice = (sdk.call("update_user", **update).result for _ in range(2))
    assert once.structured_content == twice.structured_content
    assert once.structured_content == {"id": "ada", "user": {"name": "Ada", "role": "viewer"}}
    assert sdk.call("delete_user", id="ada").text == "Deleted user: ada"
    again = sdk.call("delete_user", id="ada")
    assert again.is_error is False
    PROSE.holds("user: not there", again.text)
    assert "Ada" not in sdk.call("read_table", table="users").text


def test_counting_twice_counts_twice(sdk: Lessons) -> None:
    for value in (1, 2):
        counted = sdk.call("increment_counter", id="mine").result.structured_content
        assert counted == {"id": "mine", "value": value}


def test_the_web_is_searched_and_read_without_a_network(sdk: Lessons) -> None:
    found = sdk.call("web_search", query="otters").text
    PROSE.holds("web: simulated", found)
    assert "otters" in found
    page = sdk.call("http_get", url="https://example.org/a?b")
    assert "Welcome to example.org" in page.text
    for url in ("file:///etc/passwd", "javascript:alert(1)", "https://", "http://[", "otters"):
        assert sdk.call("http_get", url=url).is_error
        assert sdk.call("capture_screenshot", url=url).is_error


def test_a_branch_is_deleted_once_and_main_never(sdk: Lessons) -> None:
    branch = {"repo": "acme/anvil", "branch": "fix/typo"}
    first = sdk.call("github_delete_branch", **branch)
    PROSE.holds("branch: deleted", first.text)
    assert sdk.call("github_delete_branch", **branch).is_error
    assert sdk.call("github_delete_branch", repo="acme/anvil", branch="main").is_error


@pytest.mark.parametrize(("is_dry", "mark"), [(False, ""), (True, "[DRY RUN] ")])
def test_a_migration_says_what_runs(sdk: Lessons, is_dry: bool, mark: str) -> None:
    before = sdk.call("show_database").result.structured_content
    answer = sdk.call("migrate_database", dryRun=is_dry)
    assert [value for value, _, _ in answer.progress] == list(range(1, 16))
    assert {total for _, total, _ in answer.progress} == {15}
    messages = [message or "" for _, _, message in answer.progress]
    assert messages[0] == f"{mark}Running: 001_create_users"
    assert all(re.fullmatch(re.escape(mark) + r"Running: \d{3}_\w+", said) for said in messages)
    assert answer.text == f"{mark}Ran 15 migrations."
    after = sdk.call("show_database").result.structured_content
    assert after == before if is_dry else after["state"] == "new schema"


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


def test_a_key_makes_a_second_message_the_first(sdk: Lessons) -> None:
    message = {"channel": "#general", "text": "hi", "idempotencyKey": "k-1"}
    sent = re.fullmatch(
        r"Message sent \(ts: (\d+\.\d{6})\)", sdk.call("slack_send_message", **message).text
    )
    assert sent
    again = sdk.call("slack_send_message", **{**message, "text": "another"})
    PROSE.holds("message: sent twice", again.text.replace(sent[1], "1000.000001"))
    without = {"channel": "#general", "text": "hi"}
    one, two = (sdk.call("slack_send_message", **without).text for _ in range(2))
    assert one.startswith("Message sent (ts: ")
    assert two.startswith("Message sent (ts: ")
    assert one != two


def test_repositories_come_in_pages_to_a_marked_end(sdk: Lessons) -> None:
    seen: list[str] = []
    cursor: dict[str, str] = {}
    sizes = [20, 20, 5, 5]
    for size in sizes:
        page = sdk.call("github_list_repositories", org="acme", pageSize=size, **cursor).text
        *lines, last = page.split("\n")
        seen += lines
        if last == "[End of results]":
            break
        found = NEXT.fullmatch(last)
        assert found, last
        cursor = {"cursor": found[1]}
    assert last == "[End of results]"
    assert len(seen) == len(set(seen)) == 46
    assert all(line.startswith("acme/") for line in seen)
    assert len(sdk.call("github_list_repositories", org="acme").text.split("\n")) == 21


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


def test_the_database_is_searched_in_three_ways(sdk: Lessons) -> None:
    hopper, johnson = "Grace Hopper found a moth in a relay", "Katherine Johnson computed orbits"

    def found(**question: object) -> str:
        return sdk.call("db_search", **question).text

    assert found(type="text", query="HOPPER") == hopper
    assert found(type="text", query="HOPPER", caseSensitive=True) == "No rows found."
    assert found(type="regex", pattern="^grace") == "No rows found."
    assert found(type="regex", pattern="^grace", flags="i") == hopper
    assert johnson in found(type="semantic", query="rocket")
    assert found(type="semantic", query="rocket", threshold=0.9) == "No rows found."
    assert len(found(type="semantic", query="a", threshold=0.5, limit=1).split("\n")) == 1


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ({"type": "regex", "pattern": "[invalid"}, "Invalid regex pattern"),
        ({"type": "regex", "pattern": "a", "flags": "q"}, "regex.flags"),
        ({"type": "guess", "query": "x"}, "type: "),
        ({"query": "x"}, "type: "),
        ({"type": "text"}, "text.query: "),
        ({"type": "text", "query": "x", "pattern": "x"}, "text.pattern: "),
    ],
)
def test_a_wrong_search_is_an_error_of_the_tool(
    sdk: Lessons, question: dict[str, str], text: str
) -> None:
    answer = sdk.call("db_search", **question)
    assert answer.is_error
    assert answer.text.startswith(text)


def test_a_pattern_without_end_is_stopped_and_others_go_on(sdk: Lessons) -> None:
    answer = sdk.call("db_search", type="regex", pattern="([A-Za-z ]+)+!")
    assert answer.is_error
    assert "was stopped" in answer.text
    assert sdk.call("calculate_sum", a=1, b=1).text == "2"


def test_a_report_wants_its_dates_in_order(sdk: Lessons) -> None:
    good = sdk.call("report_between", startDate="2026-01-30", endDate="2026-02-01")
    assert [line[:10] for line in good.text.split("\n")[1:]] == [
        "2026-01-30",
        "2026-01-31",
        "2026-02-01",
    ]
    long = sdk.call("report_between", startDate="0001-01-01", endDate="9999-12-31", limit=7)
    assert len(long.text.split("\n")) == 8
    for end in ("2026-01-30", "2026-01-29"):
        wrong = sdk.call("report_between", startDate="2026-01-30", endDate=end)
        assert wrong.is_error
        PROSE.holds("report: the wrong way round", wrong.text.partition(":")[0])
    wrong = sdk.call("report_between", startDate="2026-01-30", endDate="soon")
    assert wrong.is_error
    assert wrong.text.startswith("endDate ")


def test_the_screenshot_is_one_drawn_png(sdk: Lessons) -> None:
    (part,) = sdk.call("capture_screenshot", url="https://example.org/").content
    assert isinstance(part, ImageContent)
    assert part.mime_type == "image/png"
    with Image.open(io.BytesIO(base64.b64decode(part.data, validate=True))) as picture:
        assert (picture.format, picture.size) == ("PNG", (640, 400))
        colours = picture.convert("RGB").getcolors(maxcolors=100_000)
    assert colours
    assert len(colours) > 50


@pytest.mark.parametrize(
    ("path", "mime_type", "within"),
    [
        ("config/settings.json", "application/json", '"theme"'),
        ("config/logging.conf", "text/plain", "level"),
    ],
)
def test_a_config_file_is_an_embedded_resource(
    sdk: Lessons, path: str, mime_type: str, within: str
) -> None:
    answer = sdk.call("get_config_file", path=path)
    assert len(answer.content) == 1
    resource = embedded(answer, 0)
    assert (resource.uri, resource.mime_type) == (f"demo://files/{path}", mime_type)
    assert within in resource.text
    PROSE.holds(
        "file: not found in config", sdk.call("get_config_file", path="config/none.json").text
    )


def test_a_summary_comes_first_and_parts_that_fail_leave_the_rest(sdk: Lessons) -> None:
    analysis = sdk.call("analyze_pr", owner="acme", repo="anvil", pr=7)
    summary = sdk.call("github_repo_summary", owner="acme", repo="anvil")
    assert [len(analysis.content), len(summary.content)] == [2, 4]
    for answer in (analysis, summary):
        first = answer.content[0]
        assert isinstance(first, TextContent)
        assert first.text.startswith("acme/anvil")
        assert not answer.is_error
        assert embedded(answer, 1).mime_type == "text/x-diff"
        assert embedded(answer, 1).text.startswith("--- a/")
        assert "not available" in answer.text.lower()
    assert sdk.call("analyze_pr", owner="acme", repo="anvil", pr=0).is_error


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


def test_a_character_keeps_its_promise_and_its_sibling_breaks_it(sdk: Lessons) -> None:
    schema = sdk.tools()["generate_fantasy_character"]["outputSchema"]
    hero = sdk.call("generate_fantasy_character", theme="forest")
    kept = hero.result.structured_content
    assert kept is not None
    assert set(kept) == {"name", "species", "characterClass", "abilities"}
    assert json.loads(hero.text) == kept
    Draft202012Validator(schema).validate(kept)


def test_settings_are_set_and_the_reader_of_them_writes(sdk: Lessons) -> None:
    assert sdk.call("upsert_setting", key="theme", value="light").text.startswith("Setting theme")
    before = set(sdk.folder.rglob("*"))
    assert "theme = light" in sdk.call("read_settings").text.split("\n")
    written = set(sdk.folder.rglob("*")) - before
    assert [path.name for path in written] == ["read_settings-was-here.txt"]


def test_notes_are_added_to_and_never_replaced(sdk: Lessons) -> None:
    for _ in range(2):
        sdk.call("append_note", path="notes/ideas.md", text="- a lamp")
    lines = (sdk.folder / "notes/ideas.md").read_text().splitlines()
    assert lines[0] == "# Ideas"
    assert lines[-2:] == ["- a lamp"] * 2


def test_sending_and_deploying_are_simulated(sdk: Lessons) -> None:
    email = {"to": "ada@example.org", "subject": "Hello", "body": "Are you there?"}
    for _ in range(2):
        sent = sdk.call("send_email", **email).text
        PROSE.holds("email: simulated", re.sub("outbox/.*txt", "outbox/FILE", sent))
    assert len(list((sdk.folder / "outbox").iterdir())) == 2
    deploy = {"service": "shop", "version": "2.1.0"}
    assert "instead of 1.0.0" in sdk.call("deploy_release", **deploy).text
    assert "live already" in sdk.call("deploy_release", **deploy).text
