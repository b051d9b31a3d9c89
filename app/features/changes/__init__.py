"""`signoff diff`: changed definitions; the comparison is in `protocol/definitions`."""
