"""Evidence: what processes of a server were seen to do in a call, compared with its hints."""
