"""What is handed on of a session."""
