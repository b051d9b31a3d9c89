"""What an approval is bound to, grants, trust, and what runs as a server."""
