"""Findings on the files of a skill that are about its text: a model reads it as instructions.

The sections that are cited are those of "Security Considerations" in skills.mdx.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final
from urllib.parse import urlsplit

from ...content.json.jsonio import JsonValue
from ...content.labels import some_listed
from ...content.text import count, hidden, shortened
from ...content.texts.addressing import addressing
from ..findings.findings import Finding, note, warning
from ..findings.model_texts import ADDRESSES_MODEL, QUOTED
from .skills import Skill

LOOKED_AT: Final = 200_000
"""Characters of a file that are searched."""
_PIECE: Final = 20_000
_OVERLAP: Final = 400
_NAMED: Final = 3
_SHOWN: Final = 80
_SCRIPTS: Final = (
    *(".py", ".sh", ".bash", ".zsh", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".lua"),
    *(".ps1", ".bat", ".cmd", ".exe", ".jar", ".com", ".scpt", ".vbs", ".wasm"),
)
_ALLOWED: Final = ("allowed-tools", "allowedTools", "allowed_tools")
_RUNS: Final = ("hooks", "scripts", "command", "commands", "mcpServers", "mcp-servers")
_TOOL: Final = r"`([A-Za-z][A-Za-z0-9_-]{1,63})(?:\([^`\n]{0,80}\))?`"
_NAMES_TOOL: Final = re.compile(
    rf"\b(?:call|invoke)\s+(?:the\s+)?(?:tool\s+)?{_TOOL}"
    rf"|\btools?\s+(?:named\s+|called\s+)?{_TOOL}|{_TOOL}\s+tool\b",
    re.IGNORECASE,
)
_URL: Final = re.compile(r"https?://[^\s<>\"'`)\]]{1,300}")


def text_findings(
    skill: Skill, uri: str, text: str, tools: Collection[str] | None
) -> Iterator[Finding]:
    """Findings on a file's text, before a model reads it. `tools` are the names of the
    server's own; None if they are not known.
    """
    looked_at = text[:LOOKED_AT].replace("\r\n", "\n")
    addressed = dict.fromkeys(_addressed(looked_at))
    for words in some_listed([*addressed], _NAMED, lambda one: f"“{shortened(one, QUOTED)}”"):
        yield warning(ADDRESSES_MODEL, f"addresses a model: {words}", uri)
    if marks := hidden(looked_at):
        yield warning("hidden-characters", "has " + ", ".join(marks), uri)
    if tools is not None:
        named = [next(filter(None, one.groups())) for one in _NAMES_TOOL.finditer(looked_at)]
        unknown = [one for one in dict.fromkeys(named) if one not in tools]
        for name in some_listed(unknown, _NAMED, lambda one: f"“{one}”"):
            yield warning("skill-tool-unknown", f"names a tool that the server lacks: {name}", uri)
    hosts = [host for one in _URL.findall(looked_at) if (host := _host(one))]
    if hosts:
        listed = ", ".join(some_listed([*dict.fromkeys(hosts)], _NAMED))
        yield note("skill-external-url", f"leads to other places: {shortened(listed, 200)}", uri)
    if looked_at.startswith("#!") and not is_script(uri):
        yield note("skill-runs-code", "a script, by its first line", uri)


def _addressed(text: str) -> Iterator[str]:
    """The patterns look at so many characters of a text: a long one goes to them in pieces."""
    for start in range(0, max(len(text), 1), _PIECE - _OVERLAP):
        piece = text[start : start + _PIECE]
        yield from (piece[begin:end] for begin, end in addressing(piece))


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def is_script(uri: str) -> bool:
    """Whether a file is made to be run, by the end of its name."""
    return uri.lower().endswith(_SCRIPTS)


def entry_findings(skill: Skill) -> Iterator[Finding]:
    """What an entry asks of a host: permissions, and programs that it may run."""
    head: Mapping[str, JsonValue] = skill.frontmatter
    for key in _ALLOWED:
        if (value := head.get(key)) not in (None, "", []):
            words = value if isinstance(value, str) else ", ".join(map(str, _items(value)))
            asked = f"{key} requests “{shortened(words, _SHOWN)}”: no host may grant it unapproved"
            yield warning("skill-grants-tools", asked, f"$.frontmatter.{key}")
    for key in _RUNS:
        if head.get(key) not in (None, "", [], {}):
            words = f"{key} in the frontmatter may start programs on the host"
            yield warning("skill-runs-code", words, f"$.frontmatter.{key}")
    scripts = [skill.path(one.uri) for one in skill.files if is_script(one.uri)]
    if scripts:
        listed = ", ".join(some_listed(scripts, _NAMED, lambda one: shortened(one, _SHOWN)))
        yield note("skill-runs-code", f"{count(len(scripts), 'script')}: {listed}")
    for path, text in _texts(head):
        for begin, end in addressing(text):
            quoted = shortened(text[begin:end], QUOTED)
            yield warning(ADDRESSES_MODEL, f"addresses a model: “{quoted}”", path)
        if marks := hidden(text):
            yield warning("hidden-characters", "has " + ", ".join(marks), path)


def _items(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else [value]


def _texts(head: Mapping[str, JsonValue]) -> Iterator[tuple[str, str]]:
    for key, value in head.items():
        if isinstance(value, str):
            yield f"$.frontmatter.{key}", value
