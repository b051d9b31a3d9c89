"""The output of `signoff decide`."""
