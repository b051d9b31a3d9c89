"""Signoff: a terminal client for testing how MCP tools get approved."""

__version__ = "0.1.0"
