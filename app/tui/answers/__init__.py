"""Screens and panes that show the result of a call."""
