"""Text, JSON and media of a server, made safe to show."""
