"""Screens of the wire: frames, filters, raw messages."""
