"""JSON of strangers: bounded reading, canonical writing."""
