"""Every kind of content, as it stands on the wire."""

from __future__ import annotations

import base64
import io
import wave

from tests.demo.peer import Peer


def test_the_sound_is_a_wav(peer: Peer) -> None:
    (block,) = peer.call("play_audio", seconds=0.25).content
    assert (block["type"], block["mimeType"]) == ("audio", "audio/wav")
    with wave.open(io.BytesIO(base64.b64decode(block["data"])), "rb") as sound:
        assert sound.getnframes() / sound.getframerate() == 0.25
