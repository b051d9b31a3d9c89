"""Dialogs that ask a person: approve a call, trust a server, answer a server's request."""
