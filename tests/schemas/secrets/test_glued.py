"""A secret of a known form is found inside a word, such as the name of a rule of a host."""

from __future__ import annotations

import pytest

from signoff.app.schemas.secrets.masks import mask_text
from tests.tiers import first_quick

SECRETS = ["gh" + "p_" + "aB3" * 12, "sk-" + "proj-" + "aB3" * 10, "AK" + "IAIOSFODNN7" + "EXAMPLE"]
RULES = ["mcp__x__y_{}", "Bash(--key-{}*)", 'Bash(curl -H "Authorization: Bearer {}"*)', "-{}:*"]


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("rule", first_quick(RULES))
def test_it_is_masked_in_a_rule(rule: str, secret: str) -> None:
    masked = mask_text(rule.format(secret))
    assert secret not in str(masked)
    assert str(masked).startswith(rule.partition("{")[0][:4])


@pytest.mark.parametrize("text", ["risk-ask-sk-tests", "mcp__desk__sk-list", "task_gh-pages"])
def test_plain_words_stay(text: str) -> None:
    assert str(mask_text(text)) == text
