"""Switches and settings by which a host runs tools without asking."""
