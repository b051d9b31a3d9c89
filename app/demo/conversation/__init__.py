"""What a server offers beside tools, and what it asks of the client: the rest of MCP."""
