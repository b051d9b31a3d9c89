"""What client libraries make of definitions and answers: a measured table, and who is concerned."""
