"""Signoff as the client of one conformance scenario: `python -m tests.conformance.adapter URL`.

It drives the same link, engine and calls as the program, and answers by script. The scenario, the
revision and what a scenario wants called come in the environment, as the suite gives them.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from signoff.app.approval.approval import Decision, approve
from signoff.app.approval.questions.questions import Question
from signoff.app.approval.server_questions import AboutElicitation, AboutSampling, filled
from signoff.app.calls.call import Call
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.engine.engine import Engine
from signoff.app.protocol.server import Phase, Trust
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.storage.sign_ins import SignInStore
from signoff.app.transport.http.http import HttpLink
from signoff.app.transport.negotiation import AUTO, LEGACY
from signoff.app.transport.sign_in.asking import SignInVisit
from signoff.app.transport.sign_in.assertion import read_key
from signoff.app.transport.sign_in.browser_options import BrowserOptions
from signoff.app.transport.sign_in.credentials import ClientCredentials
from signoff.app.transport.sign_in.following import follow

LISTED_SECONDS = 20.0
CALL_SECONDS = 20.0
CALLS: dict[str, tuple[tuple[str, dict[str, JsonValue]], ...]] = {
    "tools_call": (("add_numbers", {"a": 5, "b": 3}),),
    "request-metadata": (("add_numbers", {"a": 5, "b": 3}),),
    "http-standard-headers": (("add_numbers", {"a": 5, "b": 3}),),
    "elicitation-sep1034-client-defaults": (("test_client_elicitation_defaults", {}),),
    "sse-retry": (("test_reconnection", {}),),
    "sep-2322-client-request-state": (
        ("test_mrtr_echo_state", {}),
        ("test_mrtr_unrelated", {}),
        ("test_mrtr_no_state", {}),
        ("test_mrtr_no_result_type", {}),
    ),
}
"""What each scenario wants called; those of the environment come from `toolCalls`."""
DOCUMENT = "https://conformance-test.local/client-metadata.json"
"""The client id document that the suite expects."""
LEGACY_ONLY = ("json-schema-ref-no-deref",)


class Scripted:
    """Approves every call, and accepts what is asked with the server's suggestions, or yes."""

    async def visit(self, visit: SignInVisit) -> None:
        """Follow the page as a browser would, without anybody in front of it."""
        if problem := await follow(visit):
            print(problem, file=sys.stderr)
            visit.cancel()

    async def ask(self, question: Question) -> Decision:
        match question:
            case AboutElicitation():
                values = dict(question.elicitation.suggestions) or dict.fromkeys(
                    question.elicitation.fields, True
                )
                return replace(approve("script"), answer_sent=filled(question, values, {}).snapshot)
            case AboutSampling():
                written = filled(question, {"text": "42"}, {})
                return replace(approve("script"), answer_sent=written.snapshot)
        return approve("script")


def least(tool: ToolDefinition) -> dict[str, JsonValue]:
    """The fewest arguments that a tool can be called with."""
    schema = tool.input_schema if isinstance(tool.input_schema, dict) else {}
    properties, required = schema.get("properties"), schema.get("required")
    known = properties if isinstance(properties, dict) else {}
    values: dict[str, JsonValue] = {
        "string": "x",
        "integer": 1,
        "number": 1,
        "boolean": True,
        "array": [],
        "object": {},
    }
    found: dict[str, JsonValue] = {}
    for name in required if isinstance(required, list) else []:
        one = known.get(str(name))
        kind = one.get("type") if isinstance(one, dict) else None
        found[str(name)] = values.get(str(kind), "x")
    return found


def wanted(
    scenario: str, context: dict[str, Any], tools: tuple[ToolDefinition, ...]
) -> list[tuple[str, dict[str, JsonValue]]]:
    """What to call, with what."""
    names = {tool.name: tool for tool in tools}
    if "toolCalls" in context:
        given = [(one["name"], one.get("arguments", {})) for one in context["toolCalls"]]
        return [one for one in given if one[0] in names]
    if scenario == "http-invalid-tool-headers":
        return [(tool.name, least(tool)) for tool in tools]
    if scenario == "json-schema-2020-12-preservation":
        schema = names["json_schema_2020_12_tool"].input_schema
        return [("json_schema_echo", {"schema": schema})]
    if scenario.startswith("auth/"):
        return [(tool.name, least(tool)) for tool in tools]
    return list(CALLS.get(scenario, ()))


def credentials(context: dict[str, Any]) -> ClientCredentials | None:
    """Those of the context; None without any."""
    if "client_secret" in context:
        return ClientCredentials(str(context["client_id"]), str(context["client_secret"]))
    if "private_key_pem" in context:
        key = read_key(str(context["private_key_pem"]).encode())
        return ClientCredentials(str(context["client_id"]), key=key)
    return None


def browser(scenario: str, context: dict[str, Any], folder: str) -> BrowserOptions:
    """How a person signs in, with the client of the context."""
    store = SignInStore(Path(folder), keyring=False)
    given = str(context.get("client_id", "")), str(context.get("client_secret", ""))
    if scenario == "auth/basic-cimd":
        given = DOCUMENT, ""
    return BrowserOptions(*given, store=store)


async def run(url: str, scenario: str, version: str, context: dict[str, Any]) -> int:
    is_legacy = not version.startswith("2026") or scenario in LEGACY_ONLY
    signs_in_itself = scenario.startswith("auth/client-credentials")
    folder = tempfile.mkdtemp(prefix="signoff-conformance-")
    link = HttpLink(
        url,
        LEGACY if is_legacy else AUTO,
        credentials=credentials(context) if signs_in_itself else None,
        browser=browser(scenario, context, folder),
    )
    link.begin()
    changed = asyncio.Event()
    engine = Engine(link, "suite", trust=Trust.TRUSTED, listener=lambda event: changed.set())
    engine.approver = Scripted()
    engine.open()
    engine.prepare()
    try:
        async with asyncio.timeout(LISTED_SECONDS):
            while not engine.is_listed:
                if engine.server.phase in (Phase.FAILED, Phase.LOST):
                    print(engine.server.ended_words, file=sys.stderr)
                    return 1
                changed.clear()
                await changed.wait()
        for name, arguments in wanted(scenario, context, engine.tools):
            tool = next((one for one in engine.tools if one.name == name), None)
            if tool is None:
                print(f"not listed: {name}", file=sys.stderr)
                continue
            async with asyncio.timeout(CALL_SECONDS):
                call = await engine.ended(engine.call(tool, arguments, although_invalid=True))
            tell(call)
        return 0
    finally:
        await engine.close()


def tell(call: Call) -> None:
    """What came of a call, for whoever reads the output of the suite."""
    print(f"{call.request.name}: {call.status} {call.reason}", file=sys.stderr)


def main() -> int:
    url = sys.argv[1]
    scenario = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
    version = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION", "")
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}") or "{}")
    return asyncio.run(run(url, scenario, version, context))


if __name__ == "__main__":
    sys.exit(main())
