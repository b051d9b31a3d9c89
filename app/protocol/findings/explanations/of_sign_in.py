"""Findings on the sign-in, and on Signoff itself: why each matters, an example, and the fix."""

from __future__ import annotations

from typing import Final

from .explanation import FindingExplanation

EXPLANATIONS: Final = {
    "sign-in-endpoint-missing": FindingExplanation(
        "Without the endpoint a client cannot begin the sign-in, or get a token.",
        'metadata without "token_endpoint"',
        "Add the endpoint to the metadata of the authorization server.",
    ),
    "sign-in-endpoint-unsafe": FindingExplanation(
        "Codes and tokens would go over an unsafe address. Clients must refuse.",
        '"token_endpoint": "http://auth.example/token"',
        "Use https addresses without a fragment.",
    ),
    "sign-in-issuer-mismatch": FindingExplanation(
        "Another server could pose as the issuer. Clients must refuse the metadata.",
        "issuer https://a.example for https://a.example/tenant",
        "Make `issuer` equal to the entry in `authorization_servers`, to the character.",
    ),
    "sign-in-no-authorization-server": FindingExplanation(
        "A client does not know where to sign in.",
        '"authorization_servers": []',
        "Name the issuer in the protected resource metadata.",
    ),
    "sign-in-no-code-flow": FindingExplanation(
        "MCP clients sign people in by the code flow. They have no other way.",
        '"response_types_supported": ["token"]',
        'Support the response type "code".',
    ),
    "sign-in-no-header-tokens": FindingExplanation(
        "MCP clients send tokens in the header `Authorization` only.",
        '"bearer_methods_supported": ["query"]',
        "Accept tokens in the header.",
    ),
    "sign-in-no-pkce": FindingExplanation(
        "Without PKCE a stolen code can be used. Clients must refuse a server that does not "
        "declare it.",
        'metadata without "code_challenge_methods_supported"',
        'Declare ["S256"], and check the challenge.',
    ),
    "sign-in-no-resource-metadata": FindingExplanation(
        "A client finds the authorization server by this document.",
        "404 for /.well-known/oauth-protected-resource",
        "Serve the document of RFC 9728.",
    ),
    "sign-in-no-s256": FindingExplanation(
        "The method “plain” does not protect the code. Clients must use S256.",
        '"code_challenge_methods_supported": ["plain"]',
        "Add S256.",
    ),
    "sign-in-no-server-metadata": FindingExplanation(
        "A client finds endpoints by this document.",
        "404 for each well-known address of the issuer",
        "Serve metadata of RFC 8414 or OpenID Connect Discovery.",
    ),
    "sign-in-not-requested": FindingExplanation(
        "The address could lead into a private network, so Signoff did not request it.",
        'resource_metadata="http://169.254.169.254/"',
        "Use public https addresses.",
    ),
    "sign-in-resource-mismatch": FindingExplanation(
        "A token for another server could be requested. Clients must refuse the document.",
        '"resource": "https://other.example"',
        "Make `resource` equal to the URL of the server.",
    ),
    "sign-in-unreadable": FindingExplanation(
        "A client that cannot read the document cannot sign in.",
        "an HTML page with status 200",
        "Serve JSON with status 200, small and in time.",
    ),
    "sign-in-dpop": FindingExplanation(
        "No revision of MCP has DPoP. Clients do not send the proof.",
        "WWW-Authenticate: DPoP",
        "Accept bearer tokens, too.",
    ),
    "sign-in-lenient": FindingExplanation(
        "You allowed this with `--lenient`. Other clients stop here.",
        "`--lenient` with an issuer that differs",
        "Correct the named check, then leave `--lenient` out.",
    ),
    "sign-in-many-scopes": FindingExplanation(
        "A person cannot judge a long list, and the token can do more than needed.",
        "a challenge with 40 scopes",
        "Name the scopes that this request needs.",
    ),
    "sign-in-no-challenge": FindingExplanation(
        "The challenge shows a client that it must sign in, and where.",
        "401 without WWW-Authenticate",
        'Send `WWW-Authenticate: Bearer resource_metadata="…"`.',
    ),
    "sign-in-no-registration": FindingExplanation(
        "A client without an id of its own must be registered by a person first.",
        'no "registration_endpoint", no client id metadata documents',
        "Support client id metadata documents, or name the client id in the manual of the server.",
    ),
    "sign-in-not-kept": FindingExplanation(
        "The next run signs in again.",
        "a keyring that is locked",
        "Unlock the keyring, or read the reason in the message.",
    ),
    "sign-in-repeated-key": FindingExplanation(
        "Readers choose differently between two values. Two programs may see two issuers.",
        '"issuer" twice in one document',
        "Send each key once.",
    ),
    "sign-in-resource-differs": FindingExplanation(
        "Some clients compare `resource` to the character, and refuse.",
        '"https://a.example" for https://a.example/mcp',
        "Make `resource` equal to the URL of the server.",
    ),
    "sign-in-several-challenges": FindingExplanation(
        "Clients take the first or the last of them.",
        "two `WWW-Authenticate: Bearer` headers",
        "Send one challenge, each parameter once.",
    ),
    "sign-in-token-lifetime": FindingExplanation(
        "A client cannot know when to refresh the token.",
        '"expires_in": "soon"',
        "Send a positive number of seconds.",
    ),
    "sign-in-token-auth": FindingExplanation(
        "Most clients have no key of their own. They cannot get a token.",
        '"token_endpoint_auth_methods_supported": ["private_key_jwt"]',
        'Allow "none" for public clients, or "client_secret_basic".',
    ),
    "sign-in-metadata-elsewhere": FindingExplanation(
        "The document of another origin decides where the person signs in. Some clients do not "
        "follow it.",
        'resource_metadata="https://other.example/…"',
        "Serve the document on the origin of the server.",
    ),
    "sign-in-metadata-not-named": FindingExplanation(
        "Clients then guess the well-known address, which may be wrong behind a proxy.",
        "WWW-Authenticate: Bearer",
        "Add `resource_metadata` to the challenge.",
    ),
    "sign-in-no-iss": FindingExplanation(
        "With `iss` in the authorization response a client notices a response of another server.",
        'metadata without "authorization_response_iss_parameter_supported"',
        "Send `iss`, and declare it.",
    ),
    "sign-in-no-scope": FindingExplanation(
        "Clients then request a token without a scope. The authorization server chooses what it"
        " may do.",
        'neither "scope" nor "scopes_supported"',
        "Name the scopes in the challenge, or in `scopes_supported` of the resource metadata.",
    ),
    "sign-in-offline-scope": FindingExplanation(
        "Whether a client wants a refresh token is its own decision. The server should not name "
        "this scope.",
        'scope="read offline_access"',
        "Leave `offline_access` out of the challenge and the resource metadata.",
    ),
    "sign-in-registration-deprecated": FindingExplanation(
        "Dynamic registration is deprecated since 2026-07-28. New clients do without it.",
        'only "registration_endpoint"',
        "Support client id metadata documents.",
    ),
    "audit-unwritable": FindingExplanation(
        "A decision must be on disk before a call leaves. Calls that may destroy stop.",
        "the disk is full",
        "Free space, check the permissions of the file, or choose another with `--audit`.",
    ),
    "fault": FindingExplanation(
        "Signoff has an internal error. The message names the file with its trace.",
        "an exception in a screen",
        "Report it with the trace, after you have read it for secrets.",
    ),
    "capture-failed": FindingExplanation(
        "The earlier part of the capture is kept, the rest is missing.",
        "the disk is full",
        "Free space, or write to another file.",
    ),
    "arguments-not-kept": FindingExplanation(
        "The next form does not offer these arguments.",
        "the store is locked by another program",
        "Nothing is lost but the history. Read the reason in the message.",
    ),
    "store-failed": FindingExplanation(
        "An approval or the history could not be read or written. Unknown approvals ask again.",
        "the store is locked by another program",
        "Close the other program, or read the reason in the message.",
    ),
    "store-unusable": FindingExplanation(
        "Nothing is remembered. Each call that was approved before asks again.",
        "the file is damaged, or of a newer version",
        "Move the file away, or update Signoff.",
    ),
    "approvals-voided": FindingExplanation(
        "An approval is for one definition and one program. After a change you decide again.",
        "a tool whose description changed",
        "Read the change in the dialog, then approve again.",
    ),
}
