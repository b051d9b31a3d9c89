"""Text of any size, line by line: laid out, searched, as a table, as bytes."""
