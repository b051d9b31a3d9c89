"""What a question says, line by line: built once, for the dialog and for a plain terminal."""
