"""The terminal interface: the app, its screens and dialogs."""
