"""Features: a folder each, with its command, screen, words and logic."""
