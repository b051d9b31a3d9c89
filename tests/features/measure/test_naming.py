"""The names by which agents offer tools are found, and a name that is not found proves nothing."""

from __future__ import annotations

from collections.abc import Callable
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.features.measure.probes.probes import hint_probes
from signoff.app.features.measure.running.naming import by_form, by_template, by_words, template_of
from signoff.app.features.measure.scripted.dialects import ModelRequest, Offered
from signoff.app.features.measure.scripted.model import Planned, Script

PROBES = hint_probes()[:16]
DESCRIBED = {one.name: str(one.tool["description"]) for one in PROBES}


def script(*, template: str = "", knows: bool = False) -> Script:
    made = Script(
        "marker",
        lambda tool, server: ("", tool),
        descriptions=DESCRIBED,
        template=template,
        knows_names=knows,
    )
    made.planned = [Planned(one.id, one.name, dict(one.arguments)) for one in PROBES]
    return made


def called(made: Script, *offered: Offered) -> tuple[str, bool]:
    """The name of the first call, and whether its tool would be offered by it."""
    step = made.step(ModelRequest(offered, (), "marker", "m", is_streamed=False))
    assert isinstance(step, tuple)
    return step[0].name, made.attempts[0].is_name_known


WAYS: dict[str, Callable[[str], tuple[str, str]]] = {
    "server before": lambda tool: (f"mcp__probes__{tool}", ""),
    "digest behind": lambda tool: (f"mcp__probes__{tool}_{crc32(tool.encode()):x}"[:60], ""),
    "dashes": lambda tool: (f"probes-{tool.replace('_', '-')}", ""),
    "server behind": lambda tool: (f"{tool}@probes", ""),
    "digest alone": lambda tool: (f"t{crc32(tool.encode()):x}", DESCRIBED[tool]),
    "number, more words": lambda tool: (f"t{tool[-2:]}", f"[probes] {DESCRIBED[tool]} Ask first."),
    "number, cut words": lambda tool: (f"t{tool[-2:]}", f"{DESCRIBED[tool][:-2]}…"),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_tool_is_found_by_its_name_or_its_description(way: str) -> None:
    offered = [Offered(name, "", None, words) for name, words in map(WAYS[way], DESCRIBED)]
    wanted = WAYS[way](PROBES[0].name)[0]
    assert called(script(), Offered("own_tool"), *offered) == (wanted, True)


TOOL = PROBES[0].name
OFFERED: dict[str, tuple[list[Offered], str, bool]] = {
    "two may be meant": (
        [Offered(f"{one}-{TOOL}-{one}", "", None, DESCRIBED[TOOL]) for one in "ab"],
        *(TOOL, False),
    ),
    "hidden, by the form of others": (
        [Offered(f"mcp__probes__{one.name}") for one in PROBES[1:]],
        *(f"mcp__probes__{TOOL}", True),
    ),
    "a digest": ([Offered(f"{PROBES[1].name}_1a2b")], TOOL, False),
    "digests": (
        [Offered(f"{one.name}_{at}a") for at, one in enumerate(PROBES[1:])],
        *(TOOL, False),
    ),
    "the same end": (
        [Offered(f"{one.name}@probes") for one in PROBES[1:]],
        *(f"{TOOL}@probes", True),
    ),
    "nothing": ([Offered("search_tools")], TOOL, False),
}


@pytest.mark.parametrize(("offered", "name", "is_known"), OFFERED.values(), ids=OFFERED)
def test_a_name_that_is_not_offered_as_it_is(
    offered: list[Offered], name: str, is_known: bool
) -> None:
    assert called(script(), *offered) == (name, is_known)


def test_a_template_counts_before_a_likely_name() -> None:
    offered = (Offered(TOOL), Offered(f"[x]{TOOL}_1a"))
    assert called(script(template="[x]{tool}_*"), *offered) == (f"[x]{TOOL}_1a", True)
    # A word is not found within a longer one.
    assert by_words([("", "probe_h010"), ("", "xprobe_h01")], "probe_h01") is None


NAMES = st.text("abcdefgh_", min_size=1, max_size=12).filter(lambda one: one.strip("_") != "")


@given(st.dictionaries(NAMES, st.just(""), min_size=2, max_size=6), NAMES)
def test_a_form_that_was_seen_gives_the_names_again(tools: dict[str, str], before: str) -> None:
    names = {one: ("", f"{before.upper()}__{one}") for one in tools}
    form = template_of(names)
    assert form is not None
    assert all(by_form(form, one, "") == name for one, name in names.items())


@given(NAMES, st.text(max_size=8))
def test_a_template_means_one_name_literally(tool: str, before: str) -> None:
    plain = before.replace("{", "").replace("*", "")
    names = [("", f"{plain}{tool}"), ("", f"{plain}{tool}x")]
    assert by_template(names, f"{plain}{{tool}}", tool, "") == names[0]
