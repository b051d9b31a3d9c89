"""A Streamable HTTP server of the SDK's with resources and a prompt; prints its URL.

`touch` says that a resource was updated, and that there are other resources.
"""

from __future__ import annotations

import socket

from mcp.server.mcpserver import Context, MCPServer

ONE = "demo://item/one"

server = MCPServer("sdk", version="1", log_level="ERROR")


@server.resource(ONE)
def one() -> str:
    return "one"


@server.resource("demo://item/{name}")
def item(name: str) -> str:
    return f"item {name}"


@server.prompt()
def hello(name: str) -> str:
    return f"hello {name}"


@server.tool()
async def touch(ctx: Context) -> str:
    await ctx.notify_resource_updated(ONE)
    return "touched"


if __name__ == "__main__":
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    print(f"http://127.0.0.1:{port}/mcp", flush=True)
    server.run("streamable-http", port=port)
