"""The Agent Client Protocol: an agent as a process, and the relay before the agent's MCP server."""
