"""What is said of values, once for every surface: lines for people, and JSON."""
