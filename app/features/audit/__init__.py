"""The audit log as lines and as a screen; the log itself is in `storage/auditing`."""
