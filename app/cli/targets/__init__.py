"""The server of a command line: given, configured, recent, or several."""
