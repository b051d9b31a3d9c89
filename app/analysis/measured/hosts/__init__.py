"""Records of measurements, one file for each version of a host."""
