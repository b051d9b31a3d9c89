"""Display templates: one line for a call, and one for each block of its result.

Draft `specification/draft/display-templates.mdx`, "Rendering semantics": names in braces are
replaced by top-level arguments, `{{` and `}}` are braces, and a value that is missing or not a
scalar is `...`. "Security Implications": what a template leaves out is marked, and the raw
arguments stay in view. A template is the server's claim: it is drawn beside the arguments, never
in their place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonError, JsonValue, compact, pointer
from ...content.labels import some_named
from ...content.text import cut, shortened, spans, visible
from ...content.texts.sheet_line import Piece
from ...schemas.parameters import resolved
from ...schemas.schema import SchemaAnswer, judge
from ..findings.findings import Finding, note, warning
from ..tool import ToolDefinition
from .register import EXTENSIONS

NAME: Final = "display-templates"
KEY: Final = EXTENSIONS[NAME].identifier
BRANCH_KEY: Final = "io.modelcontextprotocol/display-template"
"""The key beside the keywords of one branch of `oneOf` or `anyOf`."""
LINE_MAX: Final = 200
"""Characters of a preview, before its marks."""
VALUE_MAX: Final = 60
"""Characters of one value in it: a long one must not push the others out of sight."""
USUAL_MAX: Final = 100
"""Characters of a template that fits on a line of most hosts."""
BRANCHES_MAX: Final = 50
NAMES_SHOWN: Final = 5
SUMMARIES_MAX: Final = 100
_NAME_SHOWN: Final = 40
_READ_MAX: Final = 20_000
"""Characters of a template that are looked at."""
_ABSENT: Final = "..."
_TOKEN: Final = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
_WORDS: Final = ("$schema", "$defs", "definitions")
"""What a branch needs of the schema around it to be judged alone."""


@frozen
class DisplayTemplate:
    """One template of a tool. `text` is raw; `path` is its place, safe to show."""

    text: str
    path: str
    pinned: frozenset[str] = frozenset()
    """Arguments that its branch pins to one value: its template implies them."""


@frozen
class SchemaBranch:
    """One branch of `oneOf` or `anyOf`, with the words of the schema around it."""

    schema: JsonValue
    path: str
    template: DisplayTemplate | None


@frozen
class CallPreview:
    """A template with the arguments of one call. All of it is safe to show."""

    pieces: tuple[Piece, ...]
    omitted: tuple[str, ...]
    """Exact names of arguments that are sent and that the line does not show; raw."""
    path: str

    @property
    def words(self) -> str:
        """The line, without its roles."""
        return "".join(text for text, _ in self.pieces)

    @property
    def omission(self) -> str:
        """`the template leaves out a, b`; empty if it leaves out nothing."""
        return f"the template leaves out {named(self.omitted)}" if self.omitted else ""

    def as_json(self) -> dict[str, JsonValue]:
        """The line, its place, and what it leaves out."""
        return {"text": self.words, "path": self.path, "omitted": list(self.omitted)}


def in_quotes(text: str) -> str:
    """A safe text in quotes that it cannot close."""
    return "“" + text.replace("”", "\\”") + "”"


def named(names: Sequence[str]) -> str:
    """The first few names in quotes, and how many more there are; safe to show."""
    return some_named(names, NAMES_SHOWN, lambda one: in_quotes(shortened(one, _NAME_SHOWN)))


def tool_template(tool: ToolDefinition) -> DisplayTemplate | None:
    """The template in the `_meta` of a tool; None without one."""
    meta = tool.raw.get("_meta") if isinstance(tool.raw, dict) else None
    held = meta.get(KEY) if isinstance(meta, dict) else None
    text = held.get("template") if isinstance(held, dict) else None
    path = f"{pointer(('_meta', KEY))}.template"
    return DisplayTemplate(text, path) if isinstance(text, str) else None


def branches(schema: JsonValue) -> tuple[SchemaBranch, ...]:
    """The branches of an input schema, in the order of the document."""
    if not isinstance(schema, dict):
        return ()
    around: dict[str, JsonValue] = {word: schema[word] for word in _WORDS if word in schema}
    found: list[SchemaBranch] = []
    for word, listed in schema.items():
        if word not in ("oneOf", "anyOf") or not isinstance(listed, list):
            continue
        for at, raw in enumerate(listed):
            steps = ("inputSchema", word, at)
            branch = resolved(raw, schema)
            text = branch.get(BRANCH_KEY) if isinstance(branch, dict) else None
            template = None
            if isinstance(text, str):
                path = pointer((*steps, BRANCH_KEY))
                template = DisplayTemplate(text, path, frozenset(_pinned(branch, schema)))
            judged: JsonValue = {**around, **raw} if isinstance(raw, dict) else raw
            found.append(SchemaBranch(judged, pointer(steps), template))
    return tuple(found[:BRANCHES_MAX])


def templates(tool: ToolDefinition) -> tuple[DisplayTemplate, ...]:
    """All templates of a tool: its own, then those of its branches."""
    own = tool_template(tool)
    of_branches = (one.template for one in branches(tool.input_schema))
    return tuple(one for one in (own, *of_branches) if one is not None)


def _pinned(branch: JsonValue, root: JsonValue) -> Iterator[str]:
    for name, schema in _properties(branch).items():
        words = resolved(schema, root)
        if isinstance(words, dict):
            only = words.get("enum")
            if "const" in words or (isinstance(only, list) and len(only) == 1):
                yield name


def _properties(schema: JsonValue) -> dict[str, JsonValue]:
    found = schema.get("properties") if isinstance(schema, dict) else None
    return found if isinstance(found, dict) else {}


def first_matching(schemas: Sequence[JsonValue], arguments: JsonValue) -> int | None:
    """The place of the first schema that the arguments match; None if none does.

    One that cannot be judged ends the search: which branch is the first is not known then. To be
    run in the worker.
    """
    for at, schema in enumerate(schemas):
        match judge(schema, arguments).answer:
            case SchemaAnswer.VALID:
                return at
            case SchemaAnswer.INVALID:
                continue
            case _:
                return None
    return None


def placeholders(text: str) -> list[str]:
    """The names in braces, in their order; a name may be there twice."""
    return [one for one in _TOKEN.findall(text[:_READ_MAX]) if one] if "{" in text else []


def preview_of(template: DisplayTemplate, arguments: Mapping[str, JsonValue]) -> CallPreview:
    """Fill in a template; never raises, and the line is bounded whatever the server sent.

    An argument behind the end of a line that was cut is left out, too.
    """
    pieces: list[Piece] = []
    told = set(template.pinned)
    left = LINE_MAX
    text = template.text[:_READ_MAX]
    is_cut = len(text) < len(template.text)
    for piece, name in _tokens(text):
        shown = piece if name is None else shortened_value(arguments, name)
        if not shown:
            # An empty value is shown by its absence.
            told |= {name} if name is not None else set()
            continue
        short = cut(shown, left)
        role = "" if name is None else "strong"
        pieces += [(one.text, "mark" if one.mark else role) for one in spans(short.text)]
        left -= len(short.text)
        if name is not None and short.text:
            told.add(name)
        if short.is_cut:
            is_cut = True
            break
    if is_cut:
        pieces.append(("…", "mark"))
    omitted = tuple(one for one in arguments if one not in told)
    return CallPreview(tuple(pieces), omitted, template.path)


def _tokens(text: str) -> Iterator[tuple[str, str | None]]:
    """The literal pieces of a template, and the names in braces, each with its piece."""
    at = 0
    for found in _TOKEN.finditer(text):
        yield text[at : found.start()], None
        at = found.end()
        name = found.group(1)
        yield (found.group()[0], None) if name is None else ("", name)
    yield text[at:], None


def shortened_value(arguments: Mapping[str, JsonValue], name: str) -> str:
    """A scalar as text, cut with a mark; `...` for anything else. Raw: it is not sanitised."""
    value = arguments.get(name)
    if name not in arguments or isinstance(value, dict | list):
        return _ABSENT
    if isinstance(value, str):
        text = value
    else:
        try:
            text = compact(value)
        except JsonError:
            return _ABSENT
    short = cut(text, VALUE_MAX)
    return f"{short.text}…" if short.is_cut else short.text


def template_findings(tool: ToolDefinition) -> Iterator[Finding]:
    """What a reader of the definition learns of its templates, and their flaws."""
    yield from _malformed(tool)
    schema = tool.input_schema
    root = schema if isinstance(schema, dict) else {}
    for place, template in _placed(tool):
        known = [*_properties(root), *_properties(place)]
        required = [one for one in (*_required(root), *_required(place)) if one in known]
        told = {*placeholders(template.text), *template.pinned}
        path = template.path
        shown = in_quotes(shortened(template.text, USUAL_MAX))
        yield note("display-template", f"the server's template is {shown}", path)
        if strange := _unique(one for one in placeholders(template.text) if one not in known):
            words = f"the template names {named(strange)}, which the schema does not define"
            yield warning("template-unknown-name", words, path)
        if lacking := _unique(one for one in required if one not in told):
            words = f"the template leaves out {named(lacking)}, which the schema requires"
            yield warning("template-omits-required", words, path)
        if lacking := _unique(one for one in known if one not in told and one not in required):
            words = f"the template leaves out the optional {named(lacking)}"
            yield note("template-omits-optional", words, path)
        if len(template.text) > USUAL_MAX:
            words = f"the template has {len(template.text):,} characters: hosts cut it"
            yield note("template-long", words, path)
        if tool.hints.destructive.effective and not tool.hints.read_only.effective:
            words = "the tool may destroy: hosts should show its raw arguments instead"
            yield note("template-on-destructive", words, path)


def _placed(tool: ToolDefinition) -> Iterator[tuple[JsonValue, DisplayTemplate]]:
    """Each template with the schema of its branch; of the tool's own an empty one."""
    if (own := tool_template(tool)) is not None:
        yield {}, own
    for branch in branches(tool.input_schema):
        if branch.template is not None:
            yield resolved(branch.schema, tool.input_schema), branch.template


