"""The engine: one server session, from connecting to the last record."""
