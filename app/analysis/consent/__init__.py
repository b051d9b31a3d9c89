"""Whether a server that asks for itself does nothing before the answer: people, values, checks."""
