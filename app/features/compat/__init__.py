"""`signoff compat`: how client libraries read a server, and runs of the real ones."""
