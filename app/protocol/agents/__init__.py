"""Agents that speak ACP: their permission requests, and the calls that reached the MCP server."""
