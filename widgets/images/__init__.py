"""Images in half blocks or true pixels, and sounds as waveforms."""
