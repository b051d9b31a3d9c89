"""Findings on responses: why each matters, an example, and the fix."""

from __future__ import annotations

from typing import Final

from .explanation import FindingExplanation

EXPLANATIONS: Final = {
    "approval-definition-changed": FindingExplanation(
        "Your approval is bound to the definition that you saw. The server has published another "
        "one while its own approval was pending, and may run that.",
        "tools/list_changed while a task waits for an approval",
        "Deny the pending call on the server's side if its tool changed (SEP-2848, Completion).",
    ),
    "denial-contradicts": FindingExplanation(
        "The envelope of a denial means that nothing was performed (SEP-2643). A model that reads "
        "a success beside it goes on as if the work were done.",
        'a result without "isError": true that has the envelope',
        "Set `isError`, or leave out the envelope if anything was performed.",
    ),
    "denial-leads-elsewhere": FindingExplanation(
        "A client that follows such a hint signs in elsewhere, or asks for more than its person "
        "agreed to. Signoff follows none.",
        '{"type": "authorization_remediation", "authorization_server": "https://login.example.net"}',
        "Name scopes and servers in the challenge and the metadata of the sign-in alone.",
    ),
    "denial-not-repeated": FindingExplanation(
        "A client that polls again after a restart has only the task id. Without the same envelope "
        "it cannot know that the call waits for a decision (SEP-2643, Interaction 2).",
        "`tasks/get` returns a working task without `_meta`",
        "Repeat the envelope of the first response in each status until the task has ended.",
    ),
    "disposition-contradicts": FindingExplanation(
        "Disposition, envelope and result have to agree on whether the tool ran (SEP-2848, "
        "Completion). Clients and models read different ones of them.",
        '"denied-not-executed" on a result without `isError`',
        "Derive all three from the same state.",
    ),
    "disposition-missing": FindingExplanation(
        "Without a disposition a client cannot know whether the tool ran after the approval. "
        "SEP-2848 requires one on each completed task that waited for an approval.",
        'a completed task whose result has no "io.modelcontextprotocol/tool-approval-disposition"',
        "Set one of the four values in `_meta` of the result.",
    ),
    "disposition-unknown": FindingExplanation(
        "A client must take an unknown value for work that may be done, and must not retry by "
        "itself (SEP-2848, Execution disposition).",
        '"io.modelcontextprotocol/tool-approval-disposition": "done"',
        "Use approved-executed, denied-not-executed, execution-error or outcome-unknown.",
    ),
    "malformed-denial": FindingExplanation(
        "A client cannot rely on the parts of such an envelope. Signoff takes it for a denial "
        "whose remedy is not disclosed, and sends no handle back.",
        '{"reason": "insufficient_authorization"} without `remediation`',
        "Set `reason` and `remediation`; set `remediationHints` only if a remedy is available.",
    ),
    "capability-denied": FindingExplanation(
        "The client declared the capability, so the server could have used it. The call failed "
        "for no reason.",
        '-32021 with "sampling", which the request declared',
        "Read the declared capabilities again: in 2026-07-28 they come with each request.",
    ),
    "lone-surrogate": FindingExplanation(
        "Half of a pair is not a character. Strict readers of UTF-8 or JSON reject the whole "
        "message.",
        '"text": "\\ud83d"',
        "Cut texts between characters, not between UTF-16 units.",
    ),
    "malformed-block": FindingExplanation(
        "A client checks each block against the specification. Strict ones reject the whole "
        "result.",
        '{"type": "text"} without "text"',
        "Send all required fields of the block.",
    ),
    "malformed-content": FindingExplanation(
        "`content` is a list of blocks. Strict clients reject the result, others show nothing.",
        '"content": "done"',
        'Send an array: [{"type": "text", "text": "done"}].',
    ),
    "malformed-contents": FindingExplanation(
        "`contents` is a list of the parts of a resource. Clients cannot read another type.",
        '"contents": {"uri": "file:///a"}',
        "Send an array of parts.",
    ),
    "malformed-display-text": FindingExplanation(
        "A client with the draft display-templates cannot show it, and shows the content alone.",
        '"_meta": {"io.modelcontextprotocol/display-templates": "moved 14 items"}',
        "Send an object with a string `text`.",
    ),
    "malformed-input-required": FindingExplanation(
        "The client cannot answer a request without its parts. The call cannot go on.",
        '"resultType": "input_required" without `inputRequests` and `requestState`',
        "Send `inputRequests`, each with its method and params, or a `requestState`.",
    ),
    "malformed-messages": FindingExplanation(
        "`messages` is a list of messages. Clients cannot read another type.",
        '"messages": "Hello"',
        "Send an array of messages with a role and a content.",
    ),
    "evidence-digest-differs": FindingExplanation(
        "The reference names this record, but the record has another digest. Either the record "
        "was changed after the digest was computed, or its canonical form is another one.",
        '"evidenceRef": {"digest": "sha256:48dc…", "canonicalization": "cbor/rfc8949", '
        '"ref": "audit://decisions/1"}',
        "Compute SHA-256 of the canonical form: `signoff experimental digest FILE` shows both.",
    ),
    "malformed-trust-annotations": FindingExplanation(
        "A label that is not true or false claims nothing. A client treats the result as "
        "unlabelled.",
        '"io.modelcontextprotocol/trust-annotations": {"sensitive": "yes"}',
        "Send true, or leave the label out. A digest needs its `canonicalization`.",
    ),
    "missing-contents": FindingExplanation(
        "A response to `resources/read` has its parts in `contents`. Without it there is "
        "nothing to read.",
        '{"resultType": "complete"}',
        "Send `contents`, which may be an empty array.",
    ),
    "missing-messages": FindingExplanation(
        "A response to `prompts/get` has its messages in `messages`. Without it the prompt is "
        "empty.",
        '{"description": "For a new person"}',
        "Send `messages`.",
    ),
    "schema-mismatch": FindingExplanation(
        "The output schema is a contract. Clients that check it reject the result, and the "
        "model gets an error.",
        '"structuredContent": {"sum": "3"} for "sum": {"type": "number"}',
        "Make the result match the schema, or correct the schema.",
    ),
    "trust-evidence": FindingExplanation(
        "The record itself is elsewhere. Signoff shows the reference and does not fetch it. It "
        "derives the digest of a record in the response, or of a resource that was read earlier.",
        '"evidenceRef": {"type": "policy-decision", "digest": "sha256:48dc…"}',
        "Nothing to fix. With the record in a file: `signoff experimental digest FILE`.",
    ),
    "trust-label-vanished": FindingExplanation(
        "The same arguments had a label, and now have none. Either the data changed, or the label "
        "is not reliable.",
        "“sensitive” at the first call of read_record, nothing at the second",
        "Derive the label from the data, on every response.",
    ),
    "trust-label-weakened": FindingExplanation(
        "A block may add a label, but never take one back. A client that reads only the block "
        "would treat private data as public.",
        '"sensitive": true in the `_meta` of the result, "sensitive": false in that of a block',
        "Remove the false: an absent label claims nothing.",
    ),
    "trust-labels": FindingExplanation(
        "The server claims that the result is private, or has text of strangers. Later calls of "
        "the session that could send it away, or destroy, ask.",
        '"io.modelcontextprotocol/trust-annotations": {"sensitive": true}',
        "Nothing to fix. Check the claim.",
    ),
    "structured-missing": FindingExplanation(
        "A tool with an output schema must return `structuredContent`. Clients that check it "
        "reject the result.",
        "a text block alone, from a tool with `outputSchema`",
        "Return `structuredContent`, or remove `outputSchema`.",
    ),
    "unknown-content": FindingExplanation(
        "No client knows this type. It is dropped, or the result is rejected.",
        '{"type": "html", "html": "<p>"}',
        "Use text, image, audio, resource or resource_link.",
    ),
    "unknown-result-type": FindingExplanation(
        "A client cannot know whether the call has ended.",
        '"resultType": "done"',
        'Send "complete" or "input_required", or the value of an extension that the client '
        "declared.",
    ),
    "unreadable-content": FindingExplanation(
        "The block could not be read within the limits of the reader. The rest of the result is "
        "shown.",
        "a block with 2,000 levels of arrays",
        "Send a flatter or smaller block.",
    ),
    "cannot-ask": FindingExplanation(
        "The revision of the connection has no requests of a server. The call failed because "
        "its question was refused.",
        "elicitation/create under 2026-07-28",
        "Return `input_required`, or test the tool with `--protocol legacy`.",
    ),
    "malformed-annotations": FindingExplanation(
        "Annotations that do not match their types are ignored, or make strict clients reject "
        "the result.",
        '"annotations": {"priority": "high"}',
        "Send `audience` as an array of roles, and `priority` as a number from 0 to 1.",
    ),
    "malformed-is-error": FindingExplanation(
        "A client that tests for true takes this result for a success.",
        '"isError": "true"',
        "Send true or false without quotes.",
    ),
    "malformed-role": FindingExplanation(
        "Hosts give messages to a model by their role. Another role is rejected.",
        '"role": "system"',
        'Use "user" or "assistant".',
    ),
    "misspelt-key": FindingExplanation(
        "A misspelt name has no meaning: clients ignore its value.",
        '"mimetype": "image/png"',
        'Use the spelling of the specification: "mimeType".',
    ),
    "misspelt-is-error": FindingExplanation(
        "`is_error` is ignored, so the error counts as a success.",
        '"is_error": true',
        'Send "isError": true.',
    ),
    "media-not-whole": FindingExplanation(
        "The data cannot be drawn or played. A model gets an error of its API.",
        "a PNG that ends within its first chunk",
        "Send the whole file, encoded in one piece.",
    ),
    "media-type-differs": FindingExplanation(
        "Clients choose a reader by the declared type. It fails for other bytes.",
        '"mimeType": "image/png" with the bytes of a JPEG',
        "Declare the type of the bytes.",
    ),
    "missing-content": FindingExplanation(
        "`content` is required. Strict clients reject the result.",
        '{"structuredContent": {"sum": 3}}',
        "Send `content`, which may be an empty array.",
    ),
    "not-validated": FindingExplanation(
        "Signoff could not check the result, or only a part of it. It may match or not.",
        "an output schema with a reference to another server",
        "Read the reason in the message, and keep schemas whole and small.",
    ),
    "other-uri": FindingExplanation(
        "A client keeps contents by their address. It takes these for another resource.",
        'resources/read of file:///a returns "uri": "file:///b"',
        "Return the requested address, or the addresses of parts below it.",
    ),
    "text-and-blob": FindingExplanation(
        "A part is a text or bytes. Clients take one of them: some the text, some the bytes.",
        '"text": "a", "blob": "YQ=="',
        "Send `text` for text, `blob` for all else.",
    ),
    "text-copy-differs": FindingExplanation(
        "Some hosts give their model the text, others the structured content. The two models "
        "learn different facts.",
        '"structuredContent": {"sum": 3}, and the text {"sum": 4}',
        "Make the text from the structured content.",
    ),
    "binary-fractions": FindingExplanation(
        "With binary fractions 0.3 is not a multiple of 0.1. Clients that compute so reject the "
        "result.",
        '0.3 for "multipleOf": 0.1',
        "Leave `multipleOf` out, or send integers in a smaller unit.",
    ),
    "clients-reject-answer": FindingExplanation(
        "These libraries check the result before their host sees it. The model gets an error "
        "instead.",
        '"content" with a block of an unknown type',
        "Correct the part that is named. `signoff compat` has the libraries.",
    ),
    "format-mismatch": FindingExplanation(
        "A `format` is an annotation for some clients and a rule for others. Those reject the "
        "result.",
        '"when": "yesterday" for "format": "date"',
        "Send a value of the format, or remove the format.",
    ),
    "malformed-task": FindingExplanation(
        "A client follows a task by its id, its status and the named times. It cannot follow "
        "this one.",
        '"status": "running"',
        "Send `taskId`, a status of the specification, and `ttl` and `pollInterval` in "
        "milliseconds. Under 2026-07-28 these are `ttlMs` and `pollIntervalMs`.",
    ),
    "model-view-differs": FindingExplanation(
        "Hosts drop or change parts of a result before their model gets it.",
        "an image that only two hosts pass on",
        "Put what the model needs in the text. `signoff call --model-view all` shows each view.",
    ),
    "error-breaks-schema": FindingExplanation(
        "An error needs no structured content. Some clients check it against the output schema "
        "anyway, and their model gets another error.",
        '"isError": true with "structuredContent": {"error": "x"}',
        "Leave `structuredContent` out of errors.",
    ),
    "empty-answer": FindingExplanation(
        "For a model an empty response looks like a failure.",
        '"content": []',
        "Return a short text, such as “nothing found”.",
    ),
    "hosts-give-up": FindingExplanation(
        "The named hosts end a call after their limit. Their model gets an error, and may call "
        "again.",
        "a call of 90 s; a host that waits 60 s",
        "Answer sooner, report progress, or run the work as a task.",
    ),
    "image-not-for-models": FindingExplanation(
        "The APIs of models take PNG, JPEG, GIF and WebP. Others are dropped, or fail the turn.",
        '"mimeType": "image/svg+xml"',
        "Convert the image to PNG.",
    ),
    "structured-without-schema": FindingExplanation(
        "Clients cannot check the content, and some drop it.",
        '"structuredContent": {"sum": 3} without `outputSchema`',
        "Declare an output schema.",
    ),
}
