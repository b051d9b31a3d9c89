"""What came back from a call, part by part, and what can be said of it."""
