"""The codes of what is seen in any message, whatever it is about."""

from __future__ import annotations

from typing import Final

from ..finding_code import ERROR, NOTE, WARNING, Code, of_severity

PROTOCOL: Final = {
    **of_severity(
        ERROR,
        {
            "declared-not-served": "a capability is declared and its method is not there",
            "input-not-allowed": "input is asked for in an answer that must not ask for any",
            "method-missing": "a method that every server has is not there",
            "notification-with-id": "a notification has an id",
            "ping-unanswered": "a ping was not answered, or not in time",
            "request-of-server": "the server sent a request; since 2026-07-28 it must not",
            "served-not-declared": "there is a list and no capability that says so",
            "unknown-version": "the server speaks a revision that Signoff does not know",
        },
    ),
    "missing-field": Code((ERROR, WARNING), "a message lacks a field that it has to have"),
    "wrong-type": Code((ERROR, WARNING), "a field of a message is of the wrong type"),
    **of_severity(
        WARNING,
        {
            "header-mismatch": "the server says that headers and body do not match",
            "malformed-meta-key": "a name in `_meta` or `extensions` is none",
            "notice-undeclared": "a notification came without the capability for it",
            "reserved-error-code": "an error has a code that means nothing, or no longer",
            "reserved-meta-key": "a name in `_meta` has a prefix that is the protocol's",
            "subscription-unknown": "a notification came for a subscription that nobody opened",
            "task-undeclared": "a tool runs as a task and there is no capability for that",
            "too-many-completions": "more than 100 values are suggested",
            "unknown-log-level": "a log message has a level that there is not",
            "update-unasked": "the server tells of a resource that nobody subscribed to",
            "version-refused": "a version was refused and is said to be supported",
        },
    ),
    **of_severity(
        NOTE,
        {
            "capability-of-other-version": "a capability is declared that this revision has not",
            "deprecated-feature": "something is used that the specification has deprecated",
            "other-version": "the server speaks another revision than it was asked for",
        },
    ),
}
"""What `signoff doctor`, `f9` and plain mode see in any message."""
