"""`signoff doctor --url` explains the sign-in of a server, whatever is wrong with it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from signoff.app.cli.commands.demo_serve import faults
from signoff.app.transport.sign_in import fetching
from tests.approved import approved
from tests.cli.running import Ended, run
from tests.servers.signing_in import signing_in
from tests.tiers import first_quick
from tests.transport.threaded import web_in_thread
from tests.transport.webbed import Asked, answer, greets

PROSE = approved("cli-sign-in")
ISSUER, RESOURCE = "sign-in-issuer-mismatch", "sign-in-no-resource-metadata"
SERVER = "sign-in-no-server-metadata"
ENDPOINT, UNREADABLE = "sign-in-endpoint-unsafe", "sign-in-unreadable"
CODES = {
    "issuer-mismatch": {ISSUER},
    "issuer-slash": {ISSUER},
    "issuer-case": {ISSUER},
    "no-pkce": {"sign-in-no-pkce"},
    "pkce-plain": {"sign-in-no-s256"},
    "no-metadata": {SERVER},
    "openid-only": set(),
    "no-resource-metadata": {RESOURCE, SERVER},
    "old-way": {RESOURCE, "sign-in-no-iss"},
    "resource-mismatch": {"sign-in-resource-mismatch"},
    "resource-parent": {"sign-in-resource-differs"},
    "resource-slash": {"sign-in-resource-differs"},
    "no-authorization-server": {"sign-in-no-authorization-server"},
    "dcr-missing": {"sign-in-no-registration"},
    "no-challenge": {"sign-in-no-challenge"},
    "two-challenges": {"sign-in-several-challenges"},
    "many-scopes": {"sign-in-many-scopes"},
    "points-inside": {"sign-in-not-requested"},
    "javascript-endpoint": {ENDPOINT},
    "file-endpoint": {ENDPOINT},
    "fragment-endpoint": {ENDPOINT},
    "not-json": {SERVER, UNREADABLE},
    "huge": {SERVER, UNREADABLE},
    "bomb": {SERVER, UNREADABLE},
    "slow": {SERVER, UNREADABLE},
    "redirect": {SERVER, UNREADABLE},
    "unavailable": {SERVER, UNREADABLE},
    "issuer-changes": set(),
}
"""By fault the findings; those that show only in a whole sign-in have none here."""
WARNED = {"dcr-missing", "no-challenge", "two-challenges", "many-scopes"}
WARNED |= {"resource-parent", "resource-slash"}


def doctor(folder: Path, url: str, *words: str) -> Ended:
    return run(folder, "doctor", "--url", url, *words, "--no-audit", "--no-memory")


@pytest.mark.parametrize("fault", first_quick(["", *CODES], 4))
def test_each_fault_of_the_metadata_is_found_with_a_status(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if fault == "slow":
        monkeypatch.setattr(fetching, "FETCH_SECONDS", 0.3)
    with signing_in(fault) as url:
        ended = doctor(tmp_path, url, "--sign-in-only", "--strict", "--json")
    found = {one["code"] for one in ended.report["findings"]}
    expected = CODES.get(fault, set())
    assert found - {"sign-in-no-scope"} == expected
    is_warned = fault in WARNED
    assert ended.status == (0 if not expected else 1 if is_warned else 4)
    assert ended.report["exit_status"] == ended.status
    checks = {one["code"]: one for one in ended.report["sign_in"]["checks"]}
    assert all(checks[code]["fixed_by"] for code in expected)


def test_every_fault_of_the_server_is_known_here() -> None:
    later = {
        *("iss-missing", "iss-wrong", "state-wrong", "access-denied", "always-401", "step-up"),
        *("expires-negative", "expires-text", "refresh-refused", "refresh-unavailable"),
        *("client-refused", "client-not-allowed", "scope-refused"),
    }
    later |= {one for one in faults() if one.startswith("token-")}
    assert set(faults()) == CODES.keys() | later


def test_the_page_shows_both_strings_the_clause_and_who_goes_on(tmp_path: Path) -> None:
    with signing_in("issuer-slash") as url:
        ended = doctor(tmp_path, url)
        port = url.split(":")[2].partition("/")[0]
        issuer = json.loads(doctor(tmp_path, url, "--json").stdout)["sign_in"][
            "authorization_server"
        ]
    assert ended.status == 4
    text = ended.stdout.replace(issuer, "ISSUER")
    PROSE.holds("doctor: an issuer with a slash more", text, PORT=port)


def test_a_sound_sign_in_passes_and_its_tools_stay_unexamined(tmp_path: Path) -> None:
    with signing_in() as url:
        ended = doctor(tmp_path, url, "--strict")
        assert ended.status == 5
        assert "not-examined" in ended.stdout
        alone = doctor(tmp_path, url, "--sign-in-only", "--strict")
    assert alone.status == 0
    assert "not-examined" not in alone.stdout
    assert "no problems found" in alone.stdout


def test_a_token_that_is_not_accepted_is_named_and_never_sent_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("Bearer hunter2-hunter2\n")
    with signing_in() as url:
        header = f"Authorization=@{tmp_path / 'token'}"
        ended = doctor(tmp_path, url, "--header", header)
    assert "the request had a token" in ended.stdout
    assert "hunter2" not in ended.stdout + ended.stderr


def test_junit_has_a_case_for_each_check_and_sarif_a_result_for_each_finding(
    tmp_path: Path,
) -> None:
    junit, sarif = tmp_path / "junit.xml", tmp_path / "doctor.sarif"
    with signing_in("no-pkce") as url:
        doctor(tmp_path, url, "--sign-in-only", "--junit", str(junit), "--sarif", str(sarif))
    cases = {one.get("name"): one.find("failure") for one in ET.parse(junit).iter("testcase")}
    assert cases["issuer"] is None
    failure = cases["pkce"]
    assert failure is not None
    assert failure.get("type") == "sign-in-no-pkce"
    (log,) = json.loads(sarif.read_text())["runs"]
    (result,) = log["results"]
    assert result["ruleId"] == "sign-in-no-pkce"
    assert result["level"] == "error"
    assert log["invocations"][0]["exitCode"] == 4


@pytest.mark.parametrize("command", ["tools", "lint", "call"])
def test_other_commands_name_the_first_problem_in_one_line(command: str, tmp_path: Path) -> None:
    tool = ("delete_file",) if command == "call" else ()
    with signing_in("no-pkce") as url:
        ended = run(tmp_path, command, *tool, "--url", url, "--no-audit", "--no-memory")
    assert ended.status == 5
    (line,) = ended.stderr.splitlines()
    PROSE.holds("a command on 401", line, URL=url, ORIGIN=url.removesuffix("/mcp"))


@pytest.mark.parametrize("shape", ["lines", "json", "junit", "sarif"])
def test_no_text_of_the_metadata_reaches_a_terminal_as_it_is(shape: str, tmp_path: Path) -> None:
    evil = "\x1b]0;x\x07\u202e\x9b31m\r\n\u200b[link](x)"

    def answers(asked: Asked) -> bytes:
        if asked.verb == "POST":
            # A header cannot have all of it.
            more = f'WWW-Authenticate: Bearer scope="\x9b31m", resource_metadata="x{chr(7)}"\r\n'
            return answer("401 Unauthorized", more=more)
        origin = f"http://{asked.headers['host']}"
        if "protected-resource" in asked.path:
            document = {"resource": f"{origin}/{evil}", "authorization_servers": [origin]}
        else:
            keys = ("issuer", "authorization_endpoint", "token_endpoint", evil)
            document = dict.fromkeys(keys, f"{origin}/{evil}")
            document |= {
                "code_challenge_methods_supported": [evil],
                "grant_types_supported": [evil],
            }
        return answer("200 OK", json.dumps(document).encode())

    option = {"lines": (), "json": ("--json",)}.get(shape, (f"--{shape}", "-"))
    with web_in_thread(answers) as url:
        ended = doctor(tmp_path, url, *option)
    assert ended.status == 4
    for bad in "\x1b\x07\u202e\x9b\r\u200b":
        assert bad not in ended.stdout + ended.stderr


def test_a_warning_is_printed_if_no_certificate_is_checked(tmp_path: Path) -> None:
    with signing_in() as url:
        ended = run(tmp_path, "tools", "--url", url, "--insecure", "--no-audit", "--no-memory")
    PROSE.holds("--insecure: the warning", ended.stderr.splitlines()[0])


@pytest.mark.parametrize("command", first_quick(["tools", "doctor", "sign-in"]))
def test_a_warning_is_printed_for_each_check_that_is_set_aside(
    tmp_path: Path, command: str
) -> None:
    with signing_in() as url:
        words = ("--lenient", "issuer", "--lenient", "pkce", "--insecure", "--no-memory")
        ended = run(tmp_path, command, "--url", url, *words, "--no-audit")
    PROSE.holds("--lenient: the warnings", "\n".join(ended.stderr.splitlines()[:3]))


def test_a_call_that_needs_more_rights_is_explained(tmp_path: Path) -> None:
    """A server that answers 401 to calls alone."""

    def answers(asked: Asked) -> bytes:
        if asked.method == "tools/call":
            more = 'WWW-Authenticate: Bearer error="insufficient_scope", scope="write"\r\n'
            return answer("403 Forbidden", b"{}", more=more)
        return greets(asked)

    with web_in_thread(answers) as url:
        words = ("call", "echo", "--url", url, "--approve", "always", "--no-audit", "--no-memory")
        ended = run(tmp_path, *words)
    assert "signoff doctor --url" in ended.stdout
    assert "sign-in:" in ended.stdout
