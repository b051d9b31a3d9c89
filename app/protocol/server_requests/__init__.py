"""Requests of a server to its client: elicitation, sampling, roots."""
