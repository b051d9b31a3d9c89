"""Reports are alike in every command: a file beside the normal output, or `-` in its place."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from signoff.app.cli.command_line import make_parser, read_options
from signoff.app.cli.options.earlier import current_words
from signoff.app.cli.output.report_files import OnlyReport
from tests.cli.running import Ended, run
from tests.features.through.test_through import through
from tests.servers import raw

NAMED = ("--no-memory", "--no-audit")
JUNIT = {
    "lint": ("--strict",),
    "decide": (),
    "doctor": (),
    "compat": (),
    "evidence": ("--approve", "always"),
}


def on(folder: Path, command: str, *words: str) -> Ended:
    server = raw("--only", "read_thing", "--only", "delete_thing")
    return run(folder, command, *JUNIT[command], *NAMED, *words, "--", *server)


def cases(page: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(page).iter("testcase"))


@pytest.mark.slow
@pytest.mark.parametrize("command", JUNIT)
def test_a_report_is_a_file_beside_the_output_or_printed_in_its_place(
    command: str, tmp_path: Path
) -> None:
    alone = on(tmp_path, command)
    beside = on(tmp_path, command, "--junit", "out.xml")
    page = (tmp_path / "out.xml").read_text(encoding="utf-8")
    assert beside.status == alone.status
    assert len(beside.stdout.splitlines()) == len(alone.stdout.splitlines())
    assert cases(page)
    printed = on(tmp_path, command, "--junit", "-")
    assert printed.status == alone.status
    assert [one.attrib for one in cases(printed.stdout)] == [one.attrib for one in cases(page)]
    ended = on(tmp_path, command, "--junit", "no/such/folder.xml")
    assert ended.status == 2
    assert "signoff: --junit: no/such/folder.xml cannot be written: " in ended.stderr


def test_a_file_without_a_server_has_all_its_reports(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text('{"tools": [{"name": "a"}]}', encoding="utf-8")
    words = ("lint", "tools.json", "--junit", "out.xml", "--sarif", "out.sarif", "--json")
    ended = run(tmp_path, *words)
    found = ended.report["findings"]
    assert len(cases((tmp_path / "out.xml").read_text())) == len(found) > 0
    log = json.loads((tmp_path / "out.sarif").read_text())
    assert len(log["runs"][0]["results"]) == len(found)


def test_what_a_gateway_loses_is_a_case_that_failed(tmp_path: Path) -> None:
    direct = raw("--only", "read_thing", "--only", "delete_thing")
    lost = through(tmp_path, "--junit", "-", direct=direct, switches=("--drop", "delete_thing"))
    failed = {one.get("name"): one for one in cases(lost.stdout) if one.find("failure") is not None}
    assert lost.status == 4
    assert "delete_thing" in failed
    whole = through(tmp_path, "--junit", "-", direct=direct)
    assert [len(one) for one in cases(whole.stdout)] == [1]
    assert "<failure" not in whole.stdout


def test_each_code_of_the_doctor_is_a_case(tmp_path: Path) -> None:
    server = raw("--malformed-tool")
    ended = run(tmp_path, "doctor", *NAMED, "--junit", "-", "--", *server)
    report = run(tmp_path, "doctor", *NAMED, "--json", "--", *server).report
    failing = {one["code"] for one in report["findings"] if one["severity"] == "error"}
    found = cases(ended.stdout)
    assert {one.get("name") for one in found} == {one["code"] for one in report["findings"]}
    assert {one.get("name") for one in found if one.find("failure") is not None} == failing
    assert failing


@pytest.mark.slow
def test_a_hint_that_is_contradicted_is_a_case_that_failed(tmp_path: Path) -> None:
    words = ("--approve", "always", "--tools", "read_settings", "--junit", "-")
    ended = run(tmp_path, "evidence", *NAMED, *words, "demo")
    [failed] = [one for one in cases(ended.stdout) if one.find("failure") is not None]
    assert failed.get("classname") == "signoff.evidence.read_settings"
    assert failed.get("name") == "readOnlyHint"


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["lint", "--junit"], ["lint", "--junit", "-"]),
        (["lint", "--sarif", "--strict"], ["lint", "--sarif", "-", "--strict"]),
        (["decide", "--junit", "demo"], ["decide", "--junit", "-", "demo"]),
        (["lint", "demo", "--sarif"], ["lint", "demo", "--sarif", "-"]),
        (["lint", "--junit", "-"], ["lint", "--junit", "-"]),
        (["lint", "--junit", "out.xml"], ["lint", "--junit", "out.xml"]),
        (["lint", "--junit=out.xml"], ["lint", "--junit=out.xml"]),
        (["test", "--junit"], ["test", "--junit"]),
    ],
    ids=" ".join,
)
def test_the_forms_without_a_file_mean_standard_output(given: list[str], meant: list[str]) -> None:
    words, notes = current_words(given, make_parser(given))
    assert words == meant
    assert len(notes) == (given != meant)


@pytest.mark.parametrize("words", [("--sarif",), ("--sarif", "--strict")], ids=" ".join)
def test_such_a_form_prints_one_note_and_the_report_alone(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "tools.json").write_text('{"tools": [{"name": "a"}]}', encoding="utf-8")
    ended = run(tmp_path, "lint", "tools.json", *words)
    assert json.loads(ended.stdout)["version"] == "2.1.0"
    assert ended.stderr == (
        "signoff: --sarif without a file prints on stdout; write --sarif - for that, or --sarif "
        "FILE (the next release needs one of them)\n"
    )


@pytest.mark.parametrize(
    "words",
    [
        ["lint", "demo", "--junit", "-", "--json"],
        ["lint", "demo", "--junit", "-", "--sarif", "-"],
        ["decide", "demo", "--html", "-", "--markdown"],
        ["test", "x.flow.yaml", "--junit", "-", "--json"],
        ["measure", "codex", "--html", "-", "--markdown"],
    ],
    ids=" ".join,
)
def test_two_reports_do_not_share_standard_output(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        read_options(words)
    assert ended.value.code == 2
    assert "print on standard output: write one report to a file" in capsys.readouterr().err


def test_one_report_on_standard_output_takes_the_place_of_the_lines() -> None:
    assert isinstance(read_options(["consent", "--junit", "-"], [sys.executable]), OnlyReport)
    assert not isinstance(read_options(["consent", "--junit", "a.xml"]), OnlyReport)
