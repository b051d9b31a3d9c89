"""Measurements of hosts as values: JSON, packaged records, comparisons."""
