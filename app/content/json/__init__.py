"""Untrusted JSON: bounded reading, canonical writing."""
