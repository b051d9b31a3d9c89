"""Files that a person writes: trees with places, kinds of values, problems."""
