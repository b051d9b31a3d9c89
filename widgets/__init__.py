"""Presentational widgets: take plain values and post messages."""
