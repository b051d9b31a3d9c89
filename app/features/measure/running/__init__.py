"""Runs of a host: its folder, its surfaces, what it is asked and answers."""
