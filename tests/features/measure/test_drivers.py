"""Drivers: all of them can be read, and mistakes in one are named."""

from __future__ import annotations

import json
import sys
import tomllib
from dataclasses import replace

import pytest

from signoff.app.features.measure.drivers import (
    SURFACES,
    DriverError,
    PlaceholderValues,
    driver_names,
    parse_driver,
    read_driver,
)
from signoff.app.features.measure.running.short_runs import program_version
from signoff.app.storage.policy_files import find_hosts

MINIMAL = """
title = "Host"
program = "host"
version = ["{program}", "--version"]
package = "npm:host"
get = "npm install host"
licence = "MIT"
tool_name = "{tool}"
[[mode]]
name = "run"
headless = ["{program}", "{prompt}"]
"""
PLACES = PlaceholderValues(
    home="/scratch/home",
    folder="/scratch/work",
    model_url="http://127.0.0.1:1",
    token="key",
    prompt="please",
    server=("/usr/bin/python", "-m", "probes", "--log", "/scratch/a b"),
    server_name="probes",
    mcp_config="/scratch/mcp.json",
    program="host",
    more={},
)


HOSTS = {host.name: host for host in find_hosts().hosts}


@pytest.mark.parametrize("name", driver_names())
def test_a_driver_is_whole(name: str) -> None:
    driver = read_driver(name)
    assert driver.modes
    assert len({one.name for one in driver.modes}) == len(driver.modes)
    for mode in driver.modes:
        assert set(mode.models) <= set(mode.commands) <= set(SURFACES)
        assert "screen" not in mode.commands or driver.keys is not None
        for model in mode.models.values():
            assert model in {one.name for one in HOSTS[model.partition(":")[0]].variants}
        # Files have the form of their endings.
        places = PLACES._replace(more=mode.values)
        for one in driver.files:
            text = places.fill(one.text)
            if one.path.endswith(".json"):
                json.loads(text)
            elif one.path.endswith(".toml"):
                tomllib.loads(text)
            elif one.path.endswith(".py"):
                compile(text, one.path, "exec")
        # A slow tool is waited for with the limits of the host itself.
        assert driver.patience.keys() <= mode.values.keys()
        texts = [one.text for one in driver.files]
        for key, value in {**mode.values, **driver.patience}.items():
            texts = [text.replace(f"{{{key}}}", value) for text in texts]
        limits = [line.strip() for text in texts for line in text.splitlines() if "timeout" in line]
        assert limits in ([], ["startup_timeout_sec = 30"]), "put it into [values] and [patience]"


def test_unattended_is_the_first_mode_in_a_pipe() -> None:
    driver = read_driver("codex")
    assert driver.mode("unattended").name == "exec"
    assert driver.mode("").name == driver.modes[0].name
    with pytest.raises(DriverError, match="codex has no mode nothing; it has exec"):
        driver.mode("nothing")


def test_placeholders_are_filled_and_other_braces_stay() -> None:
    assert PLACES.fill('{"a": {"b": {args_json}}}') == (
        '{"a": {"b": ["-m", "probes", "--log", "/scratch/a b"]}}'
    )


@pytest.mark.parametrize(
    "printed", ["Host CLI 1.0.102.", "1.0.102", "host/1.0.102 linux", "v1.0.102-"]
)
async def test_a_version_ends_before_the_end_of_its_sentence(printed: str) -> None:
    prints = (sys.executable, "-c", f"print({printed!r})")
    driver = replace(parse_driver("host", MINIMAL), version=prints)
    assert await program_version(driver, "host") == "1.0.102"
