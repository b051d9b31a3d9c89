"""The answers to `initialize` and `server/discover`, and the capabilities in them.

Spec 2025-11-25, basic/lifecycle; spec 2026-07-28, server/discover and basic/versioning.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ...content.json.jsonio import JsonValue
from ..findings import Finding, error, note
from .meta_keys import check_key
from .shapes import Fields, json_pointer, quoted

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
"""The first and the last revision that knows a capability, where that are not all."""


def check_initialize(result: Mapping[str, JsonValue], asked: str) -> list[Finding]:
    """`asked` is the version that the client wanted."""
    raw: JsonValue = dict(result)
    fields = Fields("the answer to initialize")
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
    """Who speaks no revision that Signoff knows says so in `supportedVersions`."""
    raw: JsonValue = dict(result)
    fields = Fields("the answer to server/discover")
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
    """Whether a server declares a capability, and a flag of it, if one is named."""
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
        words = f"the server was asked for {asked} and speaks {version}"
        return [note("other-version", words, json_pointer("result", "protocolVersion"))]
    return []


def _unknown(version: str, key: str) -> Finding:
    words = f"the server speaks {quoted(version)}, which is no revision that Signoff knows here"
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
        words = "logging is deprecated since 2026-07-28: stderr or OpenTelemetry take its place"
        fields.add([note("deprecated-feature", words, json_pointer(*above, "logging"))])
