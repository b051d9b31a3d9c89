"""Drafts of extensions to MCP that Signoff can be asked to try: a module each."""
