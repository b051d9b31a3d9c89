"""Approval flows run: one server each, step by step, and what came of it reported."""
