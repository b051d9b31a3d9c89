"""What went over the wire: messages as they came, and how they belong together."""
