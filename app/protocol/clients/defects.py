"""Defects of an initialization, a tool, its schemas or a page of tools in client libraries.

Each function looks at raw JSON, in time that grows with its size. No pattern is compiled and
nothing is fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from ...content.frozen import frozen
from ...schemas.habits import habits, subschemas
from ..hints import HINT_KEYS

if TYPE_CHECKING:
    from ...content.json.jsonio import JsonValue, Path

Place = tuple[str, "Path"]
"""The code of a rule, and the path in the tool."""

_MAX_LOOKED_AT: Final = 2_000
_DEFINED: Final = ("$defs", "definitions")
_ESCAPE: Final = re.compile(r"\\(.)|\(\?<(?![=!])", re.DOTALL)
_OF_PYTHON: Final = frozenset("AbBdDsSwWZafnrtvxuUN")
"""Letters that may follow a backslash in a regular expression of Python."""
_KNOWN: Final = frozenset(
    [f"http://json-schema.org/draft-0{number}/schema" for number in (6, 7)]
    + [f"https://json-schema.org/draft/{one}/schema" for one in ("2019-09", "2020-12")]
)
_DIALECTS: Final = ("http://json-schema.org/", "https://json-schema.org/")


def input_defects(schema: JsonValue) -> Iterator[Place]:
    """Yield defects of an input schema."""
    at = "inputSchema"
    if not isinstance(schema, dict):
        yield "malformed-member", (at,)
        return
    if schema.get("type") != "object":
        yield "input-not-object", (at, "type")
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if isinstance(properties, dict):
        yield from _booleans(at, properties)
        for name, one in properties.items():
            if one is None or isinstance(one, list):
                rule = "property-null" if one is None else "property-list"
                yield rule, (at, "properties", name)
    else:
        rule = "input-properties" if properties is not None else "null-properties"
        yield rule, (at, "properties")
    if required is None:
        yield "null-required", (at, "required")
    elif not isinstance(required, list) or not all(isinstance(one, str) for one in required):
        yield "input-required", (at, "required")


def _booleans(at: str, properties: dict[str, JsonValue]) -> Iterator[Place]:
    for name, one in properties.items():
        if isinstance(one, bool):
            yield "property-true", (at, "properties", name)
            return


def output_defects(schema: dict[str, JsonValue]) -> Iterator[Place]:
    """Yield defects of an output schema."""
    at = "outputSchema"
    kind, declared = schema.get("type"), schema.get("$schema")
    if "type" not in schema:
        yield "output-without-type", (at,)
    elif kind != "object":
        yield "output-not-object", (at, "type")
    properties = schema.get("properties", {})
    if isinstance(properties, dict):
        yield from _booleans(at, properties)
    else:
        yield "output-properties", (at, "properties")
    if "required" in schema and schema["required"] is None:
        yield "null-output-required", (at, "required")
    if isinstance(declared, str) and declared.rstrip("#") not in _KNOWN:
        yield "output-dialect", (at, "$schema")
    for habit in habits(schema):
        place = (at, *habit.path)
        if habit.is_refused:
            yield ("output-not-compiled" if habit.is_invalid else "output-refused-by-ajv"), place
        elif habit.is_invalid:
            yield "output-tuple", place
    for rule, place in _of_subschemas(schema):
        yield rule, (at, *place)


def _of_subschemas(schema: dict[str, JsonValue]) -> Iterator[Place]:
    """References without a target, and patterns; definitions count if something refers to them."""
    level: list[tuple[Path, JsonValue]] = [((), schema)]
    seen: set[int] = set()
    for place, node in level:
        if not isinstance(node, dict) or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(ref := node.get("$ref"), str):
            target, is_found = _target(schema, ref)
            if not is_found:
                yield "output-ref", (*place, "$ref")
            elif target is not None:
                level.append((place, target))
        if isinstance(node.get("$dynamicRef"), str):
            yield "output-dynamic-ref", (*place, "$dynamicRef")
        if "prefixItems" in node and node.get("items", True) not in (True, {}):
            yield "output-prefix-items", (*place, "prefixItems")
        if isinstance(pattern := node.get("pattern"), str) and not _is_of_python(pattern):
            yield "output-pattern-not-python", (*place, "pattern")
        if len(level) < _MAX_LOOKED_AT:
            # Clients compile the schemas that a `$ref` names.
            level += [
                (at, one) for at, one in subschemas(node, place) if at[len(place)] not in _DEFINED
            ]


def _target(schema: dict[str, JsonValue], ref: str) -> tuple[JsonValue, bool]:
    """The subschema that a reference means, None if it is not known; False if there is none."""
    if ref == "#":
        return None, True
    if not ref.startswith("#/"):
        return None, ref.startswith(_DIALECTS) or _has_names(schema)
    node: JsonValue = schema
    for step in ref[2:].split("/"):
        name = unquote(step).replace("~1", "/").replace("~0", "~")
        if isinstance(node, dict) and name in node:
            node = node[name]
        elif isinstance(node, list) and name.isascii() and name.isdigit() and len(name) < 6:
            if int(name) >= len(node):
                return None, _has_names(schema)
            node = node[int(name)]
        else:
            return None, _has_names(schema)
    return node, True


def _has_names(schema: dict[str, JsonValue]) -> bool:
    """True if a subschema has a name or a base of its own, or too many to look at."""
    level: list[tuple[Path, JsonValue]] = [((), schema)]
    for place, node in level:
        if isinstance(node, dict):
            if not {"$id", "id", "$anchor", "$dynamicAnchor"}.isdisjoint(node):
                return True
            level += subschemas(node, place)
        if len(level) > _MAX_LOOKED_AT:
            return True
    return False


def _is_of_python(pattern: str) -> bool:
    """True if a pattern has no escape and no group that Python does not know."""
    for found in _ESCAPE.finditer(pattern):
        letter = found[1]
        if letter is None or (letter.isascii() and letter.isalpha() and letter not in _OF_PYTHON):
            return False
    return True


_TEXTS: Final = ("title", "description")
_OBJECTS: Final = ("annotations", "outputSchema", "_meta")
_INFO: Final = ("title", "icons", "websiteUrl", "description")
_CAPABILITIES: Final = ("tools", "prompts", "resources", "completions", "logging")
_FLAGS: Final = ("listChanged", "subscribe")
_TASKS: Final = ("required", "optional", "forbidden")
_ICONS_MAX: Final = 100
_COERCED: Final = frozenset(
    ["true", "false", "yes", "no", "on", "off", "t", "f", "y", "n", "1", "0"]
)


@frozen
class Defect:
    """A place that some clients cannot read: the code of its rule, and the path."""

    rule: str
    path: Path


def defects_of_greeting(result: JsonValue) -> list[Defect]:
    """List defects in the result of `initialize`."""
    if not isinstance(result, dict):
        return [Defect("malformed-greeting", ())]
    return list(_of_greeting(result))


def _of_greeting(result: dict[str, JsonValue]) -> Iterator[Defect]:
    info, capabilities = result.get("serverInfo"), result.get("capabilities")
    if not isinstance(result.get("protocolVersion"), str):
        yield Defect("malformed-greeting", ("protocolVersion",))
    if "instructions" in result and not isinstance(result["instructions"], str):
        is_null = result["instructions"] is None
        yield Defect("null-in-greeting" if is_null else "malformed-greeting", ("instructions",))
    if "_meta" in result and result["_meta"] is None:
        yield Defect("null-meta-in-greeting", ("_meta",))
    if isinstance(info, dict):
        for key in ("name", "version"):
            if not isinstance(info.get(key), str):
                yield Defect("malformed-greeting", ("serverInfo", key))
        for key in _INFO:
            if key in info and info[key] is None:
                rule = "null-in-greeting" if key == "title" else "null-icons-in-greeting"
                yield Defect(rule, ("serverInfo", key))
    else:
        yield Defect("malformed-greeting", ("serverInfo",))
    if isinstance(capabilities, dict):
        yield from _of_capabilities(capabilities)
    else:
        yield Defect("malformed-greeting", ("capabilities",))


def _of_capabilities(capabilities: dict[str, JsonValue]) -> Iterator[Defect]:
    if "tasks" in capabilities and capabilities["tasks"] is None:
        yield Defect("null-icons-in-greeting", ("capabilities", "tasks"))
    for key in (*_CAPABILITIES, "experimental"):
        if key not in capabilities:
            continue
        value, place = capabilities[key], ("capabilities", key)
        if value is None:
            yield Defect("null-in-greeting", place)
        elif not isinstance(value, dict):
            yield Defect("malformed-greeting", place)
        elif key == "experimental":
            for name, one in value.items():
                if not isinstance(one, dict):
                    yield Defect("malformed-experimental", (*place, name))
                    break
        else:
            for flag in _FLAGS:
                if flag in value and not isinstance(value[flag], bool):
                    yield Defect("malformed-flag", (*place, flag))


def defects_of_page(result: JsonValue) -> list[Defect]:
    """List defects in a page of `tools/list`, beside its entries."""
    if not isinstance(result, dict):
        return [Defect("malformed-page", ())]
    found = []
    if "nextCursor" in result and not isinstance(result["nextCursor"], str):
        is_null = result["nextCursor"] is None
        found.append(Defect("null-cursor" if is_null else "malformed-page", ("nextCursor",)))
    if "_meta" in result and result["_meta"] is None:
        found.append(Defect("null-meta-of-page", ("_meta",)))
    if not isinstance(result.get("tools"), list):
        found.append(Defect("malformed-page", ("tools",)))
    return found


def defects_of_tool(entry: JsonValue) -> list[Defect]:
    """List defects in an entry of `tools/list`; the first place of each rule."""
    if not isinstance(entry, dict):
        return [Defect("malformed-member", ())]
    first: dict[str, Defect] = {}
    for one in _of_tool(entry):
        first.setdefault(one.rule, one)
    return list(first.values())


def _of_tool(entry: dict[str, JsonValue]) -> Iterator[Defect]:
    if not isinstance(entry.get("name"), str):
        yield Defect("malformed-member", ("name",))
    for key in _TEXTS:
        if key in entry and not isinstance(entry[key], str):
            yield Defect("null-member" if entry[key] is None else "malformed-member", (key,))
    for key in _OBJECTS:
        if key in entry and not isinstance(entry[key], dict):
            yield Defect("null-member" if entry[key] is None else "malformed-member", (key,))
    if isinstance(annotations := entry.get("annotations"), dict):
        yield from _of_annotations(annotations)
    if "icons" in entry:
        yield from _of_icons(entry["icons"])
    if "execution" in entry:
        yield from _of_execution(entry["execution"])
    yield from (Defect(rule, path) for rule, path in input_defects(entry.get("inputSchema")))
    if isinstance(schema := entry.get("outputSchema"), dict):
        yield from (Defect(rule, path) for rule, path in output_defects(schema))


def _of_annotations(annotations: dict[str, JsonValue]) -> Iterator[Defect]:
    for key in HINT_KEYS:
        if key in annotations and not isinstance(annotations[key], bool):
            value = annotations[key]
            rule = "malformed-hint" if is_coerced(value) else "malformed-member"
            yield Defect("null-hint" if value is None else rule, ("annotations", key))
    if "title" in annotations and not isinstance(annotations["title"], str):
        is_null = annotations["title"] is None
        yield Defect("null-hint" if is_null else "malformed-member", ("annotations", "title"))


def is_coerced(value: JsonValue) -> bool:
    """True if pydantic takes a value that is not true or false for one of them."""
    if isinstance(value, str):
        return value.lower() in _COERCED
    return isinstance(value, int | float) and value in (0, 1)


def _of_icons(icons: JsonValue) -> Iterator[Defect]:
    if not isinstance(icons, list):
        yield Defect("null-icons" if icons is None else "malformed-icons", ("icons",))
        return
    for index, icon in enumerate(icons[:_ICONS_MAX]):
        place = ("icons", index)
        if not isinstance(icon, dict):
            yield Defect("malformed-icons", place)
            continue
        if not isinstance(icon.get("src"), str):
            yield Defect("malformed-icons", (*place, "src"))
        for key in ("mimeType", "sizes", "theme"):
            if key in icon and icon[key] is None:
                yield Defect("null-icons", (*place, key))
        if not isinstance(icon.get("mimeType", ""), str | None):
            yield Defect("malformed-icons", (*place, "mimeType"))
        if not isinstance(icon.get("sizes", []), list | None):
            yield Defect("malformed-icons", (*place, "sizes"))
        if icon.get("theme") not in (None, "light", "dark"):
            yield Defect("icon-theme", (*place, "theme"))


def _of_execution(execution: JsonValue) -> Iterator[Defect]:
    if not isinstance(execution, dict):
        yield Defect("null-icons" if execution is None else "malformed-icons", ("execution",))
    elif "taskSupport" in execution and execution["taskSupport"] not in _TASKS:
        is_null = execution["taskSupport"] is None
        rule = "null-icons" if is_null else "malformed-icons"
        yield Defect(rule, ("execution", "taskSupport"))
