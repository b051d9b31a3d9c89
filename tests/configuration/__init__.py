"""`app/configuration`: the files of hosts, and all that is found in them."""
