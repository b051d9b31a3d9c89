"""The report of a session: its values and its HTML page."""
