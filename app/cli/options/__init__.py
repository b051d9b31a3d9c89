"""Parsers of the command line's options; each reads words into a typed value."""
