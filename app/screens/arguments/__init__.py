"""Arguments before a call: checked, edited outside, taken from earlier calls and presets."""
