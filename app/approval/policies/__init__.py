"""Policies: rules, conditions, verdicts, and how policy files are read."""
