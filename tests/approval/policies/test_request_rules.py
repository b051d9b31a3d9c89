"""Rules on what a server asks: how they are written, and what each mistake is told."""

from __future__ import annotations

import pytest

from signoff.app.approval.policies.policy import (
    Policy,
    explain_request,
    judge_request,
    refusal_words,
)
from signoff.app.approval.policies.policy_text import PolicyError, read_policy
from signoff.app.approval.policies.request_rules import RequestCase, case_of_request
from signoff.app.approval.policies.rule_text import REQUESTS
from signoff.app.approval.policies.verdicts import Case, VerdictAnswer
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.rpc import CALL_METHOD, PROMPT_METHOD, READ_METHOD
from signoff.app.protocol.server import Trust
from signoff.app.protocol.server_requests.elicitation import Elicitation, read_elicitation
from signoff.app.protocol.server_requests.sampling import read_sampling
from tests.approval.policy_cases import tool
from tests.approved import approved

PROSE = approved("policies")

HEAD = 'name = "mine"\nsummary = "A test."\n'


def policy(*rules: str) -> Policy:
    return read_policy(HEAD + "".join(f"[[rule]]\n{one}\n" for one in rules), "mine.toml")


def mistakes(*rules: str) -> tuple[str, ...]:
    with pytest.raises(PolicyError) as caught:
        policy(*rules)
    return caught.value.lines


def visit(url: str, trust: Trust = Trust.UNTRUSTED) -> RequestCase:
    return case_of_request(Elicitation("?", "url", url=url), "demo", trust)


@pytest.mark.parametrize(
    ("rule", "line", "key"),
    [
        ('on = "elicitation"\nthen = "allow"', 5, "on elicitation: allow"),
        ('on = "sampling"\nthen = "allow"', 5, "on sampling: allow"),
        (
            'on = ["elicitation", "roots"]\nthen = "allow"',
            5,
            "on elicitation or roots: allow",
        ),
        ('on = "roots"\nthen = "ask"', 5, "on roots: ask"),
        ('on = "elicitation"\nthen = "deny"', 5, "on elicitation: deny"),
        ('on = "sampling"\nthen = "ask with a warning"', 5, "on sampling: a warning"),
        ('on = "sampling"\nthen = "refsue"', 5, "on sampling: a misspelt word"),
        ('on = "sampling"\nthen = 3', 5, "on sampling: a number"),
        ('on = "sampling"', 3, "on sampling: no word"),
        ('on = "elicit"\nthen = "ask"', 4, "on: a misspelt method"),
        ('on = []\nthen = "ask"', 4, "on: an empty list"),
        ('on = ["call", "roots"]\nthen = "refuse"', 4, "on: call and roots"),
        ('on = "sampling"\nthen = "ask"\nmode = "url"', 6, "on sampling: mode"),
        ('on = "roots"\nthen = "refuse"\ntool = "x"', 6, "on roots: tool"),
        (
            'on = ["sampling", "elicitation"]\nthen = "refuse"\nmode = "url"',
            6,
            "on sampling or elicitation: mode",
        ),
        ('then = "ask"\nhost = "x"', 5, "on calls: host"),
        ('on = "read"\nthen = "ask"\ngives_tools = true', 6, "on read: gives_tools"),
        ('on = "elicitation"\nthen = "ask"\nmode = "page"', 6, "on elicitation: another mode"),
        (
            'on = "elicitation"\nthen = "ask"\nasks_for_secret = "yes"',
            6,
            "on elicitation: a flag",
        ),
        ('on = "elicitation"\nthen = "ask"\nhost = "a["', 6, "on elicitation: an open bracket"),
        ('on = "elicitation"\nthen = "ask"\nhots = "a"', 6, "on elicitation: a misspelt key"),
    ],
)
def test_each_mistake_is_named_with_its_line_and_what_to_write(
    rule: str, line: int, key: str
) -> None:
    [found] = mistakes(rule)
    assert found.startswith(f"mine.toml line {line}: ")
    PROSE.holds(key, found)


@pytest.mark.parametrize(
    ("first", "second", "is_reached"),
    [
        ('on = "elicitation"\nthen = "ask"', 'on = "elicitation"\nmode = "url"', False),
        ('on = ["elicitation", "sampling"]\nthen = "refuse"', 'on = "sampling"', False),
        ('on = "elicitation"\nthen = "ask"', 'on = ["elicitation", "sampling"]', True),
        ('then = "ask"', 'on = "sampling"', True),
        ('then = "ask"', 'on = "read"', False),
        ('on = "read"\nthen = "ask"', 'on = "read"', False),
        ('on = "read"\nthen = "ask"', 'on = "call"', True),
        ('on = "call"\nthen = "ask"', "", True),
        ('on = ["call", "read", "prompt"]\nthen = "ask"', "", False),
    ],
)
def test_a_rule_may_not_stand_where_it_is_never_reached(
    first: str, second: str, is_reached: bool
) -> None:
    rules = (first, f'{second}\nthen = "refuse"')
    if is_reached:
        assert policy(*rules)
    else:
        [found] = mistakes(*rules)
        PROSE.holds("request rule: never reached", found.partition(": ")[2])


