"""Plain mode: the program as numbered lines and prompts, for screen readers and logs."""
