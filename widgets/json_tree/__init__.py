"""A JSON value as a tree, with its schema errors."""
