"""Analyses of definitions and calls: lint, matrix, archetypes, evidence."""
