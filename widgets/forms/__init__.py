"""The form for a tool's arguments, row by row."""
