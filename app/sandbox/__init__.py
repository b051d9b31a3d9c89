"""A worker process for work that a server can make expensive, under limits."""
