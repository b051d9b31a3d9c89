"""Flow files are read whole or refused, and every mistake names its place."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from signoff.app.features.flows.flow import Flow
from signoff.app.features.flows.grammar import flow_schema
from signoff.app.features.flows.reading import read_flow
from signoff.app.features.flows.yaml_tree import LONGEST, FlowError, read_yaml
from tests.approved import approved

PROSE = approved("flows")

SMALL = """\
server: demo
policy: cautious
steps:
  - call: delete_file
    with: {path: notes/todo.txt}
    expect:
      verdict: ask
      sent: false
    person: deny
"""
LARGE = """\
flow: everything at once
command: [python, -m, my_server, 3]
env: {PORT: 80}
name: mine
trust: true
without: elicitation.url
host: vscode
person: {answer: approve, after: 0.5, remember: 7}
decision_seconds: 2
variables:
  folder: notes
  token: {env: TOKEN, default: none}
steps:
  - name: made
    call: create_record
    with: {name: "${folder}/x", size: 3}
    timeout: 3
    retries: 2
    expect:
      verdict: [ask, allow]
      dialog: {contains: [a, b], lacks: c}
      schema_errors: [/a, {at: /b, message: x}]
      no_findings: true
      content: {regex: "id ([0-9]+)"}
      structured: [{at: /id, least: 1}, {at: "", schema: {type: object}}]
      images: {mime: image/png, width: 3}
      progress: {reports: 2, increasing: true}
      asked: {kind: elicitation, message: x, answered: approve}
      within: 3
    answers: {elicitation: [accept, {content: {sure: true}}], sampling: hello}
    capture: {id: /structuredContent/id, number: {regex: "id ([0-9]+)"}}
  - read: demo://records/${id}
  - prompt: greet
    with: {who: "${number}"}
    person: {answer: edit, to: {who: me}, then: approve}
  - wait: tools/list_changed
  - each: {effect: destructive, except: delete_*}
    with: {tool: "${tool}"}
    expect: {verdict: ask}
