"""Checks required fields of results and errors, capabilities, and names of `_meta`.

Fields are checked for presence and type; places are JSON Pointers. Results of `resources/read`,
`prompts/get` and `tools/call` are checked by the modules that read them.

Spec 2025-11-25 and 2026-07-28, basic, "Responses" and "_meta", and schema;
server/utilities/caching. Spec 2025-11-25, basic/lifecycle; spec 2026-07-28, server/discover and
basic/versioning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from ...content.json.jsonio import JsonValue
from ...content.text import shortened
from ..findings.findings import Finding, error, note, warning

SHOWN: Final = 80
FOUND_MAX: Final = 20
"""Findings of one message."""

_WORDS: Final[Mapping[str, str]] = {
    "text": "a string",
    "object": "an object",
    "array": "an array",
    "flag": "true or false",
    "number": "a number",
    "integer": "an integer",
}


def quoted(value: JsonValue) -> str:
    """A string of a server, short and safe to show."""
    return f"“{shortened(value if isinstance(value, str) else str(value), SHOWN)}”"


def json_pointer(*steps: str | int) -> str:
    """A place by RFC 6901: `/result/capabilities/tools`; safe to show."""
    found = (str(step).replace("~", "~0").replace("/", "~1") for step in steps)
    return "".join(f"/{shortened(step, SHOWN)}" for step in found)


def has_type(value: JsonValue, kind: str) -> bool:
    """True if a value is of a `kind`, which is one of the words of this module."""
    match kind:
        case "text":
            return isinstance(value, str)
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "flag":
            return isinstance(value, bool)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case _:
            return isinstance(value, int | float) and not isinstance(value, bool)


class Fields:
    """Checks the fields of one message, and collects the findings."""

    def __init__(self, what: str) -> None:
        """`what` names the message, for people: `the response to initialize`."""
        self._what = what
        self.findings: list[Finding] = []

    def want(
        self, holder: JsonValue, kind: str, *path: str | int, is_harmless: bool = False
    ) -> JsonValue:
        """The last of `path` has to be in `holder`, which is the object before it."""
        name = path[-1]
        if not isinstance(holder, dict) or not isinstance(name, str):
            return None
        if name not in holder:
            words, place = f"{self._what} has no {quoted(name)}", json_pointer(*path)
            if is_harmless:
                self._add(warning("missing-field", words, place))
            else:
                self._add(error("missing-field", words, place))
            return None
        return self.may(holder, kind, *path, is_harmless=is_harmless)

    def may(
        self, holder: JsonValue, kind: str, *path: str | int, is_harmless: bool = False
    ) -> JsonValue:
        """Likewise, if it may be missing; returns it if it is of that type."""
        name = path[-1]
        if not isinstance(holder, dict) or not isinstance(name, str) or name not in holder:
            return None
        value = holder[name]
        if has_type(value, kind):
            return value
        words = f"in {self._what} {quoted(name)} is not {_WORDS[kind]}"
        if is_harmless:
            self._add(warning("wrong-type", words, json_pointer(*path)))
        else:
            self._add(error("wrong-type", words, json_pointer(*path)))
        return None

    def add(self, findings: Sequence[Finding]) -> None:
        for finding in findings:
            self._add(finding)

    def _add(self, finding: Finding) -> None:
        if len(self.findings) < FOUND_MAX:
            self.findings.append(finding)


MODERN: Final = "2026-07-28"
REVISIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN)
"""Oldest first; all but the newest begin with `initialize`."""
_FLAGS: Final[Mapping[str, tuple[str, ...]]] = {
    "tools": ("listChanged",),
    "prompts": ("listChanged",),
    "resources": ("listChanged", "subscribe"),
}
_OBJECTS: Final = ("completions", "experimental", "extensions", "logging", "tasks")
_SINCE: Final[Mapping[str, tuple[str, str]]] = {
    "completions": ("2025-03-26", MODERN),
    "tasks": ("2025-11-25", "2025-11-25"),
}
"""The first and the last revision with a capability; the others are in all of them."""


def check_initialize(result: Mapping[str, JsonValue], asked: str) -> list[Finding]:
    """`asked` is the version that the client wanted."""
    raw: JsonValue = dict(result)
    fields = Fields("the response to initialize")
    version = fields.want(raw, "text", "result", "protocolVersion")
    capabilities = fields.want(raw, "object", "result", "capabilities")
    info = fields.want(raw, "object", "result", "serverInfo")
    for key in ("name", "version"):
        fields.want(info, "text", "result", "serverInfo", key)
    fields.may(raw, "text", "result", "instructions")
    if isinstance(version, str):
        fields.add(_about_version(version, asked))
        _check_capabilities(fields, capabilities, version)
    return fields.findings


def check_discover(result: Mapping[str, JsonValue]) -> list[Finding]:
    """Check the result of `server/discover`; unknown revisions are in `supportedVersions`."""
    raw: JsonValue = dict(result)
    fields = Fields("the response to server/discover")
    versions = fields.want(raw, "array", "result", "supportedVersions")
    capabilities = fields.want(raw, "object", "result", "capabilities")
    fields.may(raw, "text", "result", "instructions")
    info = _server_info(result)
    if isinstance(versions, list):
        texts = [one for one in versions if isinstance(one, str)]
        if len(texts) < len(versions):
            path = json_pointer("result", "supportedVersions")
            fields.add([error("wrong-type", "a supported version is not a string", path)])
        if texts and not set(texts) & set(REVISIONS):
            fields.add([_unknown(texts[0], "supportedVersions")])
    if info is not None:
        holder: JsonValue = dict(info)
        for key in ("name", "version"):
            where = ("result", "_meta", "io.modelcontextprotocol/serverInfo", key)
            fields.want(holder, "text", *where, is_harmless=True)
    _check_capabilities(fields, capabilities, MODERN)
    return fields.findings


def declares(capabilities: Mapping[str, JsonValue], name: str, flag: str = "") -> bool:
    """True if a server declares a capability, and a flag of it, if one is named."""
    about = capabilities.get(name)
    if not flag:
        return about is not None
    return isinstance(about, dict) and about.get(flag) is True


def _server_info(result: Mapping[str, JsonValue]) -> Mapping[str, JsonValue] | None:
    meta = result.get("_meta")
    info = meta.get("io.modelcontextprotocol/serverInfo") if isinstance(meta, dict) else None
    return info if isinstance(info, dict) else None


def _about_version(version: str, asked: str) -> list[Finding]:
    if version not in REVISIONS[:-1]:
        return [_unknown(version, "protocolVersion")]
    if asked in REVISIONS and version != asked:
        words = f"the requested revision is {asked}, but the server uses {version}"
        return [note("other-version", words, json_pointer("result", "protocolVersion"))]
    return []


def _unknown(version: str, key: str) -> Finding:
    words = f"the server uses {quoted(version)}, a revision unknown to Signoff"
    return error("unknown-version", words, json_pointer("result", key))


def _check_capabilities(fields: Fields, capabilities: JsonValue, version: str) -> None:
    if not isinstance(capabilities, dict):
        return
    above = ("result", "capabilities")
    for name, flags in _FLAGS.items():
        about = fields.may(capabilities, "object", *above, name)
        for flag in flags:
            fields.may(about, "flag", *above, name, flag)
    for name in _OBJECTS:
        fields.may(capabilities, "object", *above, name)
    for name, (first, last) in _SINCE.items():
        if name in capabilities and not first <= version <= last:
            words = f"{version} has no capability {quoted(name)}"
            fields.add([note("capability-of-other-version", words, json_pointer(*above, name))])
    extensions = capabilities.get("extensions")
    for key in extensions if isinstance(extensions, dict) and version == MODERN else ():
        found = check_key(key, *above, "extensions", key, needs_prefix=True)
        fields.add([] if found is None else [found])
    if version == MODERN and "logging" in capabilities:
        words = "logging is deprecated since 2026-07-28: use stderr or OpenTelemetry"
        fields.add([note("deprecated-feature", words, json_pointer(*above, "logging"))])


_LABEL = r"[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_PREFIX: Final = re.compile(rf"{_LABEL}(?:\.{_LABEL})*\Z")
_NAME: Final = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?\Z")
_RESERVED: Final = ("modelcontextprotocol", "mcp")
_ITS_OWN: Final = "io.modelcontextprotocol"
"""The prefix of the protocol and of its official extensions, which alone define its names."""
KEYS_MAX: Final = 50


def check_meta(holder: JsonValue, *path: str | int) -> list[Finding]:
    """Names in the `_meta` of an object that are none, or belong to the protocol."""
    meta = holder.get("_meta") if isinstance(holder, dict) else None
    if meta is not None and not isinstance(meta, dict):
        return [error("wrong-type", "`_meta` is not an object", json_pointer(*path, "_meta"))]
    if not isinstance(meta, dict):
        return []
    found = (check_key(key, *path, "_meta", key) for key in list(meta)[:KEYS_MAX])
    return [one for one in found if one is not None]


def check_key(key: str, *path: str | int, needs_prefix: bool = False) -> Finding | None:
    """Check one name of `_meta`; None if it is valid."""
    prefix, slash, name = key.rpartition("/")
    place = json_pointer(*path)
    if needs_prefix and not slash:
        return warning("malformed-meta-key", f"{quoted(key)} has no prefix", place)
    if (slash and not _PREFIX.match(prefix)) or not _NAME.match(name):
        words = (
            f"{quoted(key)} is not a valid name: use a prefix of labels and dots, a slash, a name"
        )
        return warning("malformed-meta-key", words, place)
    labels = prefix.split(".")
    if prefix != _ITS_OWN and len(labels) > 1 and labels[1] in _RESERVED:
        words = f"{quoted(key)} has a prefix that is reserved for the protocol"
        return warning("reserved-meta-key", words, place)
    return None


LISTS: Final = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}
"""By the method, under which key its answer has the entries."""
_OF_ARGUMENTS: Final = ("title", "description", "required")
_OF_OFFERS: Final = ("title", "description", "mimeType", "icons", "annotations", "_meta")
_OF_PAGES: Final = ("nextCursor", "_meta")
_NOT_NULL: Final[Mapping[str, tuple[Sequence[str], str, Sequence[str]]]] = {
    "resources/list": (_OF_PAGES, "resources", (*_OF_OFFERS, "size")),
    "resources/templates/list": (_OF_PAGES, "resourceTemplates", _OF_OFFERS),
    "prompts/list": (_OF_PAGES, "prompts", (*_OF_OFFERS, "arguments")),
    "resources/read": (("_meta",), "contents", ("mimeType", "_meta")),
    "prompts/get": (("description", "_meta"), "messages", ()),
}
"""Members that may be missing and never are null: of the result, and of each entry under a key."""
_CACHED: Final = ("server/discover", "resources/read", *LISTS)
_MAY_ASK: Final = ("tools/call", "resources/read", "prompts/get")
_COMPLETIONS_MAX: Final = 100
_WITH_TASKS: Final = "2025-11-25"
"""The one revision of which tasks are a part."""
_OF_THE_SPECIFICATION: Final = range(-32099, -32019)
_NO_LONGER: Final = (-32002, -32042)
_DEPRECATED_INPUT: Final = {"sampling/createMessage": "sampling", "roots/list": "roots"}


def check_result(
    method: str, result: JsonValue, version: str, capabilities: Mapping[str, JsonValue]
) -> list[Finding]:
    """Check the result of a method, on an initialized connection."""
    what = f"the response to {method}"
    if not isinstance(result, dict):
        words = f"{what} has a result that is not an object"
        return [error("wrong-type", words, json_pointer("result"))]
    fields = Fields(what)
    fields.add(check_meta(result, "result"))
    is_complete = result.get("resultType", "complete") == "complete"
    if version == MODERN:
        _check_modern(fields, method, result, is_complete=is_complete)
    if not is_complete:
        return fields.findings
    if method == "tools/call" and isinstance(result.get("task"), dict):
        _check_task(fields, capabilities, version, "result", "task")
    if method == "completion/complete":
        _check_completion(fields, result)
    if method in _NOT_NULL:
        _check_nulls(fields, method, result)
    if (key := LISTS.get(method)) is not None:
        entries = result.get(key)
        for index, entry in enumerate(entries if isinstance(entries, list) else []):
            fields.add(check_meta(entry, "result", key, index))
            if method == "tools/list" and isinstance(entry, dict):
                _check_task_support(fields, entry, index, capabilities, version)
    return fields.findings


def _check_nulls(fields: Fields, method: str, result: Mapping[str, JsonValue]) -> None:
    """Find null in the place of a member that may be left out, once for each member.

    The schemas of all revisions have no null there, and clients that hold to them lose it all.
    """
    of_result, key, of_entry = _NOT_NULL[method]
    whole: JsonValue = dict(result)
    found = {name: [json_pointer("result", name)] for name in of_result if _is_null(whole, name)}
    entries = result.get(key)
    for index, entry in enumerate(entries if isinstance(entries, list) else []):
        for name in of_entry:
            if _is_null(entry, name):
                place = json_pointer("result", key, index, name)
                found.setdefault(name, []).append(place)
        arguments = entry.get("arguments") if isinstance(entry, dict) else None
        for number, one in enumerate(arguments if isinstance(arguments, list) else []):
            for name in (name for name in _OF_ARGUMENTS if _is_null(one, name)):
                place = json_pointer("result", key, index, "arguments", number, name)
                found.setdefault(f"{name} of an argument", []).append(place)
    for name, places in found.items():
        times = f" in {len(places):,} places" if len(places) > 1 else ""
        words = f"in the response to {method} {quoted(name)} is null{times}: leave it out; "
        words += "clients that hold to the schema reject the whole response"
        fields.add([error("wrong-type", words, places[0])])


def _is_null(holder: JsonValue, name: str) -> bool:
    return isinstance(holder, dict) and name in holder and holder[name] is None


def check_error(method: str, problem: Mapping[str, JsonValue], version: str) -> list[Finding]:
    """Check an error; `version` is empty before the initialization."""
    fields = Fields("an error")
    raw: JsonValue = dict(problem)
    code = fields.want(raw, "integer", "error", "code")
    fields.want(raw, "text", "error", "message")
    given = problem.get("data")
    data: dict[str, JsonValue] = given if isinstance(given, dict) else {}
    supported = data.get("supported")
    # A handshake asks for another version, and is rightly refused with this one.
    is_named = isinstance(supported, list) and MODERN in supported
    if code == -32022 and is_named and method != "initialize":
        words = f"the server rejected {MODERN}, but lists it as supported"
        path = json_pointer("error", "data", "supported")
        fields.add([warning("version-refused", words, path)])
    if version != MODERN or not isinstance(code, int):
        return fields.findings
    path = json_pointer("error", "code")
    match code:
        case -32020:
            words = "the server reports that headers and body of a request do not match"
            fields.add([warning("header-mismatch", words, path)])
        case -32021:
            fields.want(data, "object", "error", "data", "requiredCapabilities")
        case -32022:
            fields.want(data, "array", "error", "data", "supported")
        case _ if code in _OF_THE_SPECIFICATION or code in _NO_LONGER:
            words = (
                f"the code {code} is reserved by the specification and has no meaning in {MODERN}"
            )
            fields.add([warning("reserved-error-code", words, path)])
    return fields.findings


def _check_modern(
    fields: Fields, method: str, result: dict[str, JsonValue], *, is_complete: bool
) -> None:
    """Check the fields of 2026-07-28; missing ones are harmless and lose no response."""
    fields.want(result, "text", "result", "resultType", is_harmless=True)
    if is_complete and method in _CACHED:
        ttl = fields.want(result, "integer", "result", "ttlMs", is_harmless=True)
        if isinstance(ttl, int) and ttl < 0:
            path = json_pointer("result", "ttlMs")
            words = f"in the response to {method} ttlMs is below 0"
            fields.add([warning("wrong-type", words, path)])
        scope = fields.want(result, "text", "result", "cacheScope", is_harmless=True)
        if isinstance(scope, str) and scope not in ("public", "private"):
            path = json_pointer("result", "cacheScope")
            words = f"in the response to {method} cacheScope is neither public nor private"
            fields.add([warning("wrong-type", words, path)])
    if result.get("resultType") != "input_required":
        return
    if method not in _MAY_ASK:
        words = f"{method} must not request input"
        fields.add([error("input-not-allowed", words, json_pointer("result", "resultType"))])
    asked = result.get("inputRequests")
    for key, one in asked.items() if isinstance(asked, dict) else ():
        wanted = one.get("method") if isinstance(one, dict) else None
        if isinstance(wanted, str) and (feature := _DEPRECATED_INPUT.get(wanted)):
            words = f"{feature} is deprecated since {MODERN}"
            path = json_pointer("result", "inputRequests", key, "method")
            fields.add([note("deprecated-feature", words, path)])


def _check_completion(fields: Fields, result: dict[str, JsonValue]) -> None:
    completion = fields.want(result, "object", "result", "completion")
    values = fields.want(completion, "array", "result", "completion", "values")
    fields.may(completion, "number", "result", "completion", "total")
    fields.may(completion, "flag", "result", "completion", "hasMore")
    path = json_pointer("result", "completion", "values")
    if isinstance(values, list) and not all(isinstance(one, str) for one in values):
        fields.add([error("wrong-type", "a suggested value is not a string", path)])
    if isinstance(values, list) and len(values) > _COMPLETIONS_MAX:
        words = f"{len(values):,} values are suggested; the limit is {_COMPLETIONS_MAX}"
        fields.add([warning("too-many-completions", words, path)])


def _check_task_support(
    fields: Fields,
    tool: dict[str, JsonValue],
    index: int,
    capabilities: Mapping[str, JsonValue],
    version: str,
) -> None:
    """Spec 2025-11-25, basic/utilities/tasks, "Tool-Level Negotiation"."""
    execution = tool.get("execution")
    support = execution.get("taskSupport") if isinstance(execution, dict) else None
    if support in ("required", "optional"):
        path = ("result", "tools", index, "execution", "taskSupport")
        _check_task(fields, capabilities, version, *path)


def _check_task(
    fields: Fields, capabilities: Mapping[str, JsonValue], version: str, *path: str | int
) -> None:
    """For a tool that runs as a task, or ran as one."""
    about: JsonValue = dict(capabilities)
    for step in ("tasks", "requests", "tools", "call"):
        about = about.get(step) if isinstance(about, dict) else None
    if version == _WITH_TASKS and about is None:
        words = "a tool runs as a task, but the server does not declare that capability"
        fields.add([warning("task-undeclared", words, json_pointer(*path))])
