"""Dialogs that ask for approval: of a call, of a server's trust, of a server's request."""
