"""Rules of the specification for any message on the wire."""
