"""Screens for resources, resource templates and prompts."""
