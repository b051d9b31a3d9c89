"""The bench: the state that everyone watches, and one call from draft to verdict."""
