"""A JSON value as a tree, with what a schema has against it."""
