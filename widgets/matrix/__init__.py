"""Tools against policies and hosts."""
