"""Measures hosts: a scripted model calls the tools of a probe server through them."""
