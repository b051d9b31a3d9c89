"""What the server offers only to clients that declare a draft of an extension."""