def test_what_covers_it_may_be_two_rules() -> None:
    one, other = 'on = "call"\nthen = "ask"', 'on = ["read", "prompt"]\nthen = "ask"'
    [found] = mistakes(one, other, 'then = "refuse"')
    PROSE.holds("request rule: never reached after two", found)


@pytest.mark.parametrize(
    ("on", "methods"),
    [
        ('"call"', {CALL_METHOD}),
        ('"read"', {READ_METHOD}),
        ('["prompt", "read"]', {PROMPT_METHOD, READ_METHOD}),
    ],
)
def test_a_rule_on_what_is_asked_of_a_server_is_on_nothing_else(on: str, methods: set[str]) -> None:
    mine = policy(f'on = {on}\nthen = "allow"', 'then = "refuse"')
    for method in (CALL_METHOD, READ_METHOD, PROMPT_METHOD):
        verdict = mine.judge(Case(tool(readOnly=True), Trust.TRUSTED, method=method))
        assert (verdict.answer is VerdictAnswer.ALLOW) is (method in methods)


def test_without_on_a_rule_is_on_everything_that_is_asked_of_a_server_and_nothing_else() -> None:
    mine = policy('then = "refuse"')
    for method in (CALL_METHOD, READ_METHOD, PROMPT_METHOD):
        case = Case(tool(readOnly=True), Trust.TRUSTED, method=method)
        assert mine.judge(case).answer is VerdictAnswer.REFUSE
    for asks in REQUESTS:
        verdict = judge_request(mine, RequestCase(asks, Trust.TRUSTED))
        told = VerdictAnswer.ALLOW if asks == "roots" else VerdictAnswer.ASK
        assert verdict.answer is told
        assert verdict.rule == ""


@pytest.mark.parametrize(
    ("url", "then"),
    [
        ("https://login.example.com/a", "ask"),
        ("https://LOGIN.Example.COM./a", "ask"),
        ("https://example.com/a", "refuse"),
        ("https://login.example.com@evil.test/", "refuse"),
        ("https://evil.test/login.example.com", "refuse"),
        ("https://evil.test\\@login.example.com/", "refuse"),
        ("javascript:login.example.com", "refuse"),
        ("file:///login.example.com", "refuse"),
        ("no address", "refuse"),
        ("https://" + "a" * 200_000 + ".example.com/", "refuse"),
    ],
)
def test_the_host_of_a_page_is_that_to_which_a_browser_goes(url: str, then: str) -> None:
    mine = policy(
        'on = "elicitation"\nhost = "*.EXAMPLE.com"\nthen = "ask"',
        'on = "elicitation"\nmode = "url"\nthen = "refuse"',
    )
    assert judge_request(mine, visit(url)).answer.value == then


def test_a_host_that_cannot_be_judged_is_refused_by_a_rule_that_refuses_hosts() -> None:
    mine = policy('on = "elicitation"\nhost = "evil.test"\nthen = "refuse"')
    assert judge_request(mine, visit("no address")).answer is VerdictAnswer.REFUSE
    assert judge_request(mine, visit("https://fine.test/")).answer is VerdictAnswer.ASK


def test_what_a_form_asks_for_and_what_a_model_is_given() -> None:
    mine = policy(
        'on = "elicitation"\nasks_for_secret = true\nthen = "refuse"\nreason = "no secrets"',
        'on = "sampling"\ngives_tools = true\nthen = "refuse"',
    )

    def answer(fields: list[str]) -> str:
        properties: dict[str, JsonValue] = {one: {"type": "string"} for one in fields}
        schema: JsonValue = {"type": "object", "properties": properties}
        asked = read_elicitation({"message": "?", "requestedSchema": schema})
        return judge_request(mine, case_of_request(asked, "demo", Trust.TRUSTED)).answer.value

    assert [answer(["city"]), answer(["city", "api_key"])] == ["ask", "refuse"]
    given: list[tuple[list[JsonValue], str]] = [([], "ask"), ([{"name": "x"}], "refuse")]
    for tools, wanted in given:
        asked = read_sampling({"messages": [], "tools": tools})
        case = case_of_request(asked, "demo", Trust.TRUSTED)
        assert judge_request(mine, case).answer.value == wanted


def test_the_explanation_says_of_every_rule_why() -> None:
    mine = policy(
        'then = "ask"',
        'name = "roots"\non = "roots"\nthen = "refuse"',
        'on = "elicitation"\ntrust = "trusted"\nmode = "form"\nthen = "ask"',
        'name = "pages"\non = "elicitation"\nmode = "url"\nthen = "refuse"\nreason = "no pages"',
        'on = "elicitation"\nthen = "ask"',
    )
    explained = explain_request(mine, visit("https://a.test/"))
    assert [one.outcome.value for one in explained.outcomes] == [
        "passed over",
        "passed over",
        "fired",
        "not reached",
    ]
    why = [one.why for one in explained.outcomes[:2]]
    assert [len(one) for one in why] == [1, 2]
    PROSE.holds("explanation: passed over", "\n".join(line for one in why for line in one))
    PROSE.holds("refusal: by a rule", refusal_words(explained.verdict))
    # What a server asks is no call: those rules say nothing about it, and these nothing of calls.
    assert [rule.number for rule in mine.rules] == [1]
    assert [rule.number for rule in mine.request_rules] == [2, 3, 4, 5]
