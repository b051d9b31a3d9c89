"""Secrets by their look: tokens of known services, private keys, credentials in URLs."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

TOKENS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "JWT": r"eyJ[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]*+){1,4}+",
        "GitHub": r"gh[pousr]_[A-Za-z0-9]{20,}+",
        "GitHub, fine-grained": r"github_pat_[A-Za-z0-9_]{20,}+",
        "AWS": r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9_-])",
        "Slack": r"xox[a-z]-[A-Za-z0-9-]{10,}+",
        "Slack app": r"xapp-[A-Za-z0-9-]{10,}+",
        "Google API": r"AIza[A-Za-z0-9_-]{30,}+",
        "Google OAuth": r"ya29\.[A-Za-z0-9_-]{20,}+",
        "Google client": r"GOCSPX-[A-Za-z0-9_-]{20,}+",
        "GitLab": r"gl(?:pat|ptt|dt|rt|cbt)-[A-Za-z0-9_.-]{16,}+",
        "npm": r"npm_[A-Za-z0-9]{30,}+",
        "PyPI": r"pypi-[A-Za-z0-9_-]{50,}+",
        "Hugging Face": r"hf_[A-Za-z0-9]{30,}+",
        "Stripe": r"[srp]k_(?:live|test)_[A-Za-z0-9]{10,}+",
        "webhook": r"whsec_[A-Za-z0-9+/=]{16,}+",
        "SendGrid": r"SG\.[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}+",
        "age": r"AGE-SECRET-KEY-1[A-Z0-9]{40,}+",
        "Groq": r"gsk_[A-Za-z0-9]{30,}+",
        "xAI": r"xai-[A-Za-z0-9]{30,}+",
        "Perplexity": r"pplx-[A-Za-z0-9]{30,}+",
        "Replicate": r"r8_[A-Za-z0-9]{30,}+",
        "DigitalOcean": r"do[opr]_v1_[a-f0-9]{40,}+",
        "Docker": r"dckr_[a-z]{3}_[A-Za-z0-9_-]{20,}+",
        "Shopify": r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{30,}+",
        "Square": r"sq0[a-z]{3}-[A-Za-z0-9_-]{20,}+",
        "Notion": r"(?:ntn_|secret_)[A-Za-z0-9]{40,}+",
        "Linear": r"lin_(?:api|oauth)_[A-Za-z0-9]{30,}+",
        "Figma": r"figd_[A-Za-z0-9_-]{30,}+",
        "Grafana": r"gl(?:sa|c)_[A-Za-z0-9_+/=-]{30,}+",
        "Vault": r"hv[sbr]\.[A-Za-z0-9_-]{20,}+",
        "Tailscale": r"tskey-[a-z]+-[A-Za-z0-9-]{16,}+",
        "Atlassian": r"ATATT3[A-Za-z0-9_=-]{30,}+",
        "Postman": r"PMAK-[A-Za-z0-9-]{30,}+",
        "Telegram": r"\d{8,10}:AA[A-Za-z0-9_-]{32,}+",
    }
)
"""What the tokens of services look like, each a regular expression."""

_EDGE = r"(?<![A-Za-z0-9_-])"
PATTERNS = re.compile(
    r"(?P<pem>-----BEGIN (?P<label>(?=[A-Z0-9 ]{0,40}PRIVATE KEY)[A-Z0-9 ]{0,60}+)-----"
    r".*?(?:-----END (?P=label)-----|\Z))"
    rf"|(?P<token>{_EDGE}(?:{'|'.join(TOKENS.values())}))"
    rf"|(?P<sk>{_EDGE}sk-[A-Za-z0-9_-]{{16,}}+)"
    r"|(?P<hook>hooks\.slack\.com/(?:services|workflows|triggers)/"
    r"|discord(?:app)?\.com/api/webhooks/\d{1,30}+/)(?P<hook_path>[A-Za-z0-9_/-]{8,}+)"
    r"|(?P<scheme>(?<![A-Za-z0-9])(?i:bearer|basic|digest|token)[ \t]{1,4}+)"
    r"(?P<scheme_value>[A-Za-z0-9+/=._~-]{4,}+)"
    r"|(?P<user>://[^\s/@:?#\"']{0,256}+:)(?P<url_password>(?:[^\s/?#@\"']++|(?!\d+/)[^\s@\"']{1,256}+)"
    r"(?:@[^\s/?#@\"']*+(?=@))*+)(?=@)"
    r"|(?P<only_user>://)(?P<url_token>[^\s/@:?#\"']{16,256}+)(?=@)",
    re.DOTALL,
)
"""Every look that needs no name beside it."""

ORDINARY = re.compile(
    r"[0-9a-fA-F]{7,128}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|(?:sha\d+[:-])[0-9a-fA-F+/=]+|(?:~|\.{1,2})?/\S*|[a-z]+://\S*"
)
"""Digests, UUIDs, paths and URLs: a log in which they are masked proves nothing."""

WORD_MIN: Final = 20
"""Characters from which on a word of a command that nothing explains can be a token."""


def looks_random(value: str) -> bool:
    """Letters and digits mixed, or upper and lower case within; and no path, digest or UUID."""
    core = value.rstrip(",.)}]")
    if len(core) < 8 or ORDINARY.fullmatch(core):
        return False
    letters = any(char.isalpha() for char in core)
    digits = any(char.isdigit() for char in core)
    inner = core[1:]
    mixed = inner != inner.lower() and inner != inner.upper()
    return letters and (digits or (mixed and len(core) >= 16))


def looks_like_a_token(value: str) -> bool:
    """Where only a token belongs, one of hexadecimal digits is no exception."""
    return len(value) >= 24 or (len(value) >= 8 and any(char.isdigit() for char in value))


def looks_drawn(word: str) -> bool:
    """A long word of a command or a URL that nobody types: both cases and digits, all mixed."""
    if len(word) < WORD_MIN or ORDINARY.fullmatch(word):
        return False
    digits = sum(char.isdigit() for char in word)
    return digits >= 2 and word != word.lower() and word != word.upper()


def is_basic(value: str) -> bool:
    """Whether it is `user:password` in base64 (RFC 7617)."""
    try:
        return b":" in base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False
