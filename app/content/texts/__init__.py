"""Texts with a kind: Markdown, tables, highlighting, search."""
