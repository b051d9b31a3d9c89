"""Frames of the wire: reading, filtering, captures, export."""
