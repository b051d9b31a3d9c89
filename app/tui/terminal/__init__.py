"""Terminal drivers: keys, writing, suspending, the background colour."""
