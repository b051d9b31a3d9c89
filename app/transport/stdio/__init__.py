"""Stdio: the server's process, its lines, the SDK's session over its pipes."""
