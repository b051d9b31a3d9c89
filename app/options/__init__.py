"""The options of the command line: each group's words for the parser stand beside its values."""
