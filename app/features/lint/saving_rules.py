"""The rule on tools that are declared read-only, with a parameter for a file to save to.

A finding that is often wrong is not read. So a parameter counts if its description names the act
of saving and a place, or if its name is that of an output file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ...approval.archetypes.holding import words_of
from ...content.text import shortened
from ...protocol.findings.findings import Severity
from ...protocol.hints import Effect
from ...protocol.tool import ToolDefinition
from ...schemas.parameters import Parameter, choices, parameters
from .rule import AS_DESTRUCTIVE, LintHit, LintRule, of_each, taking, with_keys

_SHOWN: Final = 40
_LOOKED_AT: Final = 2_000
_INPUT: Final = "inputSchema"
_PLACES: Final = frozenset(
    ("file", "files", "filename", "filepath", "path", "dir", "directory", "folder", "disk")
)
_PLACE: Final = r"(?:file|filename|filepath|path|director(?:y|ies)|folder|disk)s?"
_SAVE: Final = r"(?:save|write|export|dump|download|output|store)"
_SAVED: Final = r"(?:saved|written|exported|dumped|downloaded|output|stored)"
_SAVES: Final = re.compile(
    rf"(?:(?:\bto\s+|^\s*|[.;:(]\s*)(?:also\s+)?{_SAVE}s?"
    r"|\b(?:saves|writes|saving|writing|exporting|downloading|dumping)"
    rf"|\b(?:will|should|must|may|to)\s+be\s+{_SAVED})\b"
    r"(?:\s+[\w'’-]+){0,6}?\s+(?:to|into|in|as|at)\b"
    rf"(?P<place>\s+(?:a|an|the|this|that|your)?\s*(?:[\w-]+\s+){{0,2}}?{_PLACE}\b)?"
    rf"|\b(?:where|path|filename|directory|folder|location)\s+to\s+{_SAVE}\b",
    re.IGNORECASE,
)
"""An act of saving that leads somewhere: `to save the screenshot to`, `will be written into`."""
_READS: Final = re.compile(
    r"\b(?:previously|already|last|was|were|been)\s+(?:saved|written|exported|downloaded|dumped)\b"
    r"|\bto (?:read|load|open|restore|import|parse|inspect|upload)\b",
    re.IGNORECASE,
)
_MEANS_OUTPUT: Final = frozenset(("output", "out", "save"))
_JOINED: Final = frozenset(("outfile", "outputfile", "savepath", "saveto", "outputpath"))
_ANY_TYPE: Final = frozenset(("string", "array", "boolean"))


def _saves_file(tool: ToolDefinition) -> Iterator[LintHit]:
    if tool.effect is not Effect.READ_ONLY:
        return
    root = tool.input_schema
    for one in parameters(root, _INPUT):
        if choices(one.schema, root) is not None or not (_types(one) & _ANY_TYPE):
            continue
        if words := _words(one):
            message = (
                f"“{shortened(one.name, _SHOWN)}” is a file to save to ({words}), and readOnlyHint "
                "is true"
            )
            supposed = {"readOnly": False, "destructive": True}
            yield LintHit(tool, message, one.path, supposed=supposed)
            return


def _words(one: Parameter) -> str:
    """The words of a parameter by which it takes a file to save to; empty without such words."""
    description = one.words.get("description")
    text = description[:_LOOKED_AT] if isinstance(description, str) else ""
    name = words_of(one.name)
    is_read = bool(_READS.search(text))
    acts = _SAVES.finditer(text) if not is_read else ()
    if found := next((one for one in acts if _names_place(name) or one["place"]), None):
        return f"“{shortened(found.group().lstrip('.;:( '), _SHOWN)}”"
    is_output = bool(_MEANS_OUTPUT & {*name}) and _names_place(name)
    is_joined = not _JOINED.isdisjoint(("".join(name), *name))
    if (is_output or is_joined) and "boolean" not in _types(one) and not is_read:
        return "by its name"
    return ""


def _names_place(name: list[str]) -> bool:
    return bool(_PLACES & {*name})


def _types(one: Parameter) -> set[str]:
    """The types of a parameter, those of its alternatives among them; `string` without any."""
    found: set[str] = set()
    alternatives = [one.words.get(word) for word in ("anyOf", "oneOf")]
    listed = [each for many in alternatives if isinstance(many, list) for each in many]
    for words in (one.words, *listed):
        kind = words.get("type") if isinstance(words, dict) else None
        kinds = kind if isinstance(kind, list) else [kind]
        found.update(each for each in kinds if isinstance(each, str))
    return found or {"string"}


def _taking_file(description: str, name: str = "filename") -> dict[str, object]:
    schema = {"type": "string", "description": description}
    return taking({name: schema})


RULES: Final = (
    LintRule(
        "read-only-saves-file",
        Severity.WARNING,
        "declared read-only, but a parameter names a file to save to",
        "A read-only tool runs without asking on a trusted server. With such an argument it writes "
        "a file, and can overwrite one.",
        "Set readOnlyHint: false, or make a tool of its own that saves.",
        of_each(_saves_file),
        (_taking_file("File name to save the screenshot to."),),
        (
            with_keys(
                _taking_file("File name to save the screenshot to."),
                annotations={"readOnlyHint": False, "destructiveHint": True},
            ),
        ),
        supposing=AS_DESTRUCTIVE,
    ),
)
