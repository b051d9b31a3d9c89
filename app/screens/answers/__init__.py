"""An answer part by part: each kind of content in passing and in full, saved, copied, opened."""
