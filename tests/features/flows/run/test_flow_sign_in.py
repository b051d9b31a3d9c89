"""`sign_in` in flow files, against the demo's sign-in and its faults."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.features.flows.run.run_flow import StepFailed, server_under_test
from signoff.app.features.flows.run.signing_in import _scopes
from tests.approved import approved, untimed
from tests.cli.running import Ended, run
from tests.manual import page
from tests.tiers import first_quick
from tests.transport.webbed import signing_in_demo

PROSE = approved("flows")
CALL = "  - call: calculate_sum\n    with: {a: 1, b: 2}\n    person: approve\n"
EXAMPLES = re.findall(r"```yaml\n(flow:.*?)```", page("how-to/flow-sign-in"), flags=re.DOTALL)
ISSUER = re.compile(r"http://127\.0\.0\.1:\d+")


@pytest.fixture(scope="module")
def demo() -> Iterator[str]:
    with signing_in_demo() as url:
        yield url


@pytest.fixture(scope="module")
def step_up() -> Iterator[str]:
    with signing_in_demo("step-up") as url:
        yield url


def flow(folder: Path, url: str, sign_in: str, *steps: str) -> Ended:
    top = f"sign_in: {sign_in}\n" if sign_in else ""
    text = f"url: {url}\npolicy: cautious\n{top}steps:\n" + "".join(steps or (CALL,))
    (folder / "a.flow.yaml").write_text(text, encoding="utf-8")
    return run(folder, "test", "a.flow.yaml")


def told(ended: Ended) -> str:
    """Each step and check of the output, without the wire."""
    before = ended.stdout.partition("          the wire of this step")[0]
    return untimed(ISSUER.sub("PLACE", f"{before}\nstatus {ended.status}"))


def example(folder: Path, text: str, url: str) -> Ended:
    (folder / "a.flow.yaml").write_text(
        text.replace("http://127.0.0.1:8000/mcp", url), encoding="utf-8"
    )
    return run(folder, "test", "a.flow.yaml")


def test_the_flow_of_the_manual_asks_for_more_rights(tmp_path: Path, step_up: str) -> None:
    ended = example(tmp_path, EXAMPLES[0], step_up)
    PROSE.holds("sign-in: the manual", told(ended), FILE=tmp_path)
    assert ended.status == 0


@pytest.mark.slow
def test_the_flow_of_the_manual_refreshes(tmp_path: Path) -> None:
    with signing_in_demo("token-short") as url:
        ended = example(tmp_path, EXAMPLES[1], url)
    assert ended.status == 0, ended.stdout


NONE = CALL + "    sign_in: none\n"
EVERYTHING = "{answer: follow, scopes: [b, a], added: [], issuer: example.com, client: given}"
AS_IT_IS = "{answer: follow, scopes: {contains: demo:read, lacks: [demo:call]}, refreshed: 0}"
MORE_DENIED = "    sign_in: {answer: deny, added: [demo:call]}\n    expect: {outcome: not-taken}\n"
ASKED, NOT_ASKED = "1 sign-in: asked to sign in for", "one sign-in is asked"
SIGN_INS: dict[str, tuple[str, str, str, int, str]] = {
    "everything differs": ("demo", EVERYTHING, CALL, 1, "sign-in: everything differs"),
    "as it must be": ("demo", AS_IT_IS, NONE, 0, ""),
    "denied": ("demo", "{answer: deny, client: registered}", CALL, 0, "sign-in: denied"),
    "none": ("demo", "none", CALL, 1, ASKED),
    "none, in a table": ("demo", "{answer: none, refreshed: 0}", CALL, 1, ASKED),
    "followed, not asked": ("demo", "follow", CALL + "    sign_in: follow\n", 1, NOT_ASKED),
    "denied, not asked": ("demo", "follow", CALL + "    sign_in: deny\n", 1, NOT_ASKED),
    "more rights": ("step_up", "follow", CALL, 1, "sign-in: more rights, not expected"),
    "more rights, denied": ("step_up", "follow", CALL + MORE_DENIED, 0, ""),
    "no key": ("demo", "", CALL, 5, "no person can be asked here"),
    "followed": ("demo", "follow", NONE, 0, ""),
}


@pytest.mark.parametrize(
    ("server", "sign_in", "steps", "status", "words"),
    first_quick(SIGN_INS.values(), 2, several=True),
    ids=SIGN_INS,
)
def test_what_a_sign_in_must_be(
    tmp_path: Path,
    request: pytest.FixtureRequest,
    server: str,
    sign_in: str,
    steps: str,
    status: int,
    words: str,
) -> None:
    ended = flow(tmp_path, request.getfixturevalue(server), sign_in, steps)
    assert ended.status == status, ended.stdout
    if words.startswith("sign-in: "):
        PROSE.holds(words, told(ended), FILE=tmp_path)
    else:
        assert words in ended.stdout
    assert run(tmp_path, "tokens", "--json").report["sign_ins"] == []


@pytest.mark.parametrize("fault", first_quick(["state-wrong", "access-denied"]))
def test_a_sign_in_that_is_followed_and_fails(tmp_path: Path, fault: str) -> None:
    with signing_in_demo(fault) as url:
        ended = flow(tmp_path, url, "follow")
    assert ended.status == 1
    assert "signed in" in ended.stdout


def test_a_simulated_person_replaces_no_sign_in(tmp_path: Path, demo: str) -> None:
    flow(tmp_path, demo, "follow\ndecision_seconds: 1")
    ended = run(tmp_path, "test", "a.flow.yaml", "--person", "absent", "--json")
    assert ended.report["flows"][0]["steps"][0]["status"] == "passed"


MISTAKES = """\
url: http://127.0.0.1:9/mcp
sign_in: {scopes: 3, anwser: none}
steps:
  - call: a
    sign_in: {answer: none, scopes: [a]}
  - call: a
    sign_in: {answer: follow, scopes: {}}
  - each: {}
    sign_in: follow
  - wait: 3
    expect: {within: 3}
  - wait: 3 s
  - call: a
    sign_in: {answer: follow, issuer: '${none}'}
