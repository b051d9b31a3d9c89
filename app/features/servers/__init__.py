"""`signoff servers`: servers in the files of hosts, which `hosts` reads."""
