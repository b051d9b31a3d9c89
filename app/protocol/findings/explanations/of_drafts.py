"""Findings on drafts of extensions, with `--experimental`: why each matters, and the fix."""

from __future__ import annotations

from typing import Final

from .explanation import FindingExplanation

EXPLANATIONS: Final = {
    "resolution-asks": FindingExplanation(
        "Resolving may not prompt a person or begin a sign-in: nobody has decided on the call "
        "yet. Draft tool-resolution, “Server requirements”, 7.",
        "elicitation/create before the response to `tools/resolve`",
        "Ask during the call instead.",
    ),
    "resolution-differs": FindingExplanation(
        "The draft allows it, because servers may look at changing state. A person who compares "
        "two dialogs is confused. Draft tool-resolution, “Caching, staleness, and TOCTOU”.",
        "read-only, then destructive, for the same arguments",
        "Resolve from the arguments alone if you can.",
    ),
    "resolution-error-code": FindingExplanation(
        "Clients act by the code: -32602 stops the call, -32021 is a fault of the negotiation, "
        "and others mean the static hints. Draft tool-resolution, “Fallback and errors”.",
        "-32603 for an unknown tool",
        "Use the code of the table in the draft.",
    ),
    "resolution-failed": FindingExplanation(
        "Without a usable result the static hints decide, as if the tool were not marked. Draft "
        "tool-resolution, “Fallback and errors”.",
        "no response to `tools/resolve` within 10 s",
        "Answer quickly, or with -32603 if the hints cannot be known.",
    ),
    "resolution-has-effect": FindingExplanation(
        "The arguments are sent before anyone approves the call. A resolution with an effect is "
        "a call without approval. Draft tool-resolution, “Server requirements”, 7.",
        "a file was written between `tools/resolve` and its response",
        "Compute hints from the arguments, and read at most.",
    ),
    "resolution-malformed": FindingExplanation(
        "A result with other keys, a missing hint or a hint that is not a boolean is a failed "
        "resolution. Draft tool-resolution, “Result”, and “Client requirements”, 5.",
        '"annotations": {"title": "A harmless tool", "readOnlyHint": true}',
        "Return `resultType`, `name` and exactly the four hints.",
    ),
    "resolution-not-negotiated": FindingExplanation(
        "Signoff declares the extension on each request, or in `initialize`. The server does not "
        "read it there. Draft tool-resolution, “Negotiation”.",
        "error -32021 for a request with the capability in its `_meta`",
        "Read the capability of the current request, or of `initialize` in an older revision.",
    ),
    "resolution-not-refused": FindingExplanation(
        "A client relies on the refusal: arguments that the tool would reject, or a tool without "
        "a marker, have no hints. Draft tool-resolution, “Server requirements”, 1 to 3.",
        "a result for a tool that is not listed",
        "Check the capability, the tool and the arguments before you resolve.",
    ),
    "resolution-not-sent": FindingExplanation(
        "The request has the arguments of a call that nobody has approved. Signoff sends it only "
        "if the result can count.",
        "a password in the arguments, for a server that is not trusted",
        "Nothing. Trust the server if its resolutions should count.",
    ),
    "resolution-other-tool": FindingExplanation(
        "The name is there to match the result with its request. A result about another tool is "
        "a failed resolution. Draft tool-resolution, “Result”.",
        '"name": "read_file" in the result for `manage_files`',
        "Return the name of the request, exactly.",
    ),
    "resolution-weakens": FindingExplanation(
        "The static hints are the promise to every client that does not resolve. A resolution "
        "may be milder, never worse. Draft tool-resolution, “Marking resolvable tools”.",
        "destructiveHint true in the result, destructiveHint false in `tools/list`",
        "Declare the hints of the riskiest arguments in `tools/list`.",
    ),
}
