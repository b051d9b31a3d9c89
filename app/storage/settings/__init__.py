"""Settings: which there are, what each may be, how they are read and written. Pure."""
