"""Panes and dialogs in which the arguments of a call are written."""
