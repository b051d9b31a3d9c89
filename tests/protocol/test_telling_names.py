"""What a name says that a tool does: word by word, and no false alarm."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.findings.findings import Severity
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import ACTING, acting_word, read_tool
from tests.approved import approved

PROSE = approved("protocol")


SAYS = {
    "delete": (
        *("delete_file", "deleteFile", "delete-file", "Delete File", "DELETE_FILE", "fs.delete"),
        *("files/delete", "github_delete_branch", "HTTPDelete", "deleteDBItem", "delete2"),
        *("ｄｅｌｅｔｅ_file", "Deletes a file for good", "get_and_delete", "findAndDelete"),
        *("todo_list_delete", "delete_list", "delete_status"),
    ),
    "drop": ("drop_table", "dropTable"),
    "remove": ("remove_user",),
    "destroy": ("destroy", "search_and_destroy"),
    "purge": ("purge-queue",),
    "wipe": ("wipe_disk",),
    "revoke": ("revoke_token",),
    "send": ("send_email", "Send Email", "slackSendMessage"),
    "deploy": ("deploy", "deploy_release"),
    "truncate": ("truncate_table",),
    "": ("delete_get_request_log",),
}


@pytest.mark.parametrize(
    ("name", "word"), [(name, word) for word, names in SAYS.items() for name in names]
)
def test_what_a_name_says(name: str, word: str) -> None:
    assert acting_word(name) == word


@pytest.mark.parametrize(
    "name",
    [
        *("undeleted", "list_undeleted", "dropdown", "get_dropdown_options", "drop-down-options"),
        *("sender_info", "deleted_items", "list_deleted", "removed", "dropbox_list"),
        *("get_deploy_status", "deploy_status", "list_deploy_keys", "getDeployLogs", "deployments"),
        *("preview_delete", "can_delete", "delete_dry_run", "dry_run_deploy", "check_send_quota"),
        *("explain_drop", "get_send_history", "drag_and_drop", "dragAndDrop", "drop_rate"),
        *("remove_background", "Remove Background", "drop_na", "truncate_text", "publish_date"),
        *("octopus_deploy_get_project", "SendGridTemplates", "how_to_delete_a_branch"),
        *("read_settings", "calculate_sum", "", "_", "删除", "search", "ascend_users", "wiped"),
        "DropBoxFiles",
    ],
)
def test_what_says_nothing(name: str) -> None:
    assert acting_word(name) == ""


REAL = """\
    read_file read_text_file read_media_file read_multiple_files list_directory
    list_directory_with_sizes directory_tree search_files get_file_info list_allowed_directories
    read_graph search_nodes open_nodes git_status git_diff_unstaged git_diff_staged git_diff
    git_log git_show git_branch echo get-sum get-env get-tiny-image get-annotated-message
    get-resource-reference get-resource-links get-structured-content toggle-simulated-logging
    trigger-long-running-operation trigger-sampling-request trigger-elicitation-request
    simulate-research-query gzip-file-as-resource get_current_time convert_time fetch read_query
    list_tables describe_table browser_snapshot browser_take_screenshot browser_console_messages
    browser_network_requests browser_tabs get_issue list_issues search_issues list_commits
    get_commit get_file_contents list_branches search_code search_repositories
    get_pull_request_status list_code_scanning_alerts get_secret_scanning_alert get_job_logs
    list_workflow_runs get_notification_details list_discussions resolve-library-id
    get-library-docs query-docs microsoft_docs_search list_deployments get_deployment
    get_release_by_tag list_releases search_docs get_logs get_advisors list_migrations
    list_extensions get_project_url find_dropped_packets list_send_as_aliases
    get_drop_off_points search_removed_content
"""


def test_no_false_alarm_on_names_of_published_servers() -> None:
    assert {name: word for name in REAL.split() if (word := acting_word(name))} == {}


@given(st.text(max_size=80))
def test_any_text_can_be_asked(name: str) -> None:
    assert acting_word(name) in {"", *ACTING}


@given(st.sampled_from(sorted(ACTING)), st.sampled_from(["_", "-", " ", ".", "/"]))
def test_what_joins_the_words_makes_no_difference(word: str, joint: str) -> None:
    for name in (
        *(f"{word}{joint}thing", f"my{joint}{word}", f"{word.title()}Thing", f"my{word.title()}"),
    ):
        assert acting_word(name) == word, name


def test_a_part_of_a_word_says_nothing() -> None:
    for word in ACTING:
        assert acting_word(f"{word}ish_thing") == ""
        assert acting_word(f"x{word}_thing") in ("", word[1:])


def test_long_names_cost_nothing() -> None:
    assert acting_word("a" * 5_000_000 + "_delete") == ""


def tool(name: str, title: str = "", **hints: JsonValue) -> ToolDefinition:
    raw: dict[str, JsonValue] = {"name": name, "inputSchema": {"type": "object"}}
    return read_tool(0, {**raw, "annotations": {**hints, **({"title": title} if title else {})}})


NAME, TITLE = "name-contradicts-read-only", "$.annotations.title"


@pytest.mark.parametrize(
    ("one", "path", "key"),
    [
        (tool("delete_file", readOnlyHint=True), "$.name", "name: contradicts read-only"),
        (tool("mail", "Send Email", readOnlyHint=True), TITLE, "title: contradicts read-only"),
        (tool("send_email", "Send Email", readOnlyHint=True), "$.name", ""),
    ],
)
def test_a_name_or_a_title_that_is_no_reading_under_a_claim_to_read_is_said_once(
    one: ToolDefinition, path: str, key: str
) -> None:
    (found,) = one.findings
    assert (found.code, found.severity, found.path) == (NAME, Severity.WARNING, path)
    if key:
        PROSE.holds(key, found.message)


@pytest.mark.parametrize("claim", [False, "true", 1, None])
def test_without_the_claim_there_is_nothing_to_belie(claim: JsonValue) -> None:
    assert NAME not in {found.code for found in tool("delete_file", readOnlyHint=claim).findings}
    both = tool("delete_file", readOnlyHint=True, destructiveHint=True).findings
    assert {one.code for one in both} == {NAME, "contradictory-hints"}
