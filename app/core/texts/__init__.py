"""What a text is written in, and how it is shown and searched."""
