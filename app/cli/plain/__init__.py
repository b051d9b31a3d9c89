"""Plain mode: the program as numbered lines and questions, for screen readers and logs."""
