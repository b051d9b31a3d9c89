"""Words about what runs as a server: what an approval covers of it, and what is another now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..approval.grants import Lapsed
from ..approval.what_runs import Role, RunFile, WhatRuns
from ..content.text import visible
from .question_words import shortened

ENDED_UNBOUND = "nothing was kept of which program ran, and with which values of variables"
NOT_LOADED = "not what they load"
"""Modules, packages that npx or uvx fetch, files that a program reads: nobody looks at these."""
_OTHER_TARGET = "the command or the key of its digest changed"
_SHOWN_DIGITS = 8
_NAME_SHOWN = 60
_NAMED_MAX = 5


def changed_words(before: WhatRuns | None, now: WhatRuns | None) -> str:
    """What is another than it was: `the program /usr/bin/python3 changed`. Safe to show."""
    return " and ".join(_changes(before or WhatRuns(), now or WhatRuns())) or "what runs changed"


def lapsed_words(lapsed: Lapsed, now: WhatRuns | None) -> str:
    """Why it is asked again, for the reasons of a verdict."""
    if now is not None and now.problem:
        return f"{now.problem}, so no remembered approval counts"
    changed = changed_words(lapsed.runs, now)
    if lapsed.was_remembered:
        return f"your remembered approval does not count: {changed} since you gave it"
    return f"{changed} since you approved it last"


def covered_words(runs: WhatRuns | None) -> str:
    """What an approval is bound to besides command, tool and definition; empty: nothing else.

    `as it runs now: python3 1a2b3c4d, server.py 9f8e7d6c, the value of API_KEY; not what they load`
    """
    if runs is None:
        return ""
    covered = [f"{_base(file.path)} {digest_words(file)}" for file in runs.files]
    if runs.values:
        covered.append(values_words([name for name, _ in runs.values], most=2))
    if not covered:
        return "its whole URL"
    loaded = f"; {NOT_LOADED}" if runs.files else ""
    return f"as it runs now: {', '.join(covered)}{loaded}"


def bound_lines(runs: WhatRuns | None) -> Iterator[tuple[str, str]]:
    """What an approval is bound to, whole: labels and words that are safe to show."""
    if runs is None:
        return
    for file in runs.files:
        yield file.role.value, f"{place_words(file)}, {digest_words(file, whole=True)}"
    if runs.values:
        yield "variables", values_words([name for name, _ in runs.values])


def place_words(file: RunFile) -> str:
    """`/usr/bin/python3 → /usr/bin/python3.11`: where it was found, and where that leads."""
    return visible(file.path if file.real == file.path else f"{file.path} → {file.real}")


def digest_words(file: RunFile, *, whole: bool = False) -> str:
    """`1a2b3c4d`, or `by size and time` where the content was not looked at."""
    if file.sha256 is None:
        return f"{file.size:,} bytes, by size and time" if whole else "(size and time)"
    return f"sha256 {file.sha256[:16]}" if whole else file.sha256[:_SHOWN_DIGITS]


def _changes(before: WhatRuns, now: WhatRuns) -> Iterator[str]:
    if problem := now.problem or before.problem:
        yield problem
        return
    old = {file.role: file for file in before.files}
    new = {file.role: file for file in now.files}
    for role in Role:
        if role in old and role in new:
            yield from _file_changes(old[role], new[role])
        elif role in old or role in new:
            verb = "is there" if role in new else "is gone"
            yield f"the {role.value} {visible((new.get(role) or old[role]).path)} {verb}"
    if before.target != now.target:
        # With another key nothing is known of the values.
        is_url = not (old or new)
        yield "the query or the credentials of its URL changed" if is_url else _OTHER_TARGET
    else:
        known, given = dict(before.values), dict(now.values)
        names = sorted(
            name for name in known.keys() | given.keys() if known.get(name) != given.get(name)
        )
        if names:
            yield f"{values_words(names, _NAMED_MAX)} changed"


def _file_changes(old: RunFile, new: RunFile) -> Iterator[str]:
    what = f"the {new.role.value} {visible(new.path)}"
    if old.path != new.path:
        yield f"another {new.role.value} runs, {visible(new.path)},"
    elif old.real != new.real:
        yield f"{what} leads to another file"
    elif old != new:
        yield f"{what} changed"


def values_words(names: Sequence[str], most: int | None = None) -> str:
    """Safe to show: `the value of API_KEY`, `the values of API_KEY and REGION`.

    More than `most` are counted: `the values of 7 variables`.
    """
    shown = [shortened(visible(name), _NAME_SHOWN) for name in names]
    if most is not None and len(shown) > most:
        return f"the values of {len(shown):,} variables"
    if len(shown) == 1:
        return f"the value of {shown[0]}"
    return f"the values of {', '.join(shown[:-1])} and {shown[-1]}"


def _base(path: str) -> str:
    return shortened(visible(path.rpartition("/")[2] or path), _NAME_SHOWN)
