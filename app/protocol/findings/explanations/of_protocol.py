"""Findings on the protocol and the wire: why each matters, an example, and the fix."""

from __future__ import annotations

from typing import Final

from .explanation import FindingExplanation

EXPLANATIONS: Final = {
    "declared-not-served": FindingExplanation(
        "Clients use a declared capability. Its method fails.",
        '"prompts": {} in the capabilities, and prompts/list responds with -32601',
        "Add the method, or remove the capability.",
    ),
    "input-not-allowed": FindingExplanation(
        "Only some results may request input. A client takes this one for invalid.",
        '"resultType": "input_required" in response to tools/list',
        "Request input in responses to `tools/call`, `prompts/get` or `resources/read` alone.",
    ),
    "method-missing": FindingExplanation(
        "Each server must have this method. Clients that use it disconnect.",
        "ping responds with -32601",
        "Add the method.",
    ),
    "notification-with-id": FindingExplanation(
        "A message with an id is a request, and requires a response. Clients answer with an error.",
        '"method": "notifications/progress", "id": 4',
        "Leave the id out.",
    ),
    "ping-unanswered": FindingExplanation(
        "A client that gets no answer takes the server for dead, and may end it.",
        "a tool that sleeps for a minute in the loop that reads",
        "Answer pings while a call runs: move slow work out of the loop that reads.",
    ),
    "request-of-server": FindingExplanation(
        "Since 2026-07-28 a server sends no requests. Clients ignore them, and the server waits "
        "in vain.",
        "sampling/createMessage under 2026-07-28",
        "Return `input_required` in the result instead.",
    ),
    "served-not-declared": FindingExplanation(
        "Clients request only lists of declared capabilities. This one is never seen.",
        'resources/list answers, without "resources" in the capabilities',
        "Declare the capability.",
    ),
    "unknown-version": FindingExplanation(
        "Signoff and other clients cannot know the rules of this revision.",
        '"protocolVersion": "2023-01-01"',
        "Respond with a published revision, if possible the requested one.",
    ),
    "missing-field": FindingExplanation(
        "Strict clients reject a message without a required field.",
        "an `initialize` result without `serverInfo`",
        "Send the field at the named place.",
    ),
    "wrong-type": FindingExplanation(
        "Strict clients reject the message, others convert the value each in its own way.",
        '"protocolVersion": 20250618',
        "Send the type of the specification.",
    ),
    "header-mismatch": FindingExplanation(
        "Headers repeat parts of the body, so that proxies need not read it. A server must "
        "refuse a request whose headers differ.",
        "-32020 in response to a request",
        "Compare the headers and the body of the request, which `f8` shows. If they match, "
        "correct the server's check.",
    ),
    "malformed-meta-key": FindingExplanation(
        "Names in `_meta` have a form, so that names of several authors do not collide.",
        '"_meta": {"my key": 1}',
        'Use a name such as "com.example/my-key".',
    ),
    "notice-undeclared": FindingExplanation(
        "Clients do not expect the notification, and may ignore it.",
        'notifications/tools/list_changed without "listChanged": true',
        "Declare the capability.",
    ),
    "reserved-error-code": FindingExplanation(
        "Codes from -32099 to -32020 belong to the specification. Codes that it withdrew must "
        "not be sent.",
        '"code": -32002 under 2026-07-28',
        "Use -32602 for invalid parameters and for a missing resource. Choose a code of your "
        "own outside -32099 to -32000.",
    ),
    "reserved-meta-key": FindingExplanation(
        "The prefix belongs to the protocol. A later revision may give the name another meaning.",
        '"io.modelcontextprotocol/mine": 1',
        "Use a prefix of your own domain.",
    ),
    "subscription-unknown": FindingExplanation(
        "A client finds its subscription by the id. This notification has no receiver.",
        "a subscription id that was never opened",
        "Send the id of an open subscription.",
    ),
    "task-undeclared": FindingExplanation(
        "Clients call a tool as a task only if the server declares it. They cannot call a tool "
        "that requires a task.",
        '"taskSupport": "required", without "tasks" in the capabilities',
        'Declare "tasks": {"requests": {"tools": {"call": {}}}}.',
    ),
    "too-many-completions": FindingExplanation(
        "The specification limits a response to 100 values. Clients cut it, or reject it.",
        '"values" with 250 entries',
        'Send the best 100, with "hasMore": true.',
    ),
    "unknown-log-level": FindingExplanation(
        "Clients filter by level. A message of an unknown level is dropped or shown as an error.",
        '"level": "trace"',
        "Use debug, info, notice, warning, error, critical, alert or emergency.",
    ),
    "update-not-subscribed": FindingExplanation(
        "The client did not subscribe to the resource. It ignores the update.",
        "notifications/resources/updated for an address without a subscription",
        "Send updates to subscribers only.",
    ),
    "version-refused": FindingExplanation(
        "The list of versions and the refusal contradict one another. A client cannot choose.",
        "-32022 for 2026-07-28, which its `supported` has",
        "List only versions that you serve.",
    ),
    "capability-of-other-version": FindingExplanation(
        "The capability has no meaning in this revision. Clients ignore it.",
        '"tasks" under 2025-06-18',
        "Declare it only in revisions that have it.",
    ),
    "deprecated-feature": FindingExplanation(
        "A later revision may remove the feature. Clients begin to drop it.",
        '"includeContext": "allServers"',
        "Use the replacement that the section names.",
    ),
    "other-version": FindingExplanation(
        "The server did not accept the requested revision. Rules and features are those of its "
        "answer.",
        "requested 2025-11-25, answered 2025-03-26",
        "Nothing, if the older revision is meant. Otherwise update the SDK.",
    ),
    "clients-cannot-connect": FindingExplanation(
        "These libraries check the response to `initialize`, and disconnect.",
        '"capabilities": null',
        "Correct the named part. `signoff compat` lists the libraries.",
    ),
    "exits-on-discover": FindingExplanation(
        "Libraries of 2026-07-28 send `server/discover` first. A server that exits gets no "
        "second request.",
        "the process ends with “unknown method”",
        "Respond to unknown methods with the error -32601.",
    ),
    "clients-miss-response": FindingExplanation(
        "These libraries cannot find the request of the response. The call waits until its time "
        "limit.",
        '"id": "7" for the request 7',
        "Send the id back as it came, with its type.",
    ),
    "answer-other-id": FindingExplanation(
        "JSON-RPC compares ids with their type. Strict clients wait forever.",
        '"id": "7" for the request 7',
        "Send the id back as it came.",
    ),
    "byte-order-mark": FindingExplanation(
        "JSON text has no byte order mark. Strict readers reject the message.",
        "EF BB BF before {",
        "Write UTF-8 without a mark.",
    ),
    "message-over-lines": FindingExplanation(
        "On stdio each line is a message. A reader sees several broken ones.",
        'one line has {, the next one "jsonrpc": "2.0"',
        "Write JSON on one line, without indentation.",
    ),
    "asks-too-much": FindingExplanation(
        "The server sends requests, and does not read the responses. They pile up, so a client "
        "must stop answering.",
        "10,000 pings without a read",
        "Read stdin while you write, and wait for responses.",
    ),
    "event-too-long": FindingExplanation(
        "The event is over the limit of a client, which must hold it in memory.",
        "one `data:` line of 100 MB",
        "Send large data in parts, or as a resource.",
    ),
    "invalid-param-header": FindingExplanation(
        "Over HTTP clients of 2026-07-28 must leave out a tool whose `x-mcp-header` is invalid."
        " The model never sees it.",
        '"x-mcp-header": "My Header"',
        "Use a unique name such as `Region`, without blanks. Put it on a string, an integer or "
        "a boolean that `properties` alone lead to.",
    ),
    "invalid-utf8": FindingExplanation(
        "JSON is UTF-8. Strict readers reject the message, others change the text.",
        "the byte E9 for é",
        "Set the encoding of stdout to UTF-8.",
    ),
    "line-too-long": FindingExplanation(
        "The line is over the limit of a client, which must hold it in memory.",
        "a result of 100 MB on one line",
        "Send large data in parts, or as a resource.",
    ),
    "not-examined": FindingExplanation(
        "The connection ended early, so other findings may be missing.",
        "the server exits during `tools/list`",
        "Correct the cause in the message, then check again.",
    ),
    "list-failed": FindingExplanation(
        "The list is unknown, or is an old one.",
        "tools/list responds with -32603",
        "Read the error and the server's stderr.",
    ),
    "notification-refused": FindingExplanation(
        "A server answers a notification with 202. Clients take another status for a lost "
        "connection.",
        "400 in response to notifications/initialized",
        "Answer 202 without a body.",
    ),
    "malformed-id": FindingExplanation(
        "An id is a string or an integer. A response to another id cannot be found.",
        '"id": 1.5',
        "Use strings or integers.",
    ),
    "malformed-session-id": FindingExplanation(
        "The id is sent back in a header, which allows visible ASCII only.",
        "Mcp-Session-Id: abc def",
        "Use a UUID or another plain token.",
    ),
    "messages-on-one-line": FindingExplanation(
        "On stdio a line is one message. Strict readers reject the line.",
        "{…}{…}",
        "Write a line break behind each message.",
    ),
    "nul-on-stdout": FindingExplanation(
        "A NUL byte is not JSON. Strict readers reject the line.",
        "00 behind a message",
        "Write the text of the message alone.",
    ),
    "request-and-answer": FindingExplanation(
        "A message with a method and a result cannot be classified. Clients ignore it.",
        '"method": "ping", "result": {}',
        "Send one of them.",
    ),
    "result-and-error": FindingExplanation(
        "A response has a result or an error. Clients choose differently.",
        '"result": {}, "error": {"code": 1}',
        "Send one of them.",
    ),
    "subscription-lost": FindingExplanation(
        "Changes that the server announces do not arrive any more. Lists may be old.",
        "the stream ends with a network error",
        "Keep the stream open. Signoff lists again when it is back.",
    ),
    "text-beside-message": FindingExplanation(
        "A line with other text is not JSON. Strict readers reject it.",
        'INFO {"jsonrpc": "2.0"}',
        "Write logs to stderr.",
    ),
    "unreadable-message": FindingExplanation(
        "The line looks like a message, but cannot be read. A call waits for it until its time "
        "limit.",
        '{"jsonrpc": "2.0", "id": 1,',
        "Write whole JSON. Check what else writes to stdout.",
    ),
    "unreadable-part": FindingExplanation(
        "One part is over a limit or invalid; the rest was read.",
        "a number with 10,000 digits",
        "Send smaller values at the named place.",
    ),
    "answer-held-back": FindingExplanation(
        "The response stayed in a buffer. A client that keeps stdin open waits until its time "
        "limit.",
        "print() into a pipe without flush",
        "Flush stdout behind each message.",
    ),
    "answer-unknown": FindingExplanation(
        "No request has this id. The client ignores the response, and another request may wait "
        "for it.",
        '"id": 99 that was never sent',
        "Send the id of the request.",
    ),
    "answer-invented": FindingExplanation(
        "A proxy still held the call, so the server had not got it. The host would have taken the "
        "response for a result.",
        'a result for "id": 3 while the call 3 waits for an approval',
        "Respond to requests only once they have come.",
    ),
    "host-line": FindingExplanation(
        "Two readers could take the line for different messages, or for none. A proxy with a "
        "policy passes only what has one reading.",
        'a call with "name" twice',
        "Send one JSON-RPC message in a line, in UTF-8, with each name once.",
    ),
    "answer-without-id": FindingExplanation(
        "The client cannot find the request of the response.",
        '"id": null in a result',
        "Send the id of the request.",
    ),
    "answered-twice": FindingExplanation(
        "The first response counts, later ones are ignored. They may hide an error.",
        'two results for "id": 3',
        "Send one response for each request.",
    ),
    "batch": FindingExplanation(
        "Only 2025-03-26 has batches. Clients of other revisions reject the array.",
        "[{…}, {…}]",
        "Send each message by itself.",
    ),
    "invalid-message": FindingExplanation(
        "The line is JSON, but no message. Clients ignore it or disconnect.",
        '{"status": "ready"}',
        'Write logs to stderr, and send "jsonrpc": "2.0" in messages.',
    ),
    "get-not-served": FindingExplanation(
        "Up to 2025-11-25 a client opens the stream of server messages by GET. It needs a "
        "stream, or 405 as “not offered”.",
        "404 in response to GET",
        "Answer 405, or open an event stream.",
    ),
    "stream-ends": FindingExplanation(
        "The client connects again and again. That costs both sides.",
        "an event stream that ends at once, 5 times",
        "Keep the stream open, or answer 405.",
    ),
    "noise-on-stdout": FindingExplanation(
        "Stdout is for messages alone. Strict clients disconnect at the first other line.",
        "“Server started on port 3000”",
        "Write logs to stderr.",
    ),
    "other-program": FindingExplanation(
        "The command is the same, but its program has other bytes. Approvals for the old one do "
        "not count.",
        "`npx -y server` that loaded a new version",
        "Review what changed, then approve again. Pin versions in the command.",
    ),
    "notification-answered": FindingExplanation(
        "A notification has no response. Clients ignore the body, strict ones reject it.",
        "200 with {} in response to notifications/initialized",
        "Answer 202 without a body.",
    ),
    "late-discovery": FindingExplanation(
        "Signoff had gone on with `initialize`. Libraries with a shorter limit do the same, or "
        "give up.",
        "a response to server/discover after 4 s",
        "Answer `server/discover` before slow work, such as loading models.",
    ),
}
