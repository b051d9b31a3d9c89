"""Changes between definitions: words, severity, baselines."""
