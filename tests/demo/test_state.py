"""Messages and pages of the gallery: tools whose repetition matters."""

from __future__ import annotations

from signoff.app.demo.network import NetworkTools


async def test_a_key_is_forgotten_after_a_day() -> None:
    now = 0.0
    network = NetworkTools(clock=lambda: now)

    async def is_new() -> object:
        result = await network.send_message("ada", "hi", idempotencyKey="k")
        assert result.structured_content is not None
        return result.structured_content["isNew"]

    assert await is_new() is True
    now = 24 * 3600 - 1
    assert await is_new() is False
    now = 24 * 3600
    assert await is_new() is True
