"""What Signoff draws: presentational widgets that take plain values and post messages."""
