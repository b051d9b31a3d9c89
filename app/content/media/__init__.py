"""Images and audio: headers, decoding within limits, hex dumps."""
