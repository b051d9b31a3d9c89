"""The command line: reads the words, puts options and settings together, runs one command."""
