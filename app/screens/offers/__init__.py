"""What a server has beside its tools, on screens over the bench."""
