"""Words and JSON for values, written once for every surface."""
