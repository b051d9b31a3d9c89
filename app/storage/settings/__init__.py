"""Settings: names, kinds, reading and writing. Pure."""
