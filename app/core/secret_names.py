"""Names that say that their value is a secret: by whole words, in any way of writing."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

_TELLING = re.compile(
    r"passwords?|passwd|passphrase|passcode|pwd|pw|secrets?|tokens?|apikeys?|authorization|jwt"
    r"|cookies?|credentials?|creds|t?otp|cvv|cvc|csrf|xsrf|bearer|privatekey|secretkey|accesskey"
    r"|sessionid|sessid|jsessionid|phpsessid|authtoken|accesstoken|refreshtoken|idtoken"
    r"|clientsecret|connectionstring"
)
"""Words of a name that tell of a secret wherever they stand in it."""

_TELLING_PAIR = re.compile(
    r"(?:api|private|secret|access|signing|encryption|master|account|ssh|auth|deploy) keys?"
    r"|session id|connection string|(?:auth|security) code"
)

_LAST_WORDS = frozenset({"auth", "pass"})
"""Words that tell of a secret only at the end of a name."""

_COUNTING = re.compile(
    r"max|min|counts?|limit|length|size|num|number|total|budget|used|usage|per|prompt|completion"
    r"|input|output|remaining|tokens|cookies|ttl|expires|expiry|age|seconds|minutes|hours|days"
    r"|timeout"
)
"""With one of these in the name, a number is no secret: `max_tokens`, `password_length`."""


_SPLIT = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[^\W\d_a-zA-Z]+")


@lru_cache(maxsize=2_048)
def is_secret_name(name: str) -> bool:
    """Whether a name says that its value is a secret: by whole words, in any way of writing.

    Also where the word is broken up: `PassWord`, or with a character in it that cannot be seen.
    """
    words = words_of(name)
    if not words:
        return False
    return (
        any(_TELLING.fullmatch(word) for word in (*words, "".join(words)))
        or any(_TELLING_PAIR.fullmatch(" ".join(pair)) for pair in pairwise(words))
        or words[-1] in _LAST_WORDS
    )


def words_of(name: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _SPLIT.findall(name[:200]))


def counts_something(words: tuple[str, ...]) -> bool:
    return any(_COUNTING.fullmatch(word) for word in words)
