"""What is said of offers and tasks is safe in every line, and the same on screen and terminal."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.cli.output.printing import Hiding
from signoff.app.cli.output.readable import ROLE_STYLES, Out
from signoff.app.content.text import visible
from signoff.app.content.texts.sheet_line import ROLES, SheetLine, labelled
from signoff.app.engine.task_list import KnownTask
from signoff.app.features.resources.tasks import task_json, task_lines
from signoff.app.features.resources.words import offer_json, offer_lines
from signoff.app.protocol.answers.task_states import read_task
from signoff.app.protocol.resources.offers import Offer, OfferKind, read_offers
from signoff.app.protocol.server import Server, Trust

DEMO = Server("demo", "demo", "demo", Trust.UNTRUSTED)
TEXT = st.text(max_size=30)
RESOURCE = st.fixed_dictionaries(
    {"uri": TEXT, "name": TEXT},
    optional={
        "title": TEXT,
        "description": TEXT,
        "mimeType": TEXT,
        "size": st.integers(),
        "annotations": st.fixed_dictionaries({"audience": st.lists(TEXT, max_size=2)}),
    },
)
TEMPLATE = st.fixed_dictionaries(
    {"uriTemplate": st.one_of(TEXT, st.just("x://{a}/{b}")), "name": TEXT},
    optional={"description": TEXT},
)
ARGUMENT = st.fixed_dictionaries(
    {"name": TEXT}, optional={"description": TEXT, "required": st.booleans(), "title": TEXT}
)
PROMPT = st.fixed_dictionaries(
    {"name": TEXT}, optional={"description": TEXT, "arguments": st.lists(ARGUMENT, max_size=3)}
)
ENTRIES = st.one_of(
    st.tuples(st.just(OfferKind.RESOURCE), RESOURCE),
    st.tuples(st.just(OfferKind.TEMPLATE), TEMPLATE),
    st.tuples(st.just(OfferKind.PROMPT), PROMPT),
)


def offer(kind: OfferKind, entry: dict[str, Any]) -> Offer:
    return read_offers(kind, [entry])[0]


def assert_safe(lines: Iterable[SheetLine]) -> None:
    for line in lines:
        for text in (line.label, *(text for text, _ in (*line.pieces, *line.aside))):
            assert visible(text, max_blanks=10_000) == text
        assert {role for _, role in line.pieces} <= {"", *ROLES}


@given(ENTRIES)
def test_an_offer_is_safe_in_lines_and_whole_in_json(
    made: tuple[OfferKind, dict[str, Any]],
) -> None:
    kind, entry = made
    one = offer(kind, entry)
    assert_safe(offer_lines(one))
    assert offer_json(one)["entry"] == entry


def test_a_long_description_is_cut_with_a_notice() -> None:
    one = offer(OfferKind.PROMPT, {"name": "p", "description": "word " * 200})
    *_, text, notice = offer_lines(one, text_max=50)
    assert text.gutter
    assert len(text.plain) <= 50
    assert notice.pieces[0][1] == "noticed"


@given(TEXT, st.sampled_from(["working", "completed", "lost"]), st.one_of(st.none(), TEXT))
def test_a_task_is_safe_in_lines(task_id: str, status: str, message: str | None) -> None:
    raw: dict[str, Any] = {"taskId": task_id, "status": status, "createdAt": "2026-11-26T00:00:00Z"}
    if message is not None:
        raw["statusMessage"] = message
    state = read_task(raw)
    if state is None:
        return
    assert_safe(task_lines(KnownTask(state), now=0.0))
    assert task_json(state, 0.0)["entry"] == raw


def test_a_sheet_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(ROLE_STYLES) == set(ROLES)
    Out(Hiding(False, DEMO)).sheet(
        [
            labelled("name", 8, ("one", "strong"), (" two", "")),
            labelled("", 8, ("▲ odd", "noticed"), aside=(("code", "dim"),)),
            SheetLine(),
            SheetLine((("theirs", ""),), gutter=True),
        ]
    )
    lines = ["  name    one two", "          ▲ odd  code", "", "  ┃ theirs"]
    assert capsys.readouterr().out.splitlines() == lines


def test_a_secret_of_the_server_is_masked_in_every_piece(
    capsys: pytest.CaptureFixture[str],
) -> None:
    hiding = Hiding(False, DEMO, env=(("TOKEN", "correct-horse-battery"),))
    pieces = [(f"a{number} correct-horse-battery", "") for number in range(3)]
    Out(hiding).sheet([SheetLine(tuple(itertools.chain(pieces)))])
    assert "horse" not in capsys.readouterr().out
