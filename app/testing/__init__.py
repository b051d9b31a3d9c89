"""The former place of the pytest plugin, which older installations name."""
