"""Recognises a question on the screen of an agent of the person's, and the keys that answer it.

A question counts only at the end of the screen: answered ones stay above it. Without rules of the
person, known forms are looked for: `[y/N]`, `(allow/deny)`, `[a]llow / [d]eny`, numbered choices.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from ..drivers import DriverError, Strokes

ENTER: Final = "\r"
LOOKED_AT: Final = 15
"""Lines at the end of the screen."""
_END: Final = r"[\s:?>❯›.)\]]*$"
_YES: Final = r"yes|y|allow|approve|accept|ok|run|proceed"
_NO: Final = r"no|n|deny|reject|decline|refuse|cancel|skip"
_PAIR: Final = re.compile(rf"(?i)\b({_YES})\b\s*(?:/|\||,|\bor\b)\s*\b({_NO})\b(?P<more>.*)$")
_LETTERS: Final = re.compile(r"[\[(<](\w)[\])>](\w+)")
_CHOICE: Final = re.compile(r"^[\W_]*(\d{1,2})[.):\]]\s+(.+)$")
_LASTING: Final = re.compile(r"(?i)always|session|don.t ask|remember|every")
_ALLOWS: Final = re.compile(rf"(?i)^\W*(?:always\s+)?(?:{_YES})\b")
_DENIES: Final = re.compile(rf"(?i)^\W*(?:{_NO}|don.t|do not)\b")
_WAITS: Final = re.compile(r"(?:[>❯›»$:?]|\b(?:you|prompt))$")


class AskedOnScreen(NamedTuple):
    """A question that is open, and its answers."""

    lines: tuple[str, ...]
    """Its own last lines, as long as they are surely about it."""
    before: tuple[str, ...]
    """The lines before them, up to the question before it."""
    approve: Strokes
    deny: Strokes
    always: Strokes
    is_word: bool = False
    """Whether the answers are words, which an agent that reads lines needs an Enter after."""


class ScreenRules(NamedTuple):
    """What the person gave; all empty for the known forms."""

    question: str = ""
    """A regular expression; what it finds reaches into the last line."""
    approve: Strokes = ()
    deny: Strokes = ()
    always: Strokes = ()
    ready: str = ""
    """A regular expression of the screen on which a prompt can be typed."""
    submit: Strokes = (ENTER,)

    def asked(self, screen: str) -> AskedOnScreen | None:
        """The question that is open on a screen."""
        lines = [one.strip() for one in screen.splitlines() if one.strip()][-LOOKED_AT:]
        if not lines:
            return None
        if not self.question:
            return _by_words(lines) or _by_letters(lines) or _by_numbers(lines)
        text = "\n".join(lines)
        last = len(text) - len(lines[-1])
        found = [one for one in re.finditer(self.question, text) if one.end() > last]
        if not found:
            return None
        start = text.count("\n", 0, found[-1].start())
        earlier = [one for one in re.finditer(self.question, text) if one.end() <= last]
        begin = text.count("\n", 0, earlier[-1].end()) + 1 if earlier else 0
        answers = (self.approve, self.deny, self.always)
        return AskedOnScreen(
            tuple(lines[start:]), tuple(lines[min(begin, start) : start]), *answers
        )

    def is_ready(self, screen: str) -> bool:
        """True if a prompt can be typed: the last line waits for one, and asks nothing."""
        if self.ready:
            return re.search(self.ready, screen) is not None
        lines = screen.rstrip().splitlines()
        return bool(lines) and _WAITS.search(lines[-1].strip(" │┃|")) is not None


def plain_lines(lines: Iterable[str]) -> str:
    """Lines as one text, without the numbers of choices: they would run into the words before."""
    return "\n".join(found[2] if (found := _CHOICE.match(one)) else one for one in lines)


def read_rules(name: str, text: str) -> ScreenRules:
    """Rules in TOML. Raises DriverError."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DriverError(f"{name}: {error}") from None
    if unknown := sorted(set(raw) - set(ScreenRules._fields)):
        known = ", ".join(ScreenRules._fields)
        raise DriverError(f"{name}: {unknown[0]}: unknown key; known: {known}")
    for key in ("question", "ready"):
        if not isinstance(raw.get(key, ""), str):
            raise DriverError(f"{name}: {key}: a regular expression is a text")
        try:
            re.compile(raw.get(key, ""))
        except re.error as error:
            raise DriverError(f"{name}: {key}: {error}") from None
    strokes = {one: _strokes(name, one, raw[one]) for one in _STROKES if one in raw}
    needed = [one for one in ("approve", "deny") if one not in strokes]
    if raw.get("question") and needed:
        raise DriverError(f"{name}: {needed[0]}: missing; question needs approve and deny")
    if not raw.get("question") and strokes.keys() - {"submit"}:
        raise DriverError(f"{name}: question: missing; approve and deny are its keys")
    approve, deny, always = (strokes.get(one, ()) for one in ("approve", "deny", "always"))
    texts = raw.get("question", ""), raw.get("ready", "")
    return ScreenRules(texts[0], approve, deny, always, texts[1], strokes.get("submit", (ENTER,)))


