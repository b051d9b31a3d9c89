"""Secrets that are known by their look: each row of the table finds and masks its own sample."""

from __future__ import annotations

import json
import re
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.schemas.secrets.looks import EDGE, LOOKS, Look
from signoff.app.schemas.secrets.masks import mask_text
from tests.schemas.masking import mask

MIXED = "aB3" * 20
TOKENS = [look for look in LOOKS if look.before == EDGE]
DRAWN = {
    look.name: st.from_regex(re.compile(look.pattern, re.ASCII), fullmatch=True) for look in TOKENS
}


def found_in(text: str, look: Look) -> tuple[str, str] | None:
    """What stands before the secret and the secret, where the row finds one."""
    found = re.search(f"(?P<kept>{look.before})(?P<secret>{look.pattern})", text, re.DOTALL)
    if found is None or not look.is_one(found["kept"], found["secret"]):
        return None
    return found["kept"], found["secret"]


def named(look: Look) -> str:
    return look.name


@pytest.mark.parametrize("look", LOOKS, ids=named)
def test_a_sample_is_found_by_its_own_row_and_masked(look: Look) -> None:
    found = found_in(look.sample, look)
    assert found is not None
    kept, secret = found
    before, _, after = look.sample.partition(kept + secret)
    assert mask_text(look.sample) == f"{before}{kept}[masked: {len(secret)} characters]{after}"


@pytest.mark.parametrize("look", LOOKS, ids=named)
def test_no_other_row_takes_a_sample_whole(look: Look) -> None:
    others = [one.name for one in LOOKS if found_in(look.sample, one) == ("", look.sample)]
    assert others in ([look.name], [])
    assert bool(others) is (look.before in (EDGE, ""))


def test_names_and_samples_are_each_one_rows() -> None:
    assert len({look.name for look in LOOKS}) == len({look.sample for look in LOOKS}) == len(LOOKS)


@pytest.mark.parametrize("look", TOKENS, ids=named)
def test_a_token_is_masked_wherever_it_stands(look: Look) -> None:
    sample = look.sample
    note = f"[masked: {len(sample)} characters]"
    assert mask_text(f"it is {sample}, no?") == f"it is {note}, no?"
    for value in ({"note": [sample]}, [f"({sample})"], {"a": {"b": f"x={sample}"}}, {sample: 1}):
        masked, count = mask(cast("JsonValue", value))
        assert count >= 1, value
        assert sample not in json.dumps(masked)


@given(st.data())
def test_whatever_a_row_describes_is_masked(data: st.DataObject) -> None:
    look = data.draw(st.sampled_from(TOKENS))
    secret = data.draw(DRAWN[look.name].filter(lambda text: look.is_one("", text)))
    assert secret not in mask_text(f"it is {secret}, no?")


@pytest.mark.parametrize("look", TOKENS, ids=named)
def test_the_beginning_alone_is_no_token(look: Look) -> None:
    """What is masked has to be long enough to be one; a prefix is how people speak of them."""
    text = f"tokens begin with {look.sample[:6]}"
    assert mask_text(text) == text


@pytest.mark.parametrize("kind", ["services", "workflows", "triggers"])
def test_the_path_of_a_webhook_is_its_secret(kind: str) -> None:
    text = f"https://hooks.slack.com/{kind}/" + "T00000000/B00000000/" + "X" * 24
    assert mask_text(text) == f"https://hooks.slack.com/{kind}/[masked: 44 characters]"
    text = "https://discord.com/api/webhooks/1234567890/" + MIXED
    assert (
        mask_text(text)
        == f"https://discord.com/api/webhooks/1234567890/[masked: {len(MIXED)} characters]"
    )
