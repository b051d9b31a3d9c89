"""The wire: all that was sent and received."""
