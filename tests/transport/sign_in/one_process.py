"""One Signoff of several with the same stored sign-in: `python -m ... URL FOLDER SECONDS yes|no`.

It calls a tool again and again. `yes`: its person agrees to another sign-in, and visits the page.
The first line of its output comes once it is connected, the last one says what it has seen.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

from signoff.app.transport.events import Listing
from tests.transport.linked import call
from tests.transport.sign_in.browsing import at_browser, kept_in

PAUSE = 0.02


async def run(url: str, folder: Path, seconds: float, *, agrees: bool) -> dict[str, Any]:
    async with at_browser(url, kept_in(folder)) as (link, person):
        person.agrees = agrees
        settled = await person.settled()
        seen: dict[str, Any] = {"calls": 0, "problem": ""}
        print("connected", flush=True)
        if not isinstance(settled, Listing):
            seen["problem"] = settled.words
        until = time.monotonic() + seconds
        while time.monotonic() < until and not seen["problem"]:
            seen["problem"] = (await call(link, "echo")).problem
            seen["calls"] += 1
            await asyncio.sleep(PAUSE)
        return seen | {"asked": [one.why for one in person.asked]}


if __name__ == "__main__":
    given = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3])
    print(json.dumps(asyncio.run(run(*given, agrees=sys.argv[4] == "yes"))), flush=True)
