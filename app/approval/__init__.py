"""Approvals: their binding, grants, trust, and the program that runs as a server."""
