"""Interprets a server's responses to `initialize` and `server/discover`.

Spec 2026-07-28, basic/transports/stdio "Backward Compatibility": a DiscoverResult means the modern
era, any other answer to `server/discover` or none means `initialize`.
"""

from __future__ import annotations

from typing import Final

from ..content.json.jsonio import JsonValue
from ..content.text import cut, visible
from ..protocol.rpc import RpcError
from .events import Answered, Era, Greeting, NoResponse
from .protocol import HANDSHAKE, INTERNAL_ERROR, MODERN, UNSUPPORTED_VERSION

PROBE_SECONDS = 4.0
"""How long a server may stay silent on `server/discover` before `initialize` is sent, too."""
_VERSIONS_SHOWN = 6


class GreetingFailed(Exception):
    """The server answered, but not so that one can go on; `words` are safe to show."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


class ServerGone(Exception):
    """The server exited during initialization; `asked` is the method last requested."""

    def __init__(self, asked: str) -> None:
        super().__init__(asked)
        self.asked = asked


def read_discovery(answer: Answered) -> Greeting | None:
    """The handshake in an answer to `server/discover`; None if it is not of the modern era."""
    if not isinstance(answer, dict):
        return None
    versions = answer.get("supportedVersions")
    if not isinstance(versions, list) or MODERN not in versions:
        return None
    meta = _object(answer.get("_meta"))
    info = _object(answer.get("serverInfo")) or _object(
        meta.get("io.modelcontextprotocol/serverInfo")
    )
    return _greeting("modern", MODERN, info, answer)


def wants_modern_again(answer: Answered) -> bool:
    """True if a version error lists the very version that was requested.

    Spec 2026-07-28, basic/versioning: after -32022 the client asks again with a version of
    `supported` instead of sending `initialize`.
    """
    if not isinstance(answer, RpcError) or answer.code != UNSUPPORTED_VERSION:
        return False
    supported = _object(answer.data).get("supported")
    return isinstance(supported, list) and MODERN in supported


def read_handshake(answer: dict[str, JsonValue] | RpcError) -> Greeting:
    """The handshake in an answer to `initialize`, of the revisions up to 2025-11-25."""
    if isinstance(answer, RpcError):
        raise GreetingFailed(f"the server refused initialize: {describe(answer)}")
    version = answer.get("protocolVersion")
    if version not in HANDSHAKE:
        raise GreetingFailed(_other_versions([version]))
    return _greeting("legacy", str(version), _object(answer.get("serverInfo")), answer)


def speaks_legacy(answer: Answered | None) -> bool:
    """True if the response to `server/discover` shows that the server lacks the method.

    None and silence prove nothing; nor does an internal error, which may be gone the next time.
    """
    if isinstance(answer, RpcError):
        return _is_refusal(answer)
    return isinstance(answer, dict) and read_discovery(answer) is None


def is_without_modern(answer: Answered) -> bool:
    """True if the response to `server/discover` refuses the era of MODERN."""
    return speaks_legacy(answer) and not wants_modern_again(answer)


def is_without_handshake(answer: Answered) -> bool:
    """True if the response to `initialize` refuses the era of the handshake, likewise."""
    if isinstance(answer, RpcError):
        return _is_refusal(answer)
    return isinstance(answer, dict) and answer.get("protocolVersion") not in HANDSHAKE


def _is_refusal(answer: RpcError) -> bool:
    return answer.code is not None and answer.code != INTERNAL_ERROR


def why_neither(discovered: Answered | None, failed: GreetingFailed) -> GreetingFailed:
    """Explain why neither era was agreed on, using the response to `server/discover`."""
    offered: JsonValue = None
    if isinstance(discovered, dict):
        offered = discovered.get("supportedVersions")
    elif isinstance(discovered, RpcError) and discovered.code == UNSUPPORTED_VERSION:
        offered = _object(discovered.data).get("supported")
    if isinstance(offered, list) and offered and MODERN not in offered:
        return GreetingFailed(_other_versions(offered))
    return failed


USE_AUTO: Final = "; --protocol auto detects the version"
"""Advice where one era was chosen."""
WITHOUT_MODERN: Final = f"the server does not support {MODERN}"


def without_modern(answer: Answered) -> GreetingFailed:
    """Explain why a server limited to the modern era cannot be used."""
    words = WITHOUT_MODERN
    if isinstance(answer, RpcError) and answer.code is None:
        return GreetingFailed(describe(answer))
    if isinstance(answer, RpcError):
        words = f"{words}: {describe(answer)}"
    elif isinstance(answer, NoResponse):
        words = f"the server did not respond to server/discover, the first request of {MODERN}"
    return GreetingFailed(f"{words}{USE_AUTO}")


def without_legacy(failed: GreetingFailed) -> GreetingFailed:
    """Likewise, for the era of the handshake."""
    return GreetingFailed(f"{failed.words}{USE_AUTO}")


def _other_versions(versions: list[JsonValue]) -> str:
    shown = ", ".join(
        f"“{visible(cut(str(version), 40).text)}”" for version in versions[:_VERSIONS_SHOWN]
    )
    known = ", ".join((*HANDSHAKE, MODERN))
    return f"the server uses protocol version {shown}; Signoff supports {known}"


def describe(answer: RpcError | NoResponse) -> str:
    """An error answer, or silence, in words that are safe to show."""
    if isinstance(answer, NoResponse):
        return "no response in time"
    message = visible(cut(answer.message, 300).text)
    if answer.code is None:
        return message
    return f"{message} (code {visible(cut(str(answer.code), 40).text)})"


def _greeting(
    era: Era, version: str, info: dict[str, JsonValue], raw: dict[str, JsonValue]
) -> Greeting:
    instructions = raw.get("instructions")
    return Greeting(
        era=era,
        version=version,
        info=info,
        capabilities=_object(raw.get("capabilities")),
        instructions=instructions if isinstance(instructions, str) else "",
        raw=raw,
    )


def _object(value: JsonValue) -> dict[str, JsonValue]:
    return value if isinstance(value, dict) else {}
