"""`signoff doctor`: problems of a server; they are found in `protocol/conformance`."""
