"""`signoff proxy` in the place of a server in a host's file, and back; nothing is written here."""
