"""The dialog about reading a resource: the whole URI, and nothing wide is remembered."""

from __future__ import annotations

from dataclasses import replace

import pytest

from signoff.app.approval.approval import DecisionAnswer
from signoff.app.approval.policies.policy_text import built_in
from signoff.app.approval.policies.verdicts import (
    NOTHING_SAID,
    NOTHING_SAID_OF_PROMPTS,
    Case,
    Verdict,
    VerdictAnswer,
    about_reading,
)
from signoff.app.approval.questions.questions import AboutRead
from signoff.app.approval.snapshot import take_snapshot
from signoff.app.cli.approving.question_text import offered, question_lines, remember_lines
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.requests import SILENT, PromptGet
from signoff.app.protocol.server import Trust
from tests.approved import approved
from tests.questions import of_read
from tests.tiers import first_quick
from tests.tui.stage import ask, stage

PROSE = approved("tui-approval")
URI = "https://bank.example@xn--pple-43d.com/\u202e" + "folder/" * 60 + "end"
SHOWN = URI.replace("\u202e", "<U+202E>")


def ask_to_read(uri: str, *, can_remember: bool = True) -> AboutRead:
    return of_read(
        ask(),
        uri,
        verdict=Verdict(VerdictAnswer.ASK, (NOTHING_SAID,), strong=True),
        can_remember=can_remember,
    )


async def test_the_whole_uri_is_there_and_its_host_apart() -> None:
    async with stage(ask_to_read(URI), size=(80, 60)) as at:
        rows = [row.strip("┃ ") for row in at.text.split("\n")]
        joined = "".join(row.partition("┃ ")[2].strip("┃ ") or row for row in rows)
        assert SHOWN in joined.replace("┃", "").replace(" ", "")
        assert any(row.endswith("┃ xn--pple-43d.com") for row in rows)
        assert "Punycode" in at.text
        assert "Edit" not in at.text
        assert "hints" not in at.text


async def test_approving_waits_until_the_end_of_the_uri_was_seen() -> None:
    async with stage(ask_to_read(URI), size=(60, 18)) as at:
        await at.press("ctrl+y", "ctrl+y")
        await at.rest()
        assert at.answers == []
        await at.press("end")
        await at.until(lambda: at.dialog.can_approve)
        await at.press("ctrl+y", "ctrl+y")
        await at.rest()
        assert at.answers == [DecisionAnswer.APPROVE]


async def test_two_things_can_be_remembered() -> None:
    question = ask_to_read("demo://a")
    async with stage(question) as at:
        assert "once" in at.text
        assert "these arguments" in at.text
        assert "this tool" not in at.text
        PROSE.holds("read: title", at.title)
        PROSE.holds("read: sheet", at.sheet, ARGUMENTS=question.snapshot.arguments_digest[:8])


def test_the_plain_question_says_the_same() -> None:
    question = ask_to_read(URI)
    text = "\n".join(question_lines(question))
    digest = question.snapshot.arguments_digest[:8]
    PROSE.holds("read: plain", text, URI=SHOWN, ARGUMENTS=digest)
    assert f'"uri": "{SHOWN}"' in text
    assert "\u202e" not in text
    assert list(offered(question)) == ["approve", "approve arguments"]
    remembered = "\n".join(remember_lines(question, now=0, folder="~/state"))
    PROSE.holds("read: plain, remembered", remembered, ARGUMENTS=digest)


ODD = (
    "http://user:pw@xn--80ak6aa92e.com:8443/a%2f..%2fb?x=1#frag",
    "file://\u202egpj.exe/..//../etc/passwd",
    "https://bank.example@xn--pple-43d.com/\u202ea",
)


@pytest.mark.parametrize("uri", ODD)
@pytest.mark.parametrize("trust", first_quick(list(Trust)))
async def test_an_odd_uri_and_all_about_it_fit_into_80x24(uri: str, trust: Trust) -> None:
    """However odd it is: nothing is left to scroll to, so nobody has to find out that there is."""
    question = ask_to_read(uri)
    judged = built_in("cautious").judge(Case(SILENT, trust, "demo", {"uri": uri}))
    question = replace(question, trust=trust, verdict=about_reading(judged))
    async with stage(question, size=(80, 24)) as at:
        assert "more line" not in at.text
        assert at.dialog.can_approve
        assert "does not open" in at.text
        assert "hints are shown" not in at.text


def ask_for_prompt(name: str) -> AboutRead:
    """A question about a prompt, in the place of a read."""
    read = ask_to_read("demo://a")
    arguments: dict[str, JsonValue] = {"name": name, "arguments": {"city": "Bern\u202e"}}
    request = PromptGet(name)
    verdict = Verdict(VerdictAnswer.ASK, (NOTHING_SAID_OF_PROMPTS,), strong=True)
    snapshot = take_snapshot(read.snapshot.server_identity, request, arguments)
    return replace(read, request=request, snapshot=snapshot, verdict=verdict)


async def test_a_prompt_is_asked_about_with_its_name_and_all_arguments() -> None:
    question = ask_for_prompt('say "hi"\u202e')
    async with stage(question, size=(100, 50)) as at:
        PROSE.holds("prompt: title", at.title)
        PROSE.holds("prompt: sheet", at.sheet, ARGUMENTS=question.snapshot.arguments_digest[:8])
        assert "read" not in at.text.replace("already", "").replace("spread", "")
        await at.press("ctrl+y", "ctrl+y")
        await at.rest()
        assert at.answers == [DecisionAnswer.APPROVE]


def test_the_plain_question_about_a_prompt_says_the_same() -> None:
    question = ask_for_prompt("greet")
    text = "\n".join(question_lines(question))
    digest = question.snapshot.arguments_digest[:8]
    PROSE.holds("prompt: plain", text, ARGUMENTS=digest)
    remembered = "\n".join(remember_lines(question, now=0, folder="/state"))
    PROSE.holds("prompt: plain, remembered", remembered, ARGUMENTS=digest)
