"""The matrix of tools against policies and hosts, and what-if hints."""