def _malformed(tool: ToolDefinition) -> Iterator[Finding]:
    meta = tool.raw.get("_meta") if isinstance(tool.raw, dict) else None
    if isinstance(meta, dict) and KEY in meta and tool_template(tool) is None:
        words = "the display template is not an object with a string `template`"
        yield warning("malformed-display-template", words, pointer(("_meta", KEY)))


def _required(schema: JsonValue) -> list[str]:
    found = schema.get("required") if isinstance(schema, dict) else None
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _unique(names: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(names))


def display_texts(result: JsonValue) -> tuple[dict[int, str], list[Finding]]:
    """The server's line for each block that has one, by its place, and findings on malformed ones.

    The line is safe to show, in quotes that it cannot close, and bounded.
    """
    found: dict[int, str] = {}
    findings: list[Finding] = []
    blocks = result.get("content") if isinstance(result, dict) else None
    for at, block in enumerate(blocks[:SUMMARIES_MAX] if isinstance(blocks, list) else ()):
        meta = block.get("_meta") if isinstance(block, dict) else None
        if not isinstance(meta, dict) or KEY not in meta:
            continue
        held = meta[KEY]
        text = held.get("text") if isinstance(held, dict) else None
        if isinstance(text, str):
            short = cut(text, LINE_MAX)
            found[at] = in_quotes(visible(short.text) + "…" * short.is_cut)
        else:
            words = "the display text is not an object with a string `text`"
            path = pointer(("content", at, "_meta", KEY))
            findings.append(warning("malformed-display-text", words, path))
    return found, findings
