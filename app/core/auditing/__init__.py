"""The lines of the audit log, written and read."""
