"""Lint: rules on the definitions of tools, each with its reason, an example and a remedy."""
