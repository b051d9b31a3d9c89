"""The matrix, `--here` and archetypes; their values are in `approval` and `hosts/approvals`."""
