"""The screen of a server's tasks."""
