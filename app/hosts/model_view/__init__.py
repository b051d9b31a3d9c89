"""What hosts and libraries give their models of a tool's result: facts, and their use."""
