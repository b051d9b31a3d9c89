"""Rules on drafts of extensions: display templates and action metadata, and what any draft changes.

They find something only if the draft is turned on with `--experimental`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ...approval.draft_effects import ADVICE, balance_code, balance_title
from ...protocol.extensions import action_metadata, display_templates
from ...protocol.extensions.register import EXTENSIONS
from ...protocol.findings.codes import meaning_of
from ...protocol.findings.findings import Severity
from ...protocol.tool import ToolDefinition
from .rule import Check, LintHit, LintRule, Subject, sample, seen_already, taking, with_keys


def _with_template(template: object, **annotations: Any) -> dict[str, Any]:
    properties = {"path": {"type": "string"}, "mode": {"type": "string"}}
    entry = taking(properties, required=["path"])
    meta = {display_templates.KEY: {"template": template}}
    return with_keys({**entry, "annotations": annotations}, _meta=meta)


def _with_action(held: object, **annotations: Any) -> dict[str, Any]:
    return with_keys(sample("read_row", **annotations), _meta={action_metadata.KEY: held})


_WHOLE: Final = _with_template("read {path} as {mode}", readOnlyHint=True)
_BENIGN: Final = _with_action({"outcome": "benign"}, readOnlyHint=True)


def _rule(
    code: str, severity: Severity, why: str, fix: str, bad: dict[str, Any], good: dict[str, Any]
) -> LintRule:
    """A rule whose finding is made where definitions are read."""
    return LintRule(code, severity, meaning_of(code), why, fix, seen_already(code), (bad,), (good,))


RULES: Final = (
    _rule(
        "display-template",
        Severity.NOTE,
        "Hosts with this draft show the line in place of the arguments, or beside them. It is the "
        "server's claim.",
        "Compare the line with what the tool does.",
        _WHOLE,
        sample("read_row"),
    ),
    _rule(
        "malformed-display-template",
        Severity.WARNING,
        "Clients ignore it and show the raw arguments.",
        "Send an object with a string `template`.",
        _with_template(["read", "{path}"]),
        _WHOLE,
    ),
    _rule(
        "template-unknown-name",
        Severity.WARNING,
        "The place in braces is always shown as `...`. A renamed argument is no longer shown.",
        "Name a property of the input schema, or of the branch.",
        _with_template("read {file} as {mode} in {path}"),
        _WHOLE,
    ),
    _rule(
        "template-omits-required",
        Severity.WARNING,
        "A person who sees only the line approves a value that is not in it.",
        "Add the argument to the template.",
        _with_template("read as {mode}"),
        _WHOLE,
    ),
    _rule(
        "template-omits-optional",
        Severity.NOTE,
        "The line of a call with this argument hides it, such as a place to upload to.",
        "Add the argument, or a branch of `oneOf` with a template of its own.",
        _with_template("read {path}"),
        _WHOLE,
    ),
    _rule(
        "template-on-destructive",
        Severity.NOTE,
        "The draft has hosts show the raw arguments when they ask about such a call, so the line "
        "is not seen there.",
        "Keep the arguments legible by themselves.",
        _with_template("read {path} as {mode}", destructiveHint=True),
        _WHOLE,
    ),
    _rule(
        "template-long",
        Severity.NOTE,
        "The line is one row. The rest is not seen.",
        f"Use at most {display_templates.USUAL_MAX} characters, the important argument first.",
        _with_template(f"read {{path}} as {{mode}}, {'slowly ' * 20}", readOnlyHint=True),
        _WHOLE,
    ),
    _rule(
        "action-metadata",
        Severity.NOTE,
        "Hosts with this draft decide by it. It is the server's claim.",
        "Compare it with what the tool does.",
        _BENIGN,
        sample("read_row"),
    ),
    _rule(
        "malformed-action-metadata",
        Severity.WARNING,
        "Clients ignore it. Signoff takes a malformed `requiresReview` for true.",
        "Send strings or lists of strings, and true or false for `requiresReview`.",
        _with_action({"requiresReview": "yes"}),
        _BENIGN,
    ),
    _rule(
        "action-contradicts-hints",
        Severity.WARNING,
        "Hosts that read the hints and hosts that read the metadata decide differently.",
        "Correct the wrong one.",
        _with_action({"outcome": "irreversible"}, readOnlyHint=True),
        _BENIGN,
    ),
    _rule(
        "requires-review",
        Severity.WARNING,
        "Every call asks, under any policy that heeds doubts. Remembered approvals do not count.",
        "Set `requiresReview: true` only if a person has to read each call.",
        _with_action({"requiresReview": True}, readOnlyHint=True),
        _BENIGN,
    ),
)


def _shown(tool: ToolDefinition) -> str:
    return tool.display_name


def _balance(name: str) -> Check:
    """One note on its use, and one for each gain and loss, with the tools that it concerns."""

    def check(subject: Subject) -> Iterator[LintHit]:
        for draft in subject.drafts:
            if draft.draft == name:
                yield LintHit(None, draft.status)
                for one in draft.effects:
                    yield LintHit(None, one.sentence(_shown, str), effect=one)

    return check


BALANCE_RULES: Final = tuple(
    LintRule(
        balance_code(name),
        Severity.NOTE,
        balance_title(name),
        "A draft changes which calls ask. Tools that could use it are guessed from hints, names, "
        "parameters and descriptions.",
        ADVICE,
        _balance(name),
        example=f"any server, with --experimental {name}",
        is_brief=False,
    )
    for name in EXTENSIONS
)
