"""The tools that people learn annotations from, with the parameters, hints and texts they know."""
