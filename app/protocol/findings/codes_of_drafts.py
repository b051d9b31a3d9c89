"""Finding codes of drafts of extensions, with `--experimental`."""

from __future__ import annotations

from typing import Final

from .findings import ERROR, NOTE, WARNING, Code, of_severity

EXPERIMENTAL: Final = {
    "resolution-has-effect": Code(
        (ERROR, WARNING), "resolving hints changed something, or may have"
    ),
    **of_severity(
        ERROR,
        {
            "resolution-asks": "the server requested something while it resolved hints",
            "resolution-malformed": "a result of `tools/resolve` does not match its draft",
            "resolution-not-negotiated": "`tools/resolve` reports a missing capability, which "
            "was declared",
            "resolution-not-refused": "`tools/resolve` accepts a request that it must refuse",
            "resolution-other-tool": "a result of `tools/resolve` is about another tool",
            "resolution-weakens": "resolved hints are worse than those of `tools/list`",
        },
    ),
    **of_severity(
        WARNING,
        {
            "resolution-error-code": "`tools/resolve` refuses a request with another error code",
            "resolution-failed": "hints were not resolved: the static ones count",
        },
    ),
    **of_severity(
        NOTE,
        {
            "resolution-differs": "the same arguments resolved differently",
            "resolution-not-sent": "Signoff did not send the arguments for a resolution",
        },
    ),
}
"""Findings on drafts of extensions, with `--experimental`."""

SKILL: Final = {
    **of_severity(
        ERROR,
        {
            "skill-digest-differs": "the content of a file is not what its digest covers",
            "skill-file-outside": "a file of an entry is outside of the skill's directory",
            "skill-files-incomplete": "the files of a skill are not listed whole, each once",
            "skill-frontmatter-differs": "the frontmatter of an entry is not that of `SKILL.md`",
            "skill-get-differs": "`skills/get` contradicts `skills/list`, or accepts any URI",
            "skill-invalid": "an entry lacks a required member, or has it in another form",
            "skill-list-failed": "`skills/list` is declared, and fails",
            "skill-name-differs": "the last segment of the path is not the name",
            "skill-name-invalid": "the name breaks the rules of Agent Skills",
            "skill-size-differs": "a file has another length than its entry",
            "skill-unreadable": "a listed file, or its frontmatter, cannot be read",
        },
    ),
    **of_severity(
        WARNING,
        {
            "skill-changed": "a skill is another than at the last look",
            "skill-directory-differs": "a directory has files that the entry does not list",
            "skill-grants-tools": "the frontmatter requests permissions for the model",
            "skill-name-collides": "several skills have one name",
            "skill-not-approved": "no approval covers this skill",
            "skill-not-read": "a file was not approved, so that it was not checked",
            "skill-over-limit": "more than every host takes",
            "skill-result": "a result lacks `ttlMs`, `cacheScope` or `resultType`",
            "skill-tool-unknown": "the text names a tool that the server lacks",
            "skill-yaml-version": "the frontmatter has two readings, by the version of YAML",
        },
    ),
    "skill-approval-ended": Code((ERROR, WARNING), "a skill is another than the approved one"),
    "skill-runs-code": Code((NOTE, WARNING), "a skill has scripts, or starts programs"),
    **of_severity(
        NOTE,
        {
            "skill-dynamic": "the files have no digests",
            "skill-external-url": "the text leads to other places",
            "skill-nested": "a skill is inside another one",
        },
    ),
}
"""What `--experimental skills` sees."""

CARD: Final = {
    "card-caching": Code(
        (ERROR, WARNING), "`ETag`, `If-None-Match` or `Cache-Control` break their promise"
    ),
    "card-contradicts": Code(
        (ERROR, WARNING), "the card and the live server contradict each other"
    ),
    "card-secret": Code((ERROR, WARNING), "a secret in the card, or one that is not marked"),
    **of_severity(
        ERROR,
        {
            "card-invalid": "a member of the card is missing, or breaks its rule",
            "card-missing": "no server card was found",
        },
    ),
    **of_severity(
        WARNING,
        {
            "card-elsewhere": "the card was not followed to another origin",
            "card-headers": "a header of the response is missing, or another one",
            "card-place": "the card is at a place that the draft advises against, or without TLS",
            "card-tools-differ": "the tools in the card are not those of `tools/list`",
        },
    ),
    **of_severity(
        NOTE,
        {
            "card-first-cut": "the card has the shape of an earlier draft",
            "card-not-compared": "the live server was not there to be compared with",
        },
    ),
}
"""What `--experimental server-cards` sees."""
