"""Stdio: the server's process, its lines, the connection over its pipes."""
