"""Finding codes of a call and its response."""

from __future__ import annotations

from typing import Final

from .findings import ERROR, NOTE, WARNING, Code, of_severity

CALLING: Final = {
    **of_severity(
        ERROR,
        {
            "not-remembered": "an approval was given but could not be remembered",
            "form-not-allowed": "a form has a field that the specification does not allow",
            "malformed-request": "an unreadable request for user input",
            "request-id-reused": "the server reused the id of an open request",
            "sending-refused": "the request to send differs from the approved one",
            "unapproved-request": "an unapproved message was blocked at the last gate",
        },
    ),
    **of_severity(
        WARNING,
        {
            "answer-invented": "the server answered a call that a proxy had not sent",
            "host-line": "a line of a host could not be read, or was refused",
            "asked-undeclared": "a JSON-RPC request for a capability that Signoff did not declare",
            "visit-unknown": "the server reports the end of a URL elicitation that it never began",
            "secret-asked": "the server requests a probable secret in a form",
            "arguments-break-schema": "arguments were sent that do not match the input schema",
            "progress-late": "progress for a call that has ended",
            "progress-not-increasing": "progress did not increase",
            "progress-over-total": "progress exceeded its total",
            "progress-unknown": "progress with a token that no call has",
            "progress-unreadable": "progress or its total is not a finite number",
            "cancel-unknown": "the server cancels an unknown request",
        },
    ),
    "asked-by-server": Code((NOTE, WARNING), "the server sent a request while a call ran"),
    **of_severity(
        NOTE,
        {
            "arguments-at-risk": "clients that assert formats or use floating-point arithmetic "
            "reject an argument that its schema allows",
            "response-late": "a response to a request of Signoff's own came after its time limit",
            "input-not-declared": "`inputRequests` has one for a capability that Signoff did not "
            "declare",
            "request-withdrawn": "the server withdrew a request for user input",
            "visit-done": "the server reports the end of a URL elicitation",
            "call-response-late": "a response arrived after the call had ended in Signoff",
        },
    ),
}
"""What happens around a call."""

ANSWER: Final = {
    **of_severity(
        ERROR,
        {
            "denial-contradicts": "an envelope means that nothing was performed, the result does "
            "not",
            "disposition-contradicts": "the disposition of an approval by the server contradicts "
            "its result",
            "capability-denied": "an error reports that a capability is missing, which Signoff "
            "declared",
            "lone-surrogate": "text contains half of a surrogate pair, which is not a character",
            "malformed-block": "a field of a content block is missing or of the wrong type",
            "malformed-content": "`content` is not an array",
            "malformed-contents": "`contents` of a resource is not an array",
            "malformed-input-required": "a request for input is incomplete",
            "malformed-messages": "`messages` of a prompt is not an array",
            "missing-contents": "`contents` of a resource is missing",
            "missing-messages": "`messages` of a prompt is missing",
            "schema-mismatch": "`structuredContent` does not match the output schema",
            "structured-missing": "the tool has an output schema, `structuredContent` is missing",
            "unknown-content": "a content block has an unknown type",
            "unknown-result-type": "`resultType` is unknown",
            "unreadable-content": "a content block cannot be read",
        },
    ),
    **of_severity(
        WARNING,
        {
            "approval-definition-changed": "the tool's definition changed while a call waits for "
            "an approval by the server",
            "denial-leads-elsewhere": "a hint of a denial names an authorization server, scopes, "
            "or another resource",
            "denial-not-repeated": "the envelope of a task that waits for an approval is missing "
            "or changes",
            "disposition-missing": "a task that waited for an approval has no disposition",
            "disposition-unknown": "the disposition is unknown: the work may have been done",
            "cannot-ask": "a server tried to send a request, which its protocol does not have",
            "malformed-annotations": "annotations of a content block are of the wrong type",
            "malformed-display-text": "the display text of a block (a draft) is of the wrong type",
            "malformed-is-error": "`isError` is not true or false",
            "malformed-trust-annotations": "trust annotations (a draft) are of the wrong type",
            "malformed-role": "a message of a prompt has a role that is not user or assistant",
            "misspelt-key": "a name is spelled differently than in the protocol",
            "misspelt-is-error": "the result has `is_error`, which has no meaning",
            "media-not-whole": "an image or a sound is empty, cut off or without pixels",
            "media-type-differs": "the bytes of an image or a sound are not of the declared type",
            "missing-content": "`content` is missing",
            "not-validated": "`structuredContent` could not be checked against its schema, or "
            "only in part",
            "other-uri": "the contents have another URI than the requested one",
            "evidence-digest-differs": "the digest of evidence (a draft) is not that of its record",
            "text-and-blob": "a resource has both a text and a blob",
            "trust-label-vanished": "a label that the same call had earlier is gone (a draft)",
            "trust-label-weakened": "a block takes back a label of its result (a draft)",
            "text-copy-differs": "the text beside `structuredContent` differs from it",
        },
    ),
    "binary-fractions": Code(
        (WARNING, NOTE),
        "clients with floating-point arithmetic reject a number that `multipleOf` allows",
    ),
    "clients-reject-answer": Code(
        (ERROR, WARNING), "some client libraries reject the whole response"
    ),
    "format-mismatch": Code(
        (ERROR, NOTE), "a string does not match its `format`, which some clients assert"
    ),
    "malformed-denial": Code(
        (ERROR, WARNING), "the envelope of a denial by the server does not match its draft"
    ),
    "malformed-task": Code(
        (ERROR, WARNING, NOTE),
        "a task has no `taskId` or that of another, an unknown status, or an unusable time",
    ),
    "model-view-differs": Code(
        (NOTE, WARNING), "hosts give their models different parts of the response"
    ),
    **of_severity(
        NOTE,
        {
            "error-breaks-schema": "`structuredContent` of an error result does not match the "
            "output schema; some clients reject it",
            "empty-answer": "the response is empty",
            "hosts-give-up": "the call took longer than some measured hosts wait",
            "image-not-for-models": "an image is not PNG, JPEG, GIF or WebP, which the APIs of "
            "models take",
            "trust-evidence": "a result has a reference to evidence (a draft)",
            "trust-labels": "the server marks a result as sensitive or untrusted (a draft)",
            "structured-without-schema": "`structuredContent` without an output schema",
        },
    ),
}
"""Findings on a response."""
