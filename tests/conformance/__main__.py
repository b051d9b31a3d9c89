"""`python -m tests.conformance`: every required client scenario of the official suite, and the
sign-in of clients, which is not required.

Node and the suite come from npm, into npm's own cache. Ends with 1 where a scenario fails.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
NODE = "node@24"
SIGN_IN = (
    *(f"auth/metadata-{one}" for one in ("default", "var1", "var2", "var3")),
    "auth/basic-cimd",
    "auth/scope-from-www-authenticate",
    "auth/scope-from-scopes-supported",
    "auth/scope-omitted-when-undefined",
    "auth/scope-step-up",
    "auth/scope-retry-limit",
    *(f"auth/token-endpoint-auth-{one}" for one in ("basic", "post", "none")),
    "auth/pre-registration",
)
"""The sign-in of a person, in both revisions."""
SCENARIOS = {
    "2025-11-25": (
        *SIGN_IN,
        "initialize",
        "tools_call",
        "elicitation-sep1034-client-defaults",
        "sse-retry",
        "json-schema-2020-12-preservation",
    ),
    "2026-07-28": (
        *SIGN_IN,
        "auth/resource-mismatch",
        "auth/offline-access-scope",
        "auth/offline-access-not-supported",
        "auth/authorization-server-migration",
        *(f"auth/iss-{one}" for one in ("supported", "not-advertised", "supported-missing")),
        *(f"auth/iss-{one}" for one in ("wrong-issuer", "unexpected", "normalized")),
        "auth/metadata-issuer-mismatch",
        "tools_call",
        "request-metadata",
        "sep-2322-client-request-state",
        "http-standard-headers",
        "http-custom-headers",
        "http-invalid-tool-headers",
        "json-schema-ref-no-deref",
        "json-schema-2020-12-preservation",
    ),
}
"""By revision: all that are required."""
EXTENSIONS = ("auth/client-credentials-basic", "auth/client-credentials-jwt")
"""Scenarios of extensions, which no revision requires; each is run in every revision."""
RESULT = re.compile(r"Passed: (\d+)/(\d+), (\d+) failed, (\d+) warnings")
SECONDS = 120


def run(version: str, scenario: str) -> tuple[bool, str]:
    """Whether a scenario passed, and its counts."""
    client = f"{sys.executable} -m tests.conformance.adapter"
    suite = ["npx", "--yes", "-p", NODE, "-p", SUITE, "conformance", "client"]
    more = ["--force"] if scenario in EXTENSIONS else []
    done = subprocess.run(
        [*suite, "--command", client, "--scenario", scenario, "--spec-version", version, *more],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    found = RESULT.search(done.stdout + done.stderr)
    if found is None:
        return False, (done.stderr or done.stdout).strip()[-500:]
    passed, total, failed, warned = map(int, found.groups())
    return failed == 0 and passed > 0, f"{passed}/{total} checks, {warned} warnings"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("--only", default="", help="scenarios whose name has this")
    only = parser.parse_args().only
    bad = total = 0
    for version, scenarios in SCENARIOS.items():
        for scenario in (*scenarios, *EXTENSIONS):
            if only not in scenario:
                continue
            is_passed, words = run(version, scenario)
            total += 1
            bad += not is_passed
            print(f"{'passed' if is_passed else 'FAILED'}  {version}  {scenario}: {words}")
    print(f"{total - bad} of {total} scenarios passed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
