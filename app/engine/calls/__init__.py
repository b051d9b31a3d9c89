"""One call of a tool: evaluated, asked about, sent, answered and recorded."""
