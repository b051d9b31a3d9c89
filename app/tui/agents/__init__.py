"""The screen of an agent, and the dialog for its permission requests."""
