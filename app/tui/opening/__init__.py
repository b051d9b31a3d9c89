"""The screen on which a server is chosen."""
