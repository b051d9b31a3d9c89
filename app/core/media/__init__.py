"""Pictures and sounds: facts, limits, decoding."""