"""


def read(text: str | bytes) -> Flow:
    return read_flow(text.encode() if isinstance(text, str) else text, "a.flow.yaml")


def lines(text: str | bytes) -> list[str]:
    with pytest.raises(FlowError) as refused:
        read(text)
    return [line.removeprefix("a.flow.yaml ") for line in refused.value.lines]


def step(*added: str) -> str:
    return "server: demo\nsteps:\n  - call: echo\n" + "".join(f"    {one}\n" for one in added)


def test_a_small_flow() -> None:
    flow = read(SMALL)
    assert flow.server.is_bundled
    assert flow.policy == "cautious"
    (one,) = flow.steps
    assert (one.action, one.target, one.arguments) == (
        "call",
        "delete_file",
        {"path": "notes/todo.txt"},
    )
    assert one.person is not None
    assert one.person.answer == "deny"
    assert [(each.name, each.value) for each in one.expected] == [
        ("verdict", ["ask"]),
        ("sent", False),
    ]
    assert one.expected[0].spot.line == 7


def test_a_large_flow() -> None:
    flow = read(LARGE)
    assert flow.server.command == ("python", "-m", "my_server", "3")
    assert flow.server.env == {"PORT": "80"}
    assert flow.person.remember == 7
    assert [one.action for one in flow.steps] == ["call", "read", "prompt", "wait", "each"]
    made = flow.steps[0]
    assert [reply.action for reply in made.replies["elicitation"]] == ["accept", "accept"]
    assert made.replies["sampling"][0].values == {"text": "hello"}
    assert [(one.name, one.pointer, one.regex) for one in made.captures] == [
        ("id", "/structuredContent/id", ""),
        ("number", None, "id ([0-9]+)"),
    ]
    edited = flow.steps[2].person
    assert edited is not None
    assert (edited.to, edited.then) == ({"who": "me"}, "approve")


def test_a_command_may_be_a_line() -> None:
    flow = read("command: python -m 'my server'\nsteps: [{call: a}]\n")
    assert flow.server.command == ("python", "-m", "my server")


MISTAKES = {
    "sever: demo\nsteps: [{call: a}]\n": "mistake: a key of a flow",
    "steps: [{call: a}]\n": "mistake: no server",
    "server: demo\nurl: http://a\nsteps: [{call: a}]\n": "mistake: server and url",
    "command: a\nheaders: {X: y}\nsteps: [{call: a}]\n": "mistake: headers of a command",
    "url: http://a\nfolder: b\nsteps: [{call: a}]\n": "mistake: the folder of a url",
    "server: demo\n": "mistake: no steps",
    "server: demo\nsteps: []\n": "mistake: an empty list of steps",
    "server: demo\npolicy: a\nhost: b\nsteps: [{call: a}]\n": "mistake: policy and host",
    "server: demo\nsteps:\n  - name: x\n": "mistake: a step without action",
    step("read: a"): "mistake: a step with two actions",
    step("expect: {verdict: aks}"): "mistake: another verdict",
    step("expect: {sent: no}"): "mistake: a word for a flag",
    step("expect: {findings: schema-mismach}"): "mistake: another finding",
    step('expect: {content: {regex: "(a"}}'): "mistake: a broken regex",
    step("expect: {structured: {at: $.a.b, equals: 1}}"): "mistake: a path for a pointer",
    step("expect: {structured: {at: /a}}"): "mistake: an empty matcher",
    step("person: aprove"): "mistake: another person",
    step("person: {answer: edit}"): "mistake: edit without arguments",
    step("person: {answer: deny, remember: session}"): "mistake: deny and remember",
    step("person: {answer: approve, remember: 8}"): "mistake: remember for 8 days",
    step('with: {a: "${b}"}'): "mistake: an unknown variable",
    step("capture: {id: structured}"): "mistake: a word for a pointer",
    step("capture: {9: /a}"): "mistake: a number as variable",
    step("timeout: soon"): "mistake: a word as timeout",
    "server: demo\nsteps:\n  - read: a\n    with: {a: 1}\n": "mistake: a read with arguments",
    "server: demo\nsteps:\n\t- call: a\n": "mistake: a tab",
    "server: demo\nflow: a: b\n": "mistake: a colon in a text",
    "server: demo\nserver: demo\n": "mistake: a key given twice",
    "flow: !!python/object/apply:os.system [a]\n": "mistake: a tag",
    'command: "a \'b"\nsteps: [{call: a}]\n': "mistake: an open quotation mark",
    "": "mistake: an empty file",
    "- a\n": "mistake: a list",
    "--- a\n--- b\n": "mistake: two documents",
}


MISTAKES_OF_SHAPE = (
    "sever: demo\nsteps: [{call: a}]\n",
    "steps: [{call: a}]\n",
    "server: demo\nurl: http://a\nsteps: [{call: a}]\n",
    "server: demo\n",
    "server: demo\nsteps: []\n",
    "server: demo\nsteps: [{name: x}]\n",
    step("read: a"),
    step("expect: {verdict: aks}"),
    step("expect: {sent: no}"),
    step("expect: {findings: schema-mismach}"),
    step("expect: {structured: {ad: /a}}"),
    step("person: aprove"),
    step("timeout: soon"),
)
"""Those that an editor tells, too."""


@pytest.mark.parametrize("text", MISTAKES, ids=range(len(MISTAKES)))
def test_a_mistake_says_where_and_what(text: str) -> None:
    told = re.sub(r"one of \d+ words", "one of COUNT words", "\n".join(lines(text)))
    PROSE.holds(MISTAKES[text], told)


def test_all_mistakes_are_told_at_once_in_their_order() -> None:
    found = lines(step("person: aprove", "expect: {verdict: aks, sent: 1}", "tiemout: 3"))
    assert [line.partition(":")[0] for line in found] == [
        "line 4, column 13",
        "line 5, column 23",
        "line 5, column 34",
        "line 6, column 5",
    ]


def test_a_variable_that_is_captured_later_is_not_known_yet() -> None:
    text = "server: demo\nsteps:\n  - read: a/${id}\n  - call: b\n    capture: {id: /id}\n"
    PROSE.holds("reading: captured later", lines(text)[0])
    assert lines(text.replace("id}", "ib}").replace("{id:", "{ib:"))
    swapped = "server: demo\nsteps:\n  - call: b\n    capture: {id: /id}\n  - read: a/${idd}\n"
    [line] = lines(swapped)
    PROSE.holds("reading: a misspelt variable", line)


@pytest.mark.slow
def test_aliases_that_unfold_to_too_much_are_refused_soon() -> None:
    bomb = b"x0: &x0 [" + b"1," * 9 + b"1]\n"
    for level in range(1, 12):
        bomb += b"x%d: &x%d [%s]\n" % (level, level, b",".join([b"*x%d" % (level - 1)] * 10))
    began = time.monotonic()
    PROSE.holds("reading: too many values", lines(bomb)[0])
    assert time.monotonic() - began < 30
    PROSE.holds("reading: too deep", lines(b"a: &a [*a]\n")[0])


def test_a_file_that_is_too_large_or_no_text() -> None:
    PROSE.holds("reading: too large", lines(b"#" * (LONGEST + 1))[0])
    [line] = lines(b"a: 1\nb: \xff\n")
    PROSE.holds("reading: not UTF-8", line)


def test_words_of_old_yaml_are_texts() -> None:
    tree = read_yaml(b"[yes, 2026-01-01, 1:30, 0x10, 1e3, ~, '1', .5, 0b1, null]\n", "x")
    assert tree.plain() == ["yes", "2026-01-01", "1:30", 16, 1000.0, None, "1", 0.5, "0b1", None]


def test_the_published_schema_takes_what_the_reader_takes() -> None:
    schema = flow_schema()
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for text in (SMALL, LARGE):
        assert [one.message for one in validator.iter_errors(plain(text))] == []
    for text in MISTAKES_OF_SHAPE:
        assert lines(text)
        assert list(validator.iter_errors(plain(text))), text


def plain(text: str) -> Any:
    return read_yaml(text.encode(), "x").plain()
