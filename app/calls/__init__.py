"""A call from draft to record: its value, checks, retries, pages and files."""
