"""Defects of a greeting, a tool or a page of tools that cost a server in client libraries.

Each function looks at raw JSON, in time that grows with the size of what it looks at. No pattern
is compiled and nothing is fetched. The schemas of a tool are in `schema_defects`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ..hints import HINT_KEYS
from .schema_defects import input_defects, output_defects

if TYPE_CHECKING:
    from ...content.json.jsonio import JsonValue, Path

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


@dataclass(frozen=True, slots=True)
class Defect:
    """A place that some clients cannot read: the code of its rule, and the path in what came."""

    rule: str
    path: Path


def defects_of_greeting(result: JsonValue) -> list[Defect]:
    """What clients refuse in the result of `initialize`."""
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
    """What clients refuse in a page of `tools/list`, beside its entries."""
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
    """What clients refuse in an entry of `tools/list`; the first place of each rule."""
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
    """Whether pydantic takes a value that is not true or false for one of them."""
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
