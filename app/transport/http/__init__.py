"""Streamable HTTP: client, event streams, refusals."""
