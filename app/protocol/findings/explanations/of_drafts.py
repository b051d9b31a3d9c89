"""Findings on drafts of extensions: why each matters, an example, and the fix.

The reasons name the section of the draft.
"""

from __future__ import annotations

from typing import Final

from .explanation import FindingExplanation

_RESOLUTION: Final = {
    "resolution-asks": FindingExplanation(
        "Resolving must not prompt a person or begin a sign-in: the call is not decided "
        "yet. Draft tool-resolution, “Server requirements”, 7.",
        "elicitation/create before the response to `tools/resolve`",
        "Ask during the call instead.",
    ),
    "resolution-differs": FindingExplanation(
        "The draft allows it, because servers may look at changing state. Two dialogs for the same "
        "call can then differ. Draft tool-resolution, “Caching, staleness, and TOCTOU”.",
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
        "resolution. A tool may be marked only if the method exists. Draft tool-resolution, "
        "“Result”, and “Client requirements”, 5.",
        '"annotations": {"title": "A harmless tool", "readOnlyHint": true}',
        "Return `resultType`, `name` and exactly the four hints; `_meta` is optional.",
    ),
    "resolution-not-negotiated": FindingExplanation(
        "Signoff declares the extension on each request, or in `initialize` of an older revision. "
        "The server must look there, and nowhere else. Draft tool-resolution, “Negotiation”.",
        "error -32021 for a request with the capability in its `_meta`",
        "Read the capability of the current request, or of `initialize` in an older revision.",
    ),
    "resolution-not-refused": FindingExplanation(
        "A server must refuse a request without the capability, an unknown or unmarked tool, and "
        "invalid arguments: none of them has hints. Draft tool-resolution, “Server requirements”, "
        "1 to 3.",
        "a result for a tool that is not listed",
        "Check the capability, the tool and the arguments before you resolve.",
    ),
    "resolution-not-sent": FindingExplanation(
        "The request has the arguments of a call that is not approved yet. Signoff sends it only "
        "if the result can count, and sends secrets only to a trusted server. Draft "
        "tool-resolution, “Client requirements”, 4.",
        "a password in the arguments, for a server that is not trusted",
        "Nothing has to be fixed. Trust the server if it may have such arguments before a call.",
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

_SKILLS: Final = {
    "skill-digest-differs": FindingExplanation(
        "A host must not use a file whose digest differs (skills.mdx, “Verification on Read”). The "
        "file was changed after its entry or on the way, or the entry was wrong.",
        '"digest": "sha256:e3b0…" for a file whose bytes have sha256:9f86…',
        "Compute the digest of the bytes that `resources/read` returns, after each change.",
    ),
    "skill-file-outside": FindingExplanation(
        "Each file must be in the skill's directory (“Resources”). Otherwise the approval of one "
        "skill covers files of another one.",
        '"uri": "skill://a/../b/SKILL.md" in the entry of skill://a/SKILL.md',
        "List files below the directory of SKILL.md, without `..` in any encoding.",
    ),
    "skill-files-incomplete": FindingExplanation(
        "The entry lists every file, each once, and an approval is bound to that list "
        "(“Resources”). For a host, reading another file is a failed verification.",
        "an entry without its own SKILL.md, or without the files of a skill inside of it",
        "List every file of the directory once, those of nested skills included.",
    ),
    "skill-frontmatter-differs": FindingExplanation(
        "A person approves what the entry shows, and the model reads the file (“Frontmatter "
        "Verification”). A host must not load this skill.",
        'the entry has "description": "Writes notes", SKILL.md has “Sends notes to everyone”',
        "Make the entry of the file, and quote texts that YAML takes for another type.",
    ),
    "skill-get-differs": FindingExplanation(
        "Both methods return the same entry, and `skills/get` has -32602 for a URI of no "
        "skill (“Getting a Skill”). A host relies on it to refresh digests.",
        "skills/list has three files of a skill, skills/get has two",
        "Let both methods read the entry from one place.",
    ),
    "skill-invalid": FindingExplanation(
        "Every entry has a URI, the frontmatter with name and description, and its files (“Skill "
        "Entries”). A host must not load one without usable `resources` (“Resources”).",
        '"resources" is missing, or "digest" is not sha256: with 64 lowercase digits',
        'Set uri, frontmatter with name and description, and resources: an array, or "dynamic".',
    ),
    "skill-list-failed": FindingExplanation(
        "A server that declares the extension must have `skills/list` and `skills/get`, and must "
        "declare resources (“Capability Negotiation”).",
        "skills/list responds with -32601",
        "Add both methods and declare `resources`, or remove the declaration of the extension.",
    ),
    "skill-name-differs": FindingExplanation(
        "The last segment of the path must be the name, so that a host can read it from the URI "
        "(“Resource Mapping”). A path with another name can be taken for a known skill.",
        "skill://pdf-tools/SKILL.md with the name pdf-processing",
        "Give the directory the name of the skill.",
    ),
    "skill-name-invalid": FindingExplanation(
        "A name must follow Agent Skills (“Resource Mapping”): 1 to 64 of a-z, 0-9 and single "
        "hyphens, none at an end. A host may reject other names.",
        '"name": "PDF Tools"',
        "Write the name in lower case, with single hyphens between words.",
    ),
    "skill-size-differs": FindingExplanation(
        "Another length is the same failure as another digest (“Resources”).",
        '"size": 2314 for a file of 2,410 bytes',
        "Count the bytes of the file, not its characters.",
    ),
    "skill-unreadable": FindingExplanation(
        "A host reads the files by `resources/read` (“Reading Skill Content”), and SKILL.md must "
        "begin with a frontmatter (“Skill Format”).",
        "resources/read responds with -32602 for a listed file",
        "Serve every file of the entry, and begin SKILL.md with a frontmatter.",
    ),
    "skill-changed": FindingExplanation(
        "A host must revoke an approval if the files or their digests differ from the approved "
        "ones (“Content-bound approval”). No person has read the new text yet.",
        "changed since the last look: ~ SKILL.md",
        "Read the difference before a host loads the skill again.",
    ),
    "skill-approval-ended": FindingExplanation(
        "An approval is bound to URI, frontmatter and every file with its digest. Another set ends "
        "it (“Content-bound approval”), even if the old set comes back.",
        "~ SKILL.md since it was approved",
        "Read the difference, then approve it again with `signoff skills --remember NAME`.",
    ),
    "skill-not-approved": FindingExplanation(
        "`--approved` and `--baseline` require an approval of each listed skill. A skill without "
        "digests cannot be approved (“Content-bound approval”).",
        "a skill that the server added since the baseline was written",
        "Read it, then approve it with --remember, or write the baseline again.",
    ),
    "skill-directory-differs": FindingExplanation(
        "A directory does not extend the entry: a host must not read a file of the skill that the "
        "entry does not list (“Directory Reads and the Held Entry”).",
        "resources/directory/read has credit-note.md, the entry does not",
        "Add the file to the entry, or remove it from the directory.",
    ),
    "skill-grants-tools": FindingExplanation(
        "A server that sets `allowed-tools` requests access on the host. A host must ignore it "
        "without an approval of exactly that (“No implicit permission grants”).",
        "allowed-tools: Bash(*)",
        "Leave it out of skills that are served over MCP.",
    ),
    "skill-name-collides": FindingExplanation(
        "A name does not identify a skill: hosts must distinguish them by their paths "
        "(“Names”). A host that takes the first one can load the wrong skill.",
        "acme/billing/refunds and acme/support/refunds",
        "Give each skill a name of its own, if you can.",
    ),
    "skill-not-read": FindingExplanation(
        "Each file is read as any resource: the policy decides, and may refuse.",
        "skills --check with --approve policy",
        "Run it with `--approve always`, or approve the reads.",
    ),
    "skill-over-limit": FindingExplanation(
        "Every host takes skills of up to 512 files and 16 MiB, and may decline larger ones "
        "(“Limits”). A description has at most 1,024 characters (Agent Skills).",
        "a skill with 600 files",
        "Split the skill, or serve large data in another way.",
    ),
    "skill-result": FindingExplanation(
        "The results of both methods can be cached, so that `ttlMs` and `cacheScope` are required; "
        "`resultType` is, too (“Listing Skills”, “Getting a Skill”).",
        "a result of skills/list without ttlMs",
        'Set resultType to "complete", ttlMs to a number and cacheScope.',
    ),
    "skill-tool-unknown": FindingExplanation(
        "A model that follows the text calls a tool of this name, perhaps one of another server.",
        "“Call `export_all`”, and tools/list has no export_all",
        "Name tools as `tools/list` has them.",
    ),
    "skill-yaml-version": FindingExplanation(
        "YAML 1.1 takes a plain `yes`, `no`, `on` or `off` for a flag, YAML 1.2 for a text. The "
        "draft names no version: a host with the other one rejects the skill (“Frontmatter "
        "Verification”).",
        "metadata: {internal: yes}, and true in the entry",
        "Put the word in quotes, or write true or false.",
    ),
    "skill-runs-code": FindingExplanation(
        "Scripts, hooks and commands in the text run only after an approval for this skill (“No "
        "implicit local execution”).",
        "scripts/setup.sh, or hooks in the frontmatter",
        "Read the scripts before you approve the skill.",
    ),
    "skill-dynamic": FindingExplanation(
        "Without digests no file can be verified, and an approval covers no content. A host may "
        "decline the skill (“Resources”).",
        '"resources": "dynamic"',
        "List the files with their digests, if they are the same for a while.",
    ),
    "skill-external-url": FindingExplanation(
        "A model may fetch it, or send something there: the digests cover no other place.",
        "“Download https://example.com/setup.sh”",
        "Put the content into a file of the skill.",
    ),
    "skill-nested": FindingExplanation(
        "The approval of a skill does not cover the skills inside of it (“Nested Skills”). The "
        "frontmatter of a nested skill counts only after an approval of that skill.",
        "skill://suite/SKILL.md and skill://suite/extra/SKILL.md",
        "Nothing has to be fixed.",
    ),
}

_CARDS: Final = {
    "card-caching": FindingExplanation(
        "A client that kept a card sends its ETag, and goes on with the kept card after a 304 "
        "(“Caching”). A wrong 304, or one ETag for two contents, leaves it with an old card.",
        "304 for an ETag that the server never gave",
        "Make the ETag of the bytes of the card, and compare If-None-Match with it.",
    ),
    "card-contradicts": FindingExplanation(
        "A card is read before the connection. It can lead a client to a weaker configuration or "
        "another server (discovery.md, “Server Card Accuracy”). Where both differ, the live values "
        "count (“Consistency with Runtime Behavior”).",
        "the card promises 2026-07-28, and the server does not speak it",
        "Make the card of the values that the server itself uses.",
    ),
    "card-invalid": FindingExplanation(
        "A registry or a client that follows the schema rejects the card (schema.ts).",
        '"name": "weather", without a namespace and a slash',
        "Write the member as the schema of the draft has it.",
    ),
    "card-missing": FindingExplanation(
        "Clients find a card by the catalog of the domain (“Client Discovery Flow”). A place "
        "beside the server is reserved for it (“Hosted Server Card Location”). A card is optional.",
        "404 at https://example.com/mcp/server-card and /.well-known/ai-catalog.json",
        "Serve the card at the URL of the server with /server-card behind it, and add it to the "
        "catalog of the domain.",
    ),
    "card-secret": FindingExplanation(
        "Everyone can read a card: it must not have credentials or addresses of an inner network "
        "(“Information Disclosure”). Clients mask the value of a header that is marked as secret.",
        '"name": "Authorization", "value": "Bearer abc123"',
        "Put a variable into the value, and set isSecret.",
    ),
    "card-elsewhere": FindingExplanation(
        "A catalog may name cards at other domains (“AI Catalog”). Signoff sends no request to "
        "another origin because a document names it.",
        "ai-catalog.json of acme.org has a card at mcp-host.example",
        "Give that URL to `signoff card` yourself.",
    ),
    "card-headers": FindingExplanation(
        "Clients in browsers need the headers of CORS, which are required. The headers of caching "
        "and the media type are recommended (“CORS Requirements”, “Caching”).",
        "no Access-Control-Allow-Origin in the response",
        "Send the headers of the draft with the card.",
    ),
    "card-place": FindingExplanation(
        "The draft does not recommend a place below .well-known (“Alternatives considered”): "
        "clients do not look there without a catalog. A card must be served by HTTPS (“Transport "
        "Security”).",
        "/.well-known/mcp/server-card.json",
        "Serve the card by HTTPS, at the URL of the server with /server-card behind it.",
    ),
    "card-tools-differ": FindingExplanation(
        "A card of the draft has no tools, since a fixed list ages (“MCP Server Cards”). A host "
        "that decides by such a list decides on other tools.",
        "the card has delete_file as read-only, tools/list as destructive",
        "Remove the tools from the card.",
    ),
    "card-first-cut": FindingExplanation(
        "Many servers have a card with serverInfo and tools, the shape of an earlier draft. The "
        "present one has other members (“MCP Server Cards”).",
        '"serverInfo": {"name": "x"}, "tools": [...]',
        "Move to $schema, name, version, description and remotes.",
    ),
    "card-not-compared": FindingExplanation(
        "Clients should compare a card with the live server (“Consistency with Runtime Behavior”). "
        "There was no connection for that.",
        "a server that requires a sign-in",
        "Connect with a sign-in, or as soon as the server runs.",
    ),
}

EXPLANATIONS: Final = {**_RESOLUTION, **_SKILLS, **_CARDS}
