"""The command line: parses words, merges options with settings, runs one command."""
