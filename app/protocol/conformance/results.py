"""The fields that results and errors have to have.

Spec 2025-11-25 and 2026-07-28, basic, "Responses", and schema; server/utilities/caching.
What `resources/read`, `prompts/get` and `tools/call` bring is judged where it is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ...content.json.jsonio import JsonValue
from ..findings import Finding, error, note, warning
from .greetings import MODERN
from .meta_keys import check_meta
from .shapes import Fields, json_pointer

LISTS: Final = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}
"""By the method, under which key its answer has the entries."""
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
    """What is wrong with the result of a method, on a connection that is greeted."""
    what = f"the answer to {method}"
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
    if (key := LISTS.get(method)) is not None:
        entries = result.get(key)
        for index, entry in enumerate(entries if isinstance(entries, list) else []):
            fields.add(check_meta(entry, "result", key, index))
            if method == "tools/list" and isinstance(entry, dict):
                _check_task_support(fields, entry, index, capabilities, version)
    return fields.findings


def check_error(method: str, problem: Mapping[str, JsonValue], version: str) -> list[Finding]:
    """What is wrong with an error; `version` is empty before the greeting."""
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
        words = f"the server refused {MODERN} and names it among those that it supports"
        path = json_pointer("error", "data", "supported")
        fields.add([warning("version-refused", words, path)])
    if version != MODERN or not isinstance(code, int):
        return fields.findings
    path = json_pointer("error", "code")
    match code:
        case -32020:
            words = "the server says that headers and body of a request do not match"
            fields.add([warning("header-mismatch", words, path)])
        case -32021:
            fields.want(data, "object", "error", "data", "requiredCapabilities")
        case -32022:
            fields.want(data, "array", "error", "data", "supported")
        case _ if code in _OF_THE_SPECIFICATION or code in _NO_LONGER:
            words = f"the code {code} is the specification's, and means nothing in {MODERN}"
            fields.add([warning("reserved-error-code", words, path)])
    return fields.findings


def _check_modern(
    fields: Fields, method: str, result: dict[str, JsonValue], *, is_complete: bool
) -> None:
    """What is left out counts as the least, so no answer is lost for it."""
    fields.want(result, "text", "result", "resultType", is_harmless=True)
    if is_complete and method in _CACHED:
        ttl = fields.want(result, "integer", "result", "ttlMs", is_harmless=True)
        if isinstance(ttl, int) and ttl < 0:
            path = json_pointer("result", "ttlMs")
            fields.add([warning("wrong-type", f"in the answer to {method} ttlMs is below 0", path)])
        scope = fields.want(result, "text", "result", "cacheScope", is_harmless=True)
        if isinstance(scope, str) and scope not in ("public", "private"):
            path = json_pointer("result", "cacheScope")
            words = f"in the answer to {method} cacheScope is neither public nor private"
            fields.add([warning("wrong-type", words, path)])
    if result.get("resultType") != "input_required":
        return
    if method not in _MAY_ASK:
        words = f"{method} was answered by asking for input, which it must not be"
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
        words = f"{len(values):,} values are suggested; {_COMPLETIONS_MAX} are the most"
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
        words = "a tool runs as a task, and the server has no capability for that"
        fields.add([warning("task-undeclared", words, json_pointer(*path))])
