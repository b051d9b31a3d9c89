"""Every secret that is known by its look alone, one row each: its name, its pattern, a sample.

Also distinguishes a random word from a written one, a path or a digest.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from typing import Final, NamedTuple

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
    """True for a likely token at a place for tokens, hexadecimal digits included."""
    return len(value) >= 24 or (len(value) >= 8 and any(char.isdigit() for char in value))


def looks_drawn(word: str) -> bool:
    """True for a long random word of a command or a URL: both cases and digits, all mixed."""
    if len(word) < WORD_MIN or ORDINARY.fullmatch(word):
        return False
    digits = sum(char.isdigit() for char in word)
    return digits >= 2 and word != word.lower() and word != word.upper()


def is_basic(value: str) -> bool:
    """True if it is `user:password` in base64 (RFC 7617)."""
    try:
        return b":" in base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False


EDGE: Final = r"(?<![A-Za-z0-9])"
_MIXED: Final = "aB3" * 20
_HEX: Final = "0a1b" * 16
_PEM_KIND: Final = "RSA PRIVATE " + "KEY-----"


def _always(before: str, secret: str) -> bool:
    return True


class Look(NamedTuple):
    """`pattern` and `before` are regular expressions; the sample is put together from pieces, so
    that no scanner of sources takes it for a secret."""

    name: str
    pattern: str
    sample: str
    before: str = EDGE
    """Pattern of the text before the secret, which is not masked."""
    is_one: Callable[[str, str], bool] = _always
    """True if a match is a secret, by the text before it and the match itself."""


def _is_no_word(before: str, secret: str) -> bool:
    return any(char.isdigit() or char.isupper() for char in secret)


def _is_credential(before: str, secret: str) -> bool:
    is_user = before.strip().lower() == "basic" and is_basic(secret)
    return is_user or looks_like_a_token(secret)


def _is_token(before: str, secret: str) -> bool:
    return looks_like_a_token(secret)


LOOKS: Final = (
    Look(
        "private key",
        r"-----BEGIN (?P<label>(?=[A-Z0-9 ]{0,40}PRIVATE KEY)[A-Z0-9 ]{0,60}+)-----"
        r".*?(?:-----END (?P=label)-----|\Z)",
        f"-----BEGIN {_PEM_KIND}\nMIIEow\n-----END {_PEM_KIND}",
        before="",
    ),
    Look(
        "JWT",
        r"eyJ[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]*+){1,4}+",
        "ey" + "JhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxIn0." + "c2lnbmF0dXJl-_",
    ),
    Look("GitHub", r"gh[pousr]_[A-Za-z0-9]{20,}+", "gh" + "p_" + _MIXED[:36]),
    Look(
        "GitHub, fine-grained",
        r"github_pat_[A-Za-z0-9_]{20,}+",
        "github" + "_pat_" + "11AAAA_bbbb" * 4,
    ),
    Look("AWS", r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9_-])", "AK" + "IAIOSFODNN7" + "EXAMPLE"),
    Look("Slack", r"xox[a-z]-[A-Za-z0-9-]{10,}+", "xox" + "b-1234567890-abcDEF"),
    Look("Slack app", r"xapp-[A-Za-z0-9-]{10,}+", "xapp" + "-1-A1234567890-abcdef"),
    Look("Google API", r"AIza[A-Za-z0-9_-]{30,}+", "AI" + "za" + _MIXED[:35]),
    Look("Google OAuth", r"ya29\.[A-Za-z0-9_-]{20,}+", "ya" + "29." + _MIXED[:30]),
    Look("Google client", r"GOCSPX-[A-Za-z0-9_-]{20,}+", "GOC" + "SPX-" + _MIXED[:28]),
    Look("GitLab", r"gl(?:pat|ptt|dt|rt|cbt)-[A-Za-z0-9_.-]{16,}+", "gl" + "pat-" + _MIXED[:20]),
    Look("npm", r"npm_[A-Za-z0-9]{30,}+", "npm" + "_" + _MIXED[:36]),
    Look("PyPI", r"pypi-[A-Za-z0-9_-]{50,}+", "py" + "pi-" + _MIXED[:54]),
    Look("Hugging Face", r"hf_[A-Za-z0-9]{30,}+", "hf" + "_" + _MIXED[:34]),
    Look("Stripe", r"[srp]k_(?:live|test)_[A-Za-z0-9]{10,}+", "sk" + "_live_" + _MIXED[:24]),
    Look("webhook", r"whsec_[A-Za-z0-9+/=]{16,}+", "wh" + "sec_" + _MIXED[:32]),
    Look(
        "SendGrid",
        r"SG\.[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}+",
        "S" + "G." + _MIXED[:22] + "." + _MIXED[:43],
    ),
    Look("age", r"AGE-SECRET-KEY-1[A-Z0-9]{40,}+", "AGE-" + "SECRET-KEY-" + "1" + "QPZRY9X8" * 7),
    Look("Groq", r"gsk_[A-Za-z0-9]{30,}+", "gs" + "k_" + _MIXED[:52]),
    Look("xAI", r"xai-[A-Za-z0-9]{30,}+", "xa" + "i-" + _MIXED),
    Look("Perplexity", r"pplx-[A-Za-z0-9]{30,}+", "pp" + "lx-" + _MIXED[:48]),
    Look("Replicate", r"r8_[A-Za-z0-9]{30,}+", "r" + "8_" + _MIXED[:37]),
    Look("DigitalOcean", r"do[opr]_v1_[a-f0-9]{40,}+", "do" + "p_v1_" + _HEX),
    Look("Docker", r"dckr_[a-z]{3}_[A-Za-z0-9_-]{20,}+", "dckr" + "_pat_" + _MIXED[:27]),
    Look("Shopify", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{30,}+", "shp" + "at_" + _HEX[:32]),
    Look("Square", r"sq0[a-z]{3}-[A-Za-z0-9_-]{20,}+", "sq" + "0atp-" + _MIXED[:22]),
    Look("Notion", r"(?:ntn_|secret_)[A-Za-z0-9]{40,}+", "nt" + "n_" + _MIXED[:46]),
    Look("Linear", r"lin_(?:api|oauth)_[A-Za-z0-9]{30,}+", "lin" + "_api_" + _MIXED[:40]),
    Look("Figma", r"figd_[A-Za-z0-9_-]{30,}+", "fi" + "gd_" + _MIXED[:40]),
    Look("Grafana", r"gl(?:sa|c)_[A-Za-z0-9_+/=-]{30,}+", "gl" + "sa_" + _MIXED[:41]),
    Look("Vault", r"hv[sbr]\.[A-Za-z0-9_-]{20,}+", "hv" + "s." + _MIXED[:24]),
    Look("Tailscale", r"tskey-[a-z]+-[A-Za-z0-9-]{16,}+", "ts" + "key-auth-" + _MIXED[:30]),
    Look("Atlassian", r"ATATT3[A-Za-z0-9_=-]{30,}+", "ATA" + "TT3" + _MIXED[:50]),
    Look("Postman", r"PMAK-[A-Za-z0-9-]{30,}+", "PM" + "AK-" + _HEX[:24] + "-" + _HEX[:34]),
    Look("Telegram", r"\d{8,10}:AA[A-Za-z0-9_-]{32,}+", "123456789" + ":AA" + _MIXED[:33]),
    Look("sk", r"sk-[A-Za-z0-9_-]{16,}+", "sk-" + "proj-" + _MIXED[:32], is_one=_is_no_word),
    Look(
        "address of a webhook",
        r"[A-Za-z0-9_/-]{8,}+",
        "https://hooks." + "slack.com/services/T00000000/B00000000/" + "X" * 24,
        before=r"hooks\.slack\.com/(?:services|workflows|triggers)/"
        r"|discord(?:app)?\.com/api/webhooks/\d{1,30}+/",
    ),
    Look(
        "authorization",
        r"[A-Za-z0-9+/=._~-]{4,}+",
        "Bearer " + _MIXED[:12],
        before=r"(?<![A-Za-z0-9])(?i:bearer|basic|digest|token)[ \t]{1,4}+",
        is_one=_is_credential,
    ),
    Look(
        "password in an address",
        r"(?:[^\s/?#@\"']++|(?!\d+/)[^\s@\"']{1,256}+)(?:@[^\s/?#@\"']*+(?=@))*+(?=@)",
        "postgres://me:" + "hunter2" + "@db/x",
        before=r"://[^\s/@:?#\"']{0,256}+:",
    ),
    Look(
        "token in an address",
        r"[^\s/@:?#\"']{16,256}+(?=@)",
        "https://" + _MIXED[:18] + "@example.org/",
        before="://",
        is_one=_is_token,
    ),
)
"""No two of them fit at one place."""

_ALIKE: Final = [look.pattern for look in LOOKS if look[3:] == (EDGE, _always)]
"""Most need nothing more: they are looked for together, in a group of their own."""
_OTHERS: Final = {
    f"secret{at}": look for at, look in enumerate(LOOKS) if look.pattern not in _ALIKE
}
_PATTERNS: Final = re.compile(
    "|".join(
        [
            f"{EDGE}(?:{'|'.join(_ALIKE)})",
            *(
                f"(?P<before_{group}>{look.before})(?P<{group}>{look.pattern})"
                for group, look in _OTHERS.items()
            ),
        ]
    ),
    re.DOTALL,
)


def without_looks(text: str, taken: Callable[[str], str]) -> str:
    """Replace each secret that is known by its look by the result of `taken`."""

    def shown(match: re.Match[str]) -> str:
        look = _OTHERS.get(match.lastgroup or "")
        if look is None:
            return taken(match.group())
        before, secret = match.group(f"before_{match.lastgroup}"), match.group(match.lastgroup or 0)
        return before + taken(secret) if look.is_one(before, secret) else match.group()

    return _PATTERNS.sub(shown, text)
