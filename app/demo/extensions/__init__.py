"""Drafts of extensions that the bundled server serves to clients which declare them."""
