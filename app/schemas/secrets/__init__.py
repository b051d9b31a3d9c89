"""Secrets in arguments, command lines and texts: found and masked."""
