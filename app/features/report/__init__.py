"""The report of a session, of one server or of several, as a page."""
