"""Screens of text: pager, sections, server, keys, clients."""
