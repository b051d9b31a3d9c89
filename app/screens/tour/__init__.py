"""The tour on the bench: its panel, its list, and its pictures."""
