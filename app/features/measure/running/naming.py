"""Finds the name by which a host offers a tool of its server to the model.

Hosts put the server before it, a digest behind it, or write it otherwise. A tool that is found by
none of these may still be offered, so its absence proves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final, TypeAlias

from ..probes.probe import SERVER_NAME
from ..scripted.dialects import Offered

Name: TypeAlias = tuple[str, str]
"""The group and the name by which a model calls a tool."""
TOOL: Final = "{tool}"
SERVER: Final = "{server}"
ANY: Final = "*"
"""A part of a template that differs from tool to tool, such as a digest."""
_LEAST: Final = 20
"""Characters of a cut description that are enough to know it by."""
_CUT: Final = " .…"


def filled(template: str, tool: str, server: str = "") -> str:
    """The name of a tool by a template such as `mcp__{server}__{tool}`."""
    return template.replace(SERVER, server or SERVER_NAME).replace(TOOL, tool)


def by_template(offered: Iterable[Name], template: str, tool: str, server: str) -> Name | None:
    """The only offered tool that a template means; `*` is for any characters."""
    wanted = filled(re.sub(r"([\[?])", r"[\1]", template), tool, server)
    return _only(one for one in offered if fnmatchcase(one[1], wanted))


def by_words(offered: Iterable[Name], tool: str) -> Name | None:
    """The only offered tool whose name has that of the tool in it, whatever joins its words."""
    return _only(one for one in offered if _pattern(tool).search(f"{one[0]}/{one[1]}"))


def by_description(
    offered: Mapping[Name, Offered], tool: str, descriptions: Mapping[str, str]
) -> Name | None:
    """The only offered tool with the description of the tool, which no other tool has."""
    return _only(
        name
        for name, one in offered.items()
        if [own for own, text in descriptions.items() if _is_same(one.description, text)] == [tool]
    )


def template_of(names: Mapping[str, Name]) -> Name | None:
    """The form of all found names, from tool to name; None if they have no common one.

    A name that goes on behind the tool has to be seen twice: a digest looks like a fixed end.
    """
    forms = {
        (group.replace(tool, TOOL), TOOL.join(name.rsplit(tool, 1)))
        for tool, (group, name) in names.items()
    }
    form = forms.pop() if len(forms) == 1 else ("", "")
    is_seen_twice = len(names) > 1 or form[1].endswith(TOOL)
    return form if TOOL in form[1] and is_seen_twice else None


def by_form(form: Name, tool: str, server: str) -> Name:
    """The name of a tool by the form of others, for a server that may have another name."""
    group, name = (one.replace(SERVER_NAME, SERVER) if server else one for one in form)
    return filled(group, tool, server), filled(name, tool, server)


def _only(found: Iterable[Name]) -> Name | None:
    names = list(found)
    return names[0] if len(names) == 1 else None


@lru_cache(maxsize=1_000)
def _pattern(tool: str) -> re.Pattern[str]:
    words = [re.escape(word) for word in re.split(r"[\W_]+", tool) if word]
    joined = r"[\W_]*".join(words) or r"(?!)"
    return re.compile(rf"(?<![^\W_]){joined}(?![^\W_])", re.IGNORECASE)


def _is_same(offered: str, own: str) -> bool:
    """True if a host gives its model this description, with more around it or cut."""
    if not own or not offered:
        return False
    cut = offered.rstrip(_CUT)
    return own in offered or (len(cut) >= _LEAST and own.startswith(cut))
