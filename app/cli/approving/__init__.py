"""Approvers without a screen: scripts, people of flows, lines of a terminal."""
