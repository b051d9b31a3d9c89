"""Differences of operating systems, one subject a module; imports nothing else of Signoff."""
