"""Questions, decisions, and what is remembered of them."""