"""


def test_mistakes_have_their_line(tmp_path: Path) -> None:
    (tmp_path / "a.flow.yaml").write_text(MISTAKES, encoding="utf-8")
    text = "server: demo\nsign_in: none\nsteps:\n  - call: a\n    sign_in: follow\n"
    (tmp_path / "b.flow.yaml").write_text(text, encoding="utf-8")
    ended = run(tmp_path, "flow", "check", "a.flow.yaml", "b.flow.yaml")
    PROSE.holds("sign-in: mistakes", ended.stderr)
    assert ended.status == 2


SOME = st.lists(st.sampled_from(["a", "b", "c"]), max_size=4)


@given(SOME, SOME)
def test_scopes_are_compared_as_sets(wanted: list[str], found: list[str]) -> None:
    (exactly,) = _scopes(wanted, found)
    assert exactly.passed is (set(wanted) == set(found))
    assert all(one.passed for one in _scopes({"contains": wanted}, [*found, *wanted]))
    has_none = all(one.passed for one in _scopes({"lacks": wanted}, found))
    assert has_none is not bool(set(wanted) & set(found))
    (absent,) = _scopes(wanted, None)
    assert not absent.passed


@pytest.mark.slow
def test_a_fixture_says_what_a_sign_in_must_be(tmp_path: Path, step_up: str) -> None:
    with server_under_test(tmp_path, url=step_up, sign_in="follow") as server:
        given = {"a": 1, "b": 2}
        wanted = {"answer": "follow", "added": "demo:call"}
        server.call("calculate_sum", given, person="approve", sign_in=wanted)
        with pytest.raises(StepFailed, match="one sign-in is asked"):
            server.call("calculate_sum", given, person="approve", sign_in="follow")
    with (
        pytest.raises(StepFailed, match="demo:other"),
        server_under_test(
            tmp_path, url=step_up, sign_in={"answer": "follow", "scopes": "demo:other"}
        ),
    ):
        pass


CONVERSATION = """\
url: {url}
protocol: {era}
policy: cautious
person: approve
sign_in: follow
steps:
  - subscribe: clock://now
    sign_in: none
  - wait: resources/updated
  - call: ask_every_field
    answers: {{elicitation: decline}}
    sign_in: none
    expect: {{asked: {{kind: elicitation, answered: deny}}, outcome: ok}}
  - call: ask_two_questions
    answers: {{elicitation: {{content: {{name: Ada, drink: tea}}}}}}
    expect: {{content: Ada}}
  - call: open_page
    answers: {{elicitation: accept}}
    expect: {{asked: {{kind: elicitation, answered: approve}}, outcome: ok}}
  - call: add_prompt
    with: {{name: x}}
  - wait: prompts/list_changed
  - name: a task that is polled
    call: brew_beer
    sign_in: none
  - wait: resources/updated
"""


@pytest.mark.slow
@pytest.mark.parametrize("era", ["legacy", "'2026-07-28'"])
def test_a_conversation_goes_on_across_tokens_that_end(tmp_path: Path, era: str) -> None:
    with signing_in_demo("token-forgotten") as url:
        (tmp_path / "a.flow.yaml").write_text(CONVERSATION.format(url=url, era=era))
        ended = run(tmp_path, "test", "a.flow.yaml")
    assert ended.status == 0, ended.stdout
