"""Importing the SDK: how little of it, and what if it is laid out in another way."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.started_anew


def said(code: str) -> str:
    """What a program of its own printed."""
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=150, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout.strip()


@pytest.mark.slow
def test_what_only_servers_and_http_need_is_not_imported() -> None:
    code = """
import sys
from signoff.app.transport.session import client_session
client_session()
print(*(one for one in ("mcp.server", "mcp.client.client", "starlette", "uvicorn", "httpx2")
    if one in sys.modules))
"""
    assert said(code) == ""


@pytest.mark.slow
def test_the_whole_package_is_there_for_who_asks_for_it() -> None:
    code = """
from signoff.app.transport.session import client_session
early = client_session()
import mcp
from mcp import ClientSession, StdioServerParameters
from mcp.client import Client, ClientSession as Other
print(early is ClientSession is Other is client_session(), mcp.ServerSession.__name__)
print(mcp.types.Tool is mcp.Tool, mcp.__name__, mcp.client.__package__)
"""
    assert said(code) == "True ServerSession\nTrue mcp mcp.client"


@pytest.mark.slow
def test_a_name_that_no_package_has_is_an_error_as_ever() -> None:
    code = """
from signoff.app.transport.session import client_session
client_session()
import mcp
for one in ("__nothing__", "nothing", "nothing"):
    try: getattr(mcp, one)
    except AttributeError: print("none")
"""
    assert said(code).split() == ["none"] * 3


@pytest.mark.slow
def test_a_package_that_was_imported_before_is_used() -> None:
    code = """
import mcp
from signoff.app.transport.session import client_session
print(client_session() is mcp.ClientSession)
"""
    assert said(code) == "True"


@pytest.mark.slow
def test_an_sdk_that_needs_its_packages_is_imported_as_a_whole() -> None:
    code = """
import sys
class Picky:
    def find_spec(self, name, path=None, target=None):
        if name == "mcp.client.session" and type(sys.modules["mcp"]).__name__ == "_Package":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Picky())
from signoff.app.transport.session import client_session
found = client_session()
import mcp
print(found is mcp.ClientSession, "mcp.server" in sys.modules)
"""
    assert said(code) == "True True"
