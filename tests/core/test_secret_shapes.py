"""Tokens of known services. Samples are put together here, so that no scanner takes them for one.

Every kind has a sample: a kind that is added without one fails.
"""

from __future__ import annotations

import json
from typing import cast

import pytest

from signoff.app.core.jsonio import JsonValue
from signoff.app.core.secret_shapes import TOKENS
from signoff.app.core.secrets import mask, mask_text

_MIXED = "aB3" * 20
_HEX = "0a1b" * 16
SAMPLES: dict[str, list[str]] = {
    "JWT": ["ey" + "JhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxIn0." + "c2lnbmF0dXJl-_"],
    "GitHub": [f"gh{kind}" + "_" + _MIXED[:36] for kind in "pousr"],
    "GitHub, fine-grained": ["github" + "_pat_" + "11AAAA_bbbb" * 4],
    "AWS": [kind + "IOSFODNN7" + "EXAMPLE" for kind in ("AK" + "IA", "AS" + "IA")],
    "Slack": [f"xox{kind}" + "-1234567890-abcDEF" for kind in "abpors"],
    "Slack app": ["xapp" + "-1-A1234567890-abcdef"],
    "Google API": ["AI" + "za" + "SyA1234567890abcdefghijklmnopqrstuv"],
    "Google OAuth": ["ya" + "29." + _MIXED[:30]],
    "Google client": ["GOC" + "SPX-" + _MIXED[:28]],
    "GitLab": [f"gl{kind}" + "-" + _MIXED[:20] for kind in ("pat", "ptt", "dt", "rt", "cbt")],
    "npm": ["npm" + "_" + _MIXED[:36]],
    "PyPI": ["py" + "pi-" + _MIXED[:54]],
    "Hugging Face": ["hf" + "_" + _MIXED[:34]],
    "Stripe": [f"{kind}k_{mode}_" + _MIXED[:24] for kind in "srp" for mode in ("live", "test")],
    "webhook": ["wh" + "sec_" + _MIXED[:32]],
    "SendGrid": ["S" + "G." + _MIXED[:22] + "." + _MIXED[:43]],
    "age": ["AGE-" + "SECRET-KEY-" + "1" + "QPZRY9X8" * 7],
    "Groq": ["gs" + "k_" + _MIXED[:52]],
    "xAI": ["xa" + "i-" + _MIXED[:60]],
    "Perplexity": ["pp" + "lx-" + _MIXED[:48]],
    "Replicate": ["r" + "8_" + _MIXED[:37]],
    "DigitalOcean": [f"do{kind}" + "_v1_" + _HEX for kind in "opr"],
    "Docker": ["dckr" + "_pat_" + _MIXED[:27]],
    "Shopify": [f"shp{kind}" + "_" + _HEX[:32] for kind in ("at", "ca", "pa", "ss")],
    "Square": ["sq" + "0atp-" + _MIXED[:22]],
    "Notion": ["nt" + "n_" + _MIXED[:46], "sec" + "ret_" + _MIXED[:43]],
    "Linear": [f"lin_{kind}" + "_" + _MIXED[:40] for kind in ("api", "oauth")],
    "Figma": ["fi" + "gd_" + _MIXED[:40]],
    "Grafana": ["gl" + "sa_" + _MIXED[:41], "gl" + "c_" + _MIXED[:40]],
    "Vault": [f"hv{kind}" + "." + _MIXED[:24] for kind in "sbr"],
    "Tailscale": ["ts" + "key-auth-" + _MIXED[:30]],
    "Atlassian": ["ATA" + "TT3" + _MIXED[:50]],
    "Postman": ["PM" + "AK-" + _HEX[:24] + "-" + _HEX[:34]],
    "Telegram": ["123456789" + ":AA" + _MIXED[:33]],
}
ALL = [(kind, sample) for kind, samples in SAMPLES.items() for sample in samples]


def test_every_kind_of_token_has_a_sample() -> None:
    assert set(SAMPLES) == set(TOKENS)


@pytest.mark.parametrize(("kind", "sample"), ALL)
def test_a_token_is_masked_wherever_it_stands(kind: str, sample: str) -> None:
    note = f"[masked: {len(sample)} characters]"
    assert mask_text(sample) == note
    assert mask_text(f"it is {sample}, no?") == f"it is {note}, no?"
    for value in ({"note": [sample]}, [f"({sample})"], {"a": {"b": f"x={sample}"}}, {sample: 1}):
        masked, count = mask(cast("JsonValue", value))
        assert count >= 1, value
        assert sample not in json.dumps(masked)


@pytest.mark.parametrize(("kind", "sample"), ALL)
def test_the_beginning_alone_is_no_token(kind: str, sample: str) -> None:
    """What is masked has to be long enough to be one; a prefix is how people speak of them."""
    text = f"tokens begin with {sample[:6]}"
    assert mask_text(text) == text


@pytest.mark.parametrize("kind", ["services", "workflows", "triggers"])
def test_the_path_of_a_webhook_is_its_secret(kind: str) -> None:
    text = f"https://hooks.slack.com/{kind}/" + "T00000000/B00000000/" + "X" * 24
    assert mask_text(text) == f"https://hooks.slack.com/{kind}/[masked: 44 characters]"
    text = "https://discord.com/api/webhooks/1234567890/" + _MIXED
    assert (
        mask_text(text)
        == f"https://discord.com/api/webhooks/1234567890/[masked: {len(_MIXED)} characters]"
    )
