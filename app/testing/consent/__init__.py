"""Runs of `signoff consent`: each person calls a tool on a server process of its own."""
