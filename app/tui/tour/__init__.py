"""The tour: steps that are done on the real bench, what ticks them, and what is guessed before."""
