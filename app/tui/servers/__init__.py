"""Several servers in one session: the list of all their tools, and the way to each of them."""
