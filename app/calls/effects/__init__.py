"""Evidence: observed effects of a server's processes in a call, compared with its hints."""
