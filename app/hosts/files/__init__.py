"""Configuration files of MCP hosts: servers, variables, problems and approval switches in them."""
