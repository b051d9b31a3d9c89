"""The output of `signoff matrix`."""
