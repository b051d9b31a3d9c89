"""MCP as values: servers, tools, hints, requests, progress, findings."""
