"""A forecast behind the usual layers of a service: a log, a time limit, a memory of recent
responses and a rate limit."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Annotated, Final

from mcp.types import CallToolResult
from pydantic import Field

from ..declare import failed, hints, plain, tool
from ..sandbox import tell

CACHE_SECONDS: Final = 60.0
TIMEOUT_SECONDS: Final = 1.0
RATE: Final = 5
"""Forecasts in RATE_SECONDS; remembered ones are free."""
RATE_SECONDS: Final = 10.0
_SLOW: Final = "slowville"
"""The place whose weather never comes."""
_MAX_CACHED: Final = 1_000
_SKIES: Final = ("clear", "cloudy", "light rain", "fog", "snow", "a thunderstorm")


class WeatherTools:
    """Each layer does one thing and hands on: log, timeout, cache, rate limit, forecast."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._cached: OrderedDict[str, tuple[float, str]] = OrderedDict()
        self._asked: deque[float] = deque(maxlen=RATE)
        self._observed = 0

    @tool("Get Weather", hints(read_only=True, open_world=True))
    async def get_weather(
        self,
        location: Annotated[
            str,
            Field(
                description="Place; Slowville times out",
                min_length=1,
                max_length=200,
                examples=["Berlin", "Slowville"],
            ),
        ],
    ) -> CallToolResult:
        """Get the current weather, simulated. Responses are logged to stderr and cached for 60
        seconds; a call times out after a second, and 5 in 10 seconds are allowed."""
        started = self._clock()
        tell(f"get_weather called for {location!r}")
        answer = await self._in_time(location)
        how = "failed" if answer.is_error else "answered"
        tell(f"get_weather {how} in {(self._clock() - started) * 1000:.0f} ms")
        return answer

    async def _in_time(self, location: str) -> CallToolResult:
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                return await self._remembered(location)
        except TimeoutError:
            return failed(f"Timed out: no weather for {location} within {TIMEOUT_SECONDS:g} s.")

    async def _remembered(self, location: str) -> CallToolResult:
        place, now = location.strip().casefold(), self._clock()
        at, answer = self._cached.get(place, (0.0, ""))
        if answer and now - at < CACHE_SECONDS:
            tell(f"get_weather cache hit, {now - at:.0f} s old")
            return plain(answer)
        tell("get_weather cache miss")
        fresh = await self._limited(location)
        if isinstance(fresh, str):
            self._cached[place] = (now, fresh)
            self._cached.move_to_end(place)
            if len(self._cached) > _MAX_CACHED:
                self._cached.popitem(last=False)
            return plain(fresh)
        return fresh

    async def _limited(self, location: str) -> CallToolResult | str:
        now = self._clock()
        if len(self._asked) == RATE and (left := RATE_SECONDS - (now - self._asked[0])) > 0:
            tell("get_weather rate limit reached")
            return failed(f"Rate limit exceeded. Try again in {left:.1f} seconds.")
        self._asked.append(now)
        return await self._forecast(location)

    async def _forecast(self, location: str) -> str:
        if location.strip().casefold() == _SLOW:
            await asyncio.sleep(TIMEOUT_SECONDS * 60)
        self._observed += 1
        dice = hashlib.sha256(location.strip().casefold().encode()).digest()
        degrees, sky = dice[0] % 35 - 5, _SKIES[dice[1] % len(_SKIES)]
        return f"{location}: {degrees} °C, {sky} (observation {self._observed})"
