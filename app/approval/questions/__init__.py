"""Approval requests: their values and their lines, for dialog and terminal alike."""
