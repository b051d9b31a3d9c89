"""The commands of `signoff` that need no screen, one module each, with what they print."""