_STROKES: Final = ("approve", "deny", "always", "submit")


def _strokes(name: str, key: str, raw: object) -> Strokes:
    listed = [raw] if isinstance(raw, str) else raw
    if not isinstance(listed, list) or not all(isinstance(one, str) and one for one in listed):
        raise DriverError(f"{name}: {key}: keys are a text, or a list of texts with pauses between")
    return tuple(listed)


def _by_words(lines: list[str]) -> AskedOnScreen | None:
    """`[y/N]`, `(yes/no)`, `Allow/Deny?` at the end of the last line."""
    found = _pair_in(lines[-1])
    if found is None or not re.fullmatch(
        rf"[^\w]*(?:(?:/|,|\bor\b)[\s\w'’]*)?{_END}", found["more"]
    ):
        return None
    always = re.search(r"(?i)\b(a|always)\b", found["more"])
    before = _until(lines[:-1], _is_answered)
    lasting = (always[1].lower(),) if always else ()
    answers = ((found[1].lower(),), (found[2].lower(),), lasting)
    return AskedOnScreen((lines[-1],), before, *answers, is_word=True)


def _pair_in(line: str) -> re.Match[str] | None:
    return _PAIR.search(line)


def _is_answered(line: str) -> bool:
    """True for a line with a question of this form, and at most a word behind it."""
    found = _pair_in(line)
    return found is not None and re.fullmatch(r"\W*(?:/\w)?\W*\w*\W*", found["more"]) is not None


def _by_letters(lines: list[str]) -> AskedOnScreen | None:
    """`[a]llow, [d]eny, [s]ession` in the last line."""
    found = _letters_in(lines[-1])
    if not found or not re.search(rf"(?:[\])>]\w+){_END}", lines[-1]):
        return None
    before = _until(lines[:-1], lambda one: bool(_letters_in(one)))
    return AskedOnScreen((lines[-1],), before, *found, is_word=True)


def _letters_in(line: str) -> tuple[Strokes, Strokes, Strokes] | None:
    words = [(one[1], one[1] + one[2]) for one in _LETTERS.finditer(line)]
    return _answers(words)


def _by_numbers(lines: list[str]) -> AskedOnScreen | None:
    """`1. Yes`, `2. No`, then at most a line that waits for the number."""
    end = len(lines)
    if not _CHOICE.match(lines[-1]):
        if not _WAITS.search(lines[-1]) and not lines[-1].endswith((")", "]")):
            return None
        end -= 1
    start = end
    while start and _CHOICE.match(lines[start - 1]):
        start -= 1
    pairs = [(one[1], one[2]) for one in map(_CHOICE.match, lines[start:end]) if one is not None]
    found = _answers(pairs)
    if not found:
        return None
    # The line above the choices is the question itself.
    first = max(start - 1, 0)
    before = _until(lines[:first], lambda one: _CHOICE.match(one) is not None)
    return AskedOnScreen(tuple(lines[first:]), before, *found, is_word=True)


def _answers(pairs: Iterable[tuple[str, str]]) -> tuple[Strokes, Strokes, Strokes] | None:
    """The keys for yes, no and always of choices; None unless there is a yes and a no."""
    yes = [(key, words) for key, words in pairs if _ALLOWS.search(words)]
    denials = [(key, words) for key, words in pairs if _DENIES.search(words)]
    no = [key for key, words in sorted(denials, key=lambda one: bool(_LASTING.search(one[1])))]
    once = [key for key, words in yes if not _LASTING.search(words)]
    lasting = [key for key, words in yes if _LASTING.search(words)]
    if not once or not no:
        return None
    return (once[0],), (no[0],), tuple(lasting[:1])


def _until(lines: list[str], is_end: Callable[[str], bool]) -> tuple[str, ...]:
    """The lines after the last one that ends a question."""
    kept: list[str] = []
    for one in reversed(lines):
        if is_end(one):
            break
        kept.insert(0, one)
    return tuple(kept)
