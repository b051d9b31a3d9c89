"""MCP hosts: their files and rules, what they let run, what was measured."""
