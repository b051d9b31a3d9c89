"""Runs of flow files: one server each, its steps, its checks and the reports."""
