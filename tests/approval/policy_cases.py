"""Cases and policies for property tests of policies."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from signoff.app.approval.grants import Grant, identity_digest
from signoff.app.approval.policies.argument_rules import ArgumentCondition, Comparison
from signoff.app.approval.policies.patterns import Trial, Tried, carry_out
from signoff.app.approval.policies.policy import Policy
from signoff.app.approval.policies.rules import (
    ApprovedCondition,
    ClaimCondition,
    Condition,
    CountsCondition,
    DoubtCondition,
    FactCondition,
    FactOf,
    NameCondition,
    NameOf,
    Rule,
    Then,
)
from signoff.app.approval.policies.verdicts import Case
from signoff.app.protocol.definitions.lists import DefinitionStatus
from signoff.app.protocol.hints import HINT_KEYS, Claim, Effect
from signoff.app.protocol.server import Trust
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tool, read_tools

GRANT = Grant(
    7,
    identity_digest("demo server"),
    "demo",
    "demo server",
    "a",
    "digest",
    None,
    "this run",
    0.0,
    None,
)
HINTS = ("readOnly", "destructive", "idempotent", "openWorld")
NAMES = st.sampled_from(["delete_file", "read", "b", "*", "delete", "päth\n"])
CLAIMS = st.dictionaries(
    st.sampled_from(HINT_KEYS), st.sampled_from([True, False, "true", 1, None])
)
SCHEMAS = st.sampled_from([{"type": "object"}, {"type": "object"}, {"type": "string"}, 5])
VALUES = st.sampled_from([True, False, 1, 1.0, 0, -3, "", "a", "/tmp/a", None, [1], {"a": 1}])
ARGUMENTS = st.dictionaries(st.sampled_from(["path", "a", "b/c"]), VALUES, max_size=3)


def tool(name: str = "a_tool", schema: Any = None, **hints: Any) -> ToolDefinition:
    """A sound definition with the given claims."""
    annotations = {f"{key}Hint": value for key, value in hints.items()}
    entry: Any = {
        "name": name,
        "inputSchema": {"type": "object"} if schema is None else schema,
        "annotations": annotations,
    }
    return read_tool(0, entry)


def _tool(name: str, claims: dict[str, Any], schema: Any, twice: bool) -> ToolDefinition:
    entry = {"name": name, "inputSchema": schema, "annotations": claims}
    return read_tools([entry] * (2 if twice else 1))[0]


SOUND_TOOLS = st.dictionaries(st.sampled_from(HINTS), st.booleans()).map(
    lambda claims: tool("a_tool", None, **claims)
)
TOOLS = st.builds(_tool, NAMES, CLAIMS, SCHEMAS, st.booleans() | st.just(False))


def tried_here(*trials: Trial | None) -> dict[str, Tried]:
    """What comes of harmless trials, which need no worker."""
    return {trial.key: carry_out(trial) for trial in trials if trial is not None}


def cases(**fixed: Any) -> st.SearchStrategy[Case]:
    """Any case; `fixed` are values, or strategies, for some of its fields."""
    drawn: dict[str, st.SearchStrategy[Any]] = {
        "tool": TOOLS,
        "trust": st.sampled_from(Trust),
        "server": st.sampled_from(["demo", "other", ""]),
        "arguments": st.none() | ARGUMENTS,
        "argument_problems": st.sampled_from([(), (), ("it is wrong",)]),
        "seen": st.sampled_from(DefinitionStatus),
        "approved_before": st.booleans(),
        "grant": st.sampled_from([None, GRANT]),
        "denied_for_session": st.sampled_from([False, False, True]),
        "unlogged": st.sampled_from(["", "", "no space left on the device"]),
    }
    for name, value in fixed.items():
        drawn[name] = value if isinstance(value, st.SearchStrategy) else st.just(value)
    return st.builds(Case, **drawn)


def _some(values: Any) -> st.SearchStrategy[frozenset[Any]]:
    return st.frozensets(st.sampled_from(list(values)), min_size=1)


CONDITIONS: st.SearchStrategy[Condition] = st.one_of(
    st.builds(
        NameCondition,
        st.sampled_from(NameOf),
        st.lists(st.sampled_from(["d*", "demo", "read", "?", "[!a-c]*"]), min_size=1).map(tuple),
    ),
    st.builds(FactCondition, st.just(FactOf.EFFECT), _some(Effect)),
    st.builds(FactCondition, st.just(FactOf.WORLD), _some(["open", "closed"])),
    st.builds(FactCondition, st.just(FactOf.TRUST), _some(Trust)),
    st.builds(FactCondition, st.just(FactOf.DEFINITION), _some(DefinitionStatus)),
    st.builds(ApprovedCondition, st.booleans()),
    st.builds(DoubtCondition, st.booleans()),
    st.builds(ClaimCondition, st.sampled_from(HINTS), _some(Claim)),
    st.builds(CountsCondition, st.sampled_from(HINTS), st.booleans()),
)
TESTS = st.one_of(
    st.tuples(st.sampled_from([Comparison.IS, Comparison.IS_NOT]), VALUES),
    st.tuples(st.just(Comparison.ONE_OF), st.lists(VALUES, min_size=1)),
    st.tuples(
        st.sampled_from(
            [Comparison.LESS, Comparison.AT_MOST, Comparison.MORE, Comparison.AT_LEAST]
        ),
        st.sampled_from([0, 1, 2.5]),
    ),
    st.tuples(st.just(Comparison.GLOB), st.sampled_from(["/tmp/*", "a", "?"])),
    st.tuples(st.just(Comparison.MATCHES), st.sampled_from(["/tmp/.+", "a|b"])),
    st.tuples(st.just(Comparison.PRESENT), st.booleans()),
)
ARGUMENT_CONDITIONS = st.builds(
    lambda at, test: ArgumentCondition(at, *test),
    st.sampled_from(["/path", "/a", "/b~1c", "", "/a/0", "/a/a"]),
    TESTS,
)


@st.composite
def policies(draw: st.DrawFn, /, **fixed: Any) -> Policy:
    """Any own policy; `fixed` are fields of it."""
    drafts = draw(
        st.lists(
            st.tuples(
                st.sampled_from(
                    [Then.ALLOW, Then.ALLOW, Then.ASK, Then.ASK_WITH_WARNING, Then.REFUSE]
                ),
                st.lists(CONDITIONS, max_size=2),
                st.lists(ARGUMENT_CONDITIONS, max_size=1),
                st.booleans(),
            ),
            max_size=5,
        )
    )
    rules = [
        Rule(number, then, reviews_result=result, conditions=tuple(conditions), arguments=tuple(of))
        for number, (then, conditions, of, result) in enumerate(drafts, start=1)
    ]
    fields = {"honours_grants": draw(st.booleans()), "heeds_doubts": draw(st.booleans())}
    return Policy("own", tuple(rules), **(fields | fixed))
