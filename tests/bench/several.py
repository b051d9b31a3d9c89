"""Twenty servers at once: all of their tools on the screen, memory, and keys while one floods."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter

from tests.bench.figures import Figure, Samples
from tests.bench.keys import DOWN, GAP, REST, TARGET_SECONDS, UP
from tests.bench.places import Place
from tests.bench.probe import probe
from tests.bench.timed_tty import Tty
from tests.servers import raw

SERVERS = 20
TOOLS = f"{SERVERS} servers: all tools on the screen"
PROBES = f"{SERVERS} bare probes begun at once"
KEYS = f"{SERVERS} servers, one floods, Down: the cursor"
TOOLS_EACH = 6
"""Tools of each server, with the one that it always has."""
TOOLS_TARGET = 1.5
MEGABYTE = 1_000_000


def measure(place: Place, runs: int) -> list[Figure]:
    """All of it in turn; a round before warms the caches."""
    samples = Samples()
    argvs = [
        raw("--only", "echo", "--tools", "5", "--server-name", f"s{at}") for at in range(SERVERS)
    ]
    words = command(place, argvs)
    _round(Samples(), place, words, argvs)
    for _ in range(runs):
        _round(samples, place, words, argvs)
    ratio = samples.median(TOOLS) / samples.median(PROBES)
    one = peak(place, command(place, argvs[:2]), 2)
    many = peak(place, words, SERVERS)
    each = (many - one) / (SERVERS - 2) / MEGABYTE
    flooded = [*argvs[1:], raw("--only", "echo", "--tools", "5", "--change-every", "0.002")]
    with Tty(command(place, flooded), place.env, place.home) as signoff:
        signoff.seen(lambda text: all_listed(SERVERS) in text)
        signoff.quiet(0.3)
        for press in range(runs * 4):
            key = DOWN if press % 16 < 8 else UP
            samples.add(KEYS, signoff.press(key, GAP, REST)[0])
    return [
        samples.figure(PROBES),
        samples.figure(TOOLS, f"<= {TOOLS_TARGET} x bare probes", f"{ratio:.2f} x"),
        samples.figure(TOOLS, "", f"{each:.1f} MB of memory for each further server"),
        samples.figure(KEYS, f"<= {TARGET_SECONDS * 1000:.0f} ms", ""),
    ]


def command(place: Place, argvs: Sequence[Sequence[str]]) -> list[str]:
    """The command line of Signoff on these servers, with consent to each."""
    file = place.home / f"servers-{len(argvs)}-{len(str(argvs))}.json"
    entries = {f"s{at}": {"command": one[0], "args": list(one[1:])} for at, one in enumerate(argvs)}
    file.write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")
    starts = [word for name in entries for word in ("--start", digest(place, file, name))]
    return [sys.executable, "-m", "signoff.app", "--all", "--config", str(file), *starts]


def digest(place: Place, file: Path, name: str) -> str:
    words = ["servers", "show", name, "--json", "--config", str(file)]
    shown = subprocess.run(
        [sys.executable, "-m", "signoff.app", *words],
        env=place.env,
        cwd=place.home,
        check=True,
        stdout=subprocess.PIPE,
    )
    return str(json.loads(shown.stdout)["digest"])


def all_listed(servers: int) -> str:
    """What is on the screen once all of them have listed their tools."""
    return f" {servers * TOOLS_EACH} tools"


def peak(place: Place, words: list[str], servers: int) -> int:
    """The most memory of the program, in bytes, until all tools are on the screen."""
    with Tty(words, place.env, place.home) as signoff:
        signoff.seen(lambda text: all_listed(servers) in text)
        signoff.quiet(0.3)
        return signoff.peak_memory()


def _round(
    samples: Samples, place: Place, words: list[str], argvs: Sequence[Sequence[str]]
) -> None:
    with Tty(words, place.env, place.home) as signoff:
        samples.add(TOOLS, signoff.seen(lambda text: all_listed(len(argvs)) in text))
    began = perf_counter()
    with ThreadPoolExecutor(len(argvs)) as pool:
        list(pool.map(lambda argv: probe(argv, place.env, place.home), argvs))
    samples.add(PROBES, perf_counter() - began)
