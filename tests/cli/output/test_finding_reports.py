"""Every command with findings in each format: well-formed, and no string of a server acts in it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from signoff.app.cli.output.result_reports import page_of_results, suites_of
from signoff.app.cli.output.results import Check, FlowResult, Status, StepResult, WireLine
from signoff.app.content.files.tree import SourceLocation
from signoff.app.content.html import anchor
from signoff.app.presentation.report_pages import page_html, page_markdown
from tests.cli.running import ROOT, run
from tests.servers.hostile_server import HOSTILE
from tests.tiers import first_quick

SERVER = str(ROOT / "tests" / "servers" / "hostile_server.py")
HOST = str(ROOT / "tests" / "servers" / "hostile_host.py")
START = ("--", sys.executable, SERVER)
LONG = ("--", sys.executable, SERVER, "result", "100000")
COMMANDS = {
    "lint": START,
    "doctor": START,
    "compat": ("--approve", "always", "--tools", "*", *START),
    "decide": START,
    "evidence": ("--approve", "always", "--tools", "plain", *START),
    "consent": ("--approve", "always", "--tools", "plain", "--protocol", "legacy", *START, "asks"),
    "through": (*START, ":::", sys.executable, SERVER, "error"),
}
LINKED = re.compile(r"@(?=\w)|#\d|://evil|www\.evil", re.IGNORECASE)
"""A mention, a reference or a link."""
ACTIVE = re.compile(rf"{LINKED.pattern}|<script|!\[x\]\(", re.IGNORECASE)
"""The same in Markdown, and a script or a picture."""


class Page(HTMLParser):
    """The tags and addresses of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src")]


def texts(value: Any) -> Iterator[str]:
    """The texts of all messages and names of SARIF."""
    if isinstance(value, dict):
        for name, one in value.items():
            if name == "text":
                yield one
            yield from texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from texts(one)


def written(folder: Path, command: str, *words: str) -> dict[str, str]:
    """Each report of a command."""
    kinds = ("junit", "sarif", "html")
    files = {kind: folder / f"report.{kind}" for kind in kinds}
    options = [word for kind in kinds for word in (f"--{kind}", str(files[kind]))]
    ended = run(folder, command, "--markdown", *options, *words)
    assert "signoff has a fault" not in ended.stderr, ended.stderr
    found = {kind: file.read_text(encoding="utf-8") for kind, file in files.items()}
    return {"markdown": ended.stdout, **found}


def acting(reports: dict[str, str]) -> list[str]:
    """What acts in any of the reports."""
    page = Page(reports["html"])
    found = [f"html {one}" for one in page.tags & {"script", "img", "iframe", "form", "a"}]
    found += [f"html {one}" for one in page.addresses]
    root = ElementTree.fromstring(reports["junit"].encode())
    shown = [one.get(name, "") for one in root.iter() for name in ("name", "message")]
    log = json.loads(reports["sarif"])
    for kind, lines, acts in (
        ("markdown", [re.sub(r"&#\d+;", "", reports["markdown"])], ACTIVE),
        ("junit", shown, LINKED),
        ("sarif", list(texts(log)), LINKED),
    ):
        hits = (one for line in lines for one in acts.finditer(line))
        found += [f"{kind} {one.string[max(one.start() - 60, 0) : one.end() + 20]}" for one in hits]
    assert log["runs"]
    return found


@pytest.mark.parametrize("command", first_quick([*COMMANDS]))
def test_no_string_of_a_server_acts_in_a_report(tmp_path: Path, command: str) -> None:
    reports = written(tmp_path, command, *COMMANDS[command])
    assert reports["markdown"].startswith("#")
    assert not acting(reports)
    for kind, text in reports.items():
        assert not [char for char in text if not char.isprintable() and char not in "\n\t"], kind


@pytest.mark.slow
@pytest.mark.parametrize("command", ["lint", "doctor", "compat", "decide"])
def test_long_names_keep_reports_well_formed(tmp_path: Path, command: str) -> None:
    assert not acting(written(tmp_path, command, *LONG))


@pytest.mark.slow
def test_a_measurement_has_every_format(tmp_path: Path) -> None:
    words = ("--only", "hints/none", "--run-limit", "15", "--", sys.executable, HOST, "runs")
    assert not acting(written(tmp_path, "measure", *words, HOSTILE.replace("\ud800", "")))


def test_markdown_and_json_exclude_one_another(tmp_path: Path) -> None:
    ended = run(tmp_path, "doctor", "--markdown", "--json", "demo")
    assert ended.status == 2
    assert "not allowed with" in ended.stderr


FLOW = FlowResult(
    file="f",
    title="a <b>",
    server="s @someone",
    rules="r",
    steps=(
        StepResult("asks", SourceLocation(), Status.PASSED, facts=("asked",)),
        StepResult(
            "accepts",
            SourceLocation(),
            Status.FAILED,
            checks=(
                Check("wire", "0 frames", "0 frames", passed=True),
                Check("effect", "nothing", "a file", passed=False),
            ),
            wire=(WireLine("answer", "{}"),),
            id="the id",
        ),
    ),
    unreachable="it exited",
    findings=("a finding",),
)


def test_a_failed_step_of_a_flow_is_in_columns_for_junit() -> None:
    accepts = suites_of([FLOW])[0].cases[-1]
    assert "nothing   " in accepts.words


def test_the_page_of_flows_in_markdown_has_what_failed_first() -> None:
    text = page_markdown(page_of_results([FLOW], "Flows", ("a total",)))
    assert text.splitlines()[:6] == [
        "# Flows: failed",
        "",
        "a total",
        "",
        "Secrets are masked.",
        "",
    ]
    assert [line for line in text.splitlines() if line.startswith(("-", "  -"))] == [
        "- FAILED **the server is reached**: not reached",
        "  - it exited",
        "- FAILED **accepts**: 0.0 s",
        "  - effect: expected nothing; seen a file",
        "  - The wire of this step",
        "  - answer",
        "  - &#123;&#125;",
        "- passed **asks**: asked - 0.0 s",
        "- a finding",
    ]
    assert "@" not in text


def test_the_page_of_flows_in_html_has_every_comparison() -> None:
    text = page_html(page_of_results([FLOW], "Flows", ("a total",)))
    assert text.count("<details open") == 2
    assert f'id="{anchor("the id")}"' in text
    for words in ("a &lt;b&gt;", "0 frames", "a file", "answer\n  {}", "it exited", "a finding"):
        assert words in text
