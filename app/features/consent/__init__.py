"""`signoff consent`: each person calls a tool that asks, on a server process of its own."""
