"""Names of secret values: by whole words, in any way of writing.

English names, and the words that forms of other languages use for passwords, keys and tokens.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

NAME_MAX = 200
"""Characters of a name that are looked at."""

_TELLING = re.compile(
    r"[a-z]*(?:passwords?|passwd|passphrase|passcode)|pwd|pw|psw|secrets?|[a-z]*tokens?|apikeys?"
    r"|authorization|jwt|cookies?|credentials?|creds|t?otp|cvv|cvc|csrf|xsrf|bearer|privatekey"
    r"|secretkey|accesskey|sessionid|sessid|jsessionid|phpsessid|clientsecret|connectionstring|dsn"
    # Words of other languages that occur alone; those that also mean something else are pairs.
    r"|parola|hasl(?:o|a|em)|hesl[oa]|heslem|geslo|senhas?|mdp|sifre|sifren?iz?|sandi|parool|nywila|jeton"
    r"|lozink[aeu]"
)
"""Words that mark a secret anywhere in a name."""

_TELLING_PAIR = re.compile(
    r"(?:api|private|secret|access|signing|encryption|master|account|ssh|auth|deploy) keys?"
    r"|session id|connection string|(?:auth|security) code"
    r"|mat khau|kata (?:sandi|laluan)|chiave (?:segreta|privata|api)|cle (?:secrete|privee|api)"
    r"|(?:clave|chave) (?:de|acceso|acesso|secreta|privada|api)"
    r"|api (?:clave|chave|chiave|cle|schlussel|schluessel)"
)

_INNOCENT_PAIR = re.compile(r"palabras? claves?")
""""Palabra clave" is a keyword, not a secret."""

_INNOCENT_TOKEN = re.compile(
    r"(?:progress|next|page|paging|pagination|continuation|cancell?ation|sync|stop"
    r"|eos|bos|pad) tokens?"
    r"|(?:max|min|input|output|prompt|completion|total|remaining) tokens"
    r"|tokens? (?:type|types|count|counts|limit|limits|usage|budget|endpoint|used|per|estimate)"
)
"""Pairs for a place in a list, a report of progress or a count, not for a secret."""
_INNOCENT_WORD = re.compile(
    r"(?:progress|next|page|nextpage|pagination|continuation|cancell?ation)tokens?"
)
"""The same written as one word."""
_OF_A_PERSON = frozenset(
    (
        *("access", "auth", "oauth", "refresh", "api", "bot", "session", "user", "admin", "login"),
        *("device", "facebook", "fb"),
    )
)
"""With one of these elsewhere in the name it may be a secret: `accessPageToken`."""

_TELLING_PARTS = (
    # Long enough to be meant anywhere in a name, in languages that write words together.
    r"passwort|kennwort|losungswort|geheimnis|wachtwoord|losenord|passord|adgangskode|salasana"
    r"|contrasen(?:y?a|al)|motdepasse|palavra(?:passe|chave)|senhade|jelszo|slaptazod|lykilord"
    r"|pasahitz|cyfrinair|pasvorto|salasona|matkhau|katasandi|parolachiave|parolasegreta"
    r"|(?:api|geheim\w{0,3}|privat\w{0,3}|zugriffs|zugangs|sicherheits)schlue?ssel"
    # Cyrillic, with their cases.
    r"|парол|секрет(?!ар)|токен|лозинк|құпиясөз"
    # Greek, Hebrew, Arabic, Persian, Hindi, Bengali, Tamil, Thai, Georgian, Armenian.
    r"|κωδικοσπροσβασησ|κωδικοπροσβασησ|συνθηματικ|סיסמ|كلمةالمرور|كلمةالسر|كلمهالمرور|كلمهالسر"
    r"|رمزعبور|گذرواژه|पासवर्ड|कूटशब्द|পাসওয়ার্ড|கடவுச்சொல்|รหัสผ่าน|პაროლ|გასაღებისსიტყვა|գաղտնաբառ"
    # Chinese, Japanese, Korean.
    r"|密码|密碼|口令|密钥|密鑰|秘钥|秘鑰|令牌|私钥|私鑰|パスワード|パスフレーズ|暗証番号|秘密鍵|合言葉"
    r"|トークン|비밀번호|패스워드|암호(?!화)|토큰|비밀키|개인키"
)
"""Parts of a name without its separators that mark a secret."""

_LAST_WORDS = frozenset({"auth", "pass", "clave", "pat", "tok"})
"""Words that mark a secret only at the end of a name."""

_COUNTING = re.compile(
    r"max|min|counts?|limit|length|size|num|number|total|budget|used|usage|per|prompt|completion"
    r"|input|output|remaining|tokens|cookies|ttl|expires|expiry|age|seconds|minutes|hours|days"
    r"|timeout"
)
"""With one of these in the name, a number is not a secret: `max_tokens`, `password_length`."""


_SPLIT = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[^\W\d_a-zA-Z]+")
_LETTERS = str.maketrans("łŁøØđĐðÐıςß", "lLoOdDdDiσs")
"""Letters that Unicode does not take apart into a base and a mark."""


@lru_cache(maxsize=2_048)
def is_secret_name(name: str) -> bool:
    """True if a name marks its value as a secret: by whole words, in any way of writing.

    Also if the word is broken up: `PassWord`, or with a character in it that cannot be seen.
    """
    words = _without_innocent(words_of(name), name)
    if not words:
        return False
    together = "".join(words)
    pairs = [" ".join(pair) for pair in pairwise(words)]
    return (
        any(_TELLING.fullmatch(word) for word in (*words, together))
        or any(map(_TELLING_PAIR.fullmatch, pairs))
        or _PARTS.search(together) is not None
        or (words[-1] in _LAST_WORDS and not any(map(_INNOCENT_PAIR.fullmatch, pairs)))
    )


def _without_innocent(words: tuple[str, ...], name: str) -> tuple[str, ...]:
    """The words of a name without such pairs.

    A name in capitals is one of the environment, where `PAGE_TOKEN` is a key to a page.
    """
    if "token" not in name.casefold() or name.isupper():
        return words
    left: list[str] = []
    for word in words:
        if left and _INNOCENT_TOKEN.fullmatch(f"{left[-1]} {word}"):
            left.pop()
        elif not _INNOCENT_WORD.fullmatch(word):
            left.append(word)
    return words if _OF_A_PERSON & {*left} else tuple(left)


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name in lower case, without digits and without accents."""
    found = _SPLIT.findall(_folded(name[:NAME_MAX]))
    return tuple(word.lower().translate(_LETTERS) for word in found)


def counts_something(words: tuple[str, ...]) -> bool:
    return any(_COUNTING.fullmatch(word) for word in words)


def _folded(text: str) -> str:
    """One way of writing: `Contraseña` and `CONTRASEÑA` in full width are `Contrasena`."""
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFKD", text)
    # Of other scripts the marks are letters, and both sides of a comparison lose them.
    bare = "".join(char for char in apart if not unicodedata.category(char).startswith("M"))
    return unicodedata.normalize("NFKC", bare).translate(_LETTERS)


_PARTS = re.compile(_folded(_TELLING_PARTS))
