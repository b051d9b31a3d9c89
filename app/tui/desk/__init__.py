"""Screens opened over the main screen: policy, matrix, grants, audit log, changes."""
