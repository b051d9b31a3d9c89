"""What a server has listed over time, and how it changed."""
