"""Flow files: reading, checking, recording and updating approval tests; the pytest plugin."""
