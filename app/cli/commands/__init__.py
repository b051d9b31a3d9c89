"""The commands of `signoff` that need no screen, one module each, with their output."""
