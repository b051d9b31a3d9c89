"""One tool call: evaluated, approved, sent, answered and recorded."""
