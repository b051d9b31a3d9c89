"""The engine: one server and all that happens on it, from connecting to the last record."""
