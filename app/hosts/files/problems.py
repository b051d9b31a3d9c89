"""Problems of configuration files: codes, their groups, and levels; safe to show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ...content.files.tree import NOWHERE, SourceLocation
from ...content.frozen import frozen
from ...content.labels import some_named
from ...content.text import shortened
from ...protocol.findings.findings import Severity, rank
from ...schemas.secrets.masks import mask_text

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
SHOWN: Final = 60
"""Characters of a name from a file in a message."""
MOST: Final = 500
"""Problems of a file that are kept; a note counts the rest."""

GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "syntax": (
        *("parse-error", "duplicate-key", "comments", "trailing-comma", "bom", "crlf"),
        *("one-line-file", "empty-file", "yaml-anchor", "yaml-boolean", "control-character"),
        *("template-left", "cannot-read-without-running", "too-large", "not-read", "more-problems"),
    ),
    "container": (
        *("wrong-container", "two-containers", "nested-container", "flat-container"),
        *("container-is-list", "container-not-object", "no-servers", "not-a-server"),
        *("not-a-server-file", "not-a-config", "overlay-only", "old-place", "wrong-place"),
        *("shadowed", "trusted-project-only", "ignored-in-project", "plugin-off"),
        "servers-elsewhere",
    ),
    "shape": (
        *("no-command-or-url", "command-and-url", "command-has-args", "command-is-list"),
        *("command-not-list", "command-is-shell-line", "command-not-string", "args-not-list"),
        *("args-item-not-string", "env-value-not-string", "env-not-object", "entry-not-object"),
        *("name-missing", "name-empty", "unknown-key", "wrong-key", "alias", "old-key"),
        *("ignored-key", "two-urls", "gallery-entry", "multi-value", "header-set-by-transport"),
        *("tools-not-a-filter", "tools-claimed", "value-not-known"),
    ),
    "transport": (
        *("missing-type", "type-spelling", "maybe-wrong-transport", "wrapper", "needs-host"),
        *("transport-not-supported-by-host", "socket-url", "duplicate-target", "insecure-http"),
        "url-invalid",
    ),
    "variable": (
        *("variable-unset", "variable-syntax", "variable-foreign", "variable-host-only"),
        *("variable-expanded-by-program", "input-needed", "input-undefined", "input-needs-host"),
        *("host-from-input", "not-expanded", "env-file", "reads-a-file", "command-substitution"),
    ),
    "secret": (
        *("literal-secret", "secret-in-args", "secret-in-url", "secret-in-keyring"),
        *("personal-data", "placeholder", "empty-value"),
    ),
    "approval": (
        *("approvals-off", "approves-itself", "broad-rule", "contradiction"),
        *("wrong-approval-key", "tools-empty", "tools-missing", "not-allowed-by-list"),
        *("excluded-by-list", "agent-overrides", "rule-without-server", "reads-other-hosts"),
        *("own-tools-unasked", "no-sandbox"),
    ),
    "danger": (
        *("runs-shell", "downloads-and-runs", "package-from-git", "package-from-url"),
        *("unpinned-package", "unpinned-image", "env-loads-code", "runs-command-for-headers"),
    ),
    "path": ("relative-path", "other-platform", "absolute-path-of-a-person"),
    "name": ("name-changed-by-host", "name-collision", "name-ambiguous", "name-unsafe"),
}
GROUP_OF: Final = {code: group for group, codes in GROUPS.items() for code in codes}


@frozen
class ConfigProblem:
    """One problem of a file, or of one server in it."""

    code: str
    level: Severity
    message: str
    spot: SourceLocation = NOWHERE
    suggestion: str = ""
    server: str | None = None
    """The name of the server; None for the whole file."""

    @property
    def group(self) -> str:
        return GROUP_OF[self.code]

    @property
    def line(self) -> int:
        return self.spot.line


class ProblemList:
    """Collects the problems of a file: each once, and bounded."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str | None, str, SourceLocation], ConfigProblem] = {}
        self.left_out = 0
        self._worst = NOTE

    def add(
        self,
        code: str,
        level: Severity,
        message: str,
        spot: SourceLocation = NOWHERE,
        *,
        fix: str = "",
        server: str | None = None,
    ) -> None:
        """Note a problem."""
        assert code in GROUP_OF, code
        if len(self._found) >= MOST:
            self.left_out += 1
            self._worst = max(self._worst, level, key=rank)
            return
        problem = ConfigProblem(code, level, message, spot, fix, server)
        self._found.setdefault((code, server, message, spot), problem)

    @property
    def found(self) -> tuple[ConfigProblem, ...]:
        """All of them; the last one counts those that were left out."""
        if not self.left_out:
            return tuple(self._found.values())
        words = f"{self.left_out:,} further problems are not listed"
        return (*self._found.values(), ConfigProblem("more-problems", self._worst, words))


def named(text: str) -> str:
    """A name from a file in a message: short, masked and safe to show."""
    return shortened(mask_text(text[:1_000]), SHOWN)


def listed(names: list[str] | tuple[str, ...], most: int = 8) -> str:
    """Names from a file in a message, at most so many."""
    return some_named(names, most, named)
