"""The entry of one server in a file of a host, key by key."""
