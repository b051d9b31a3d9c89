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


@pytest.mark.parametrize("name", driver_names())
def test_a_driver_is_whole(name: str) -> None:
    driver = read_driver(name)
    assert driver.modes
    assert len({one.name for one in driver.modes}) == len(driver.modes)
    for mode in driver.modes:
        assert set(mode.commands) <= set(SURFACES)
        assert "screen" not in mode.commands or driver.keys is not None


@pytest.mark.parametrize("name", driver_names())
def test_files_of_a_driver_have_the_form_of_their_endings(name: str) -> None:
    driver = read_driver(name)
    for mode in driver.modes:
        places = PLACES._replace(more=mode.values)
        for one in driver.files:
            text = places.fill(one.text)
            if one.path.endswith(".json"):
                json.loads(text)
            elif one.path.endswith(".toml"):
                tomllib.loads(text)
            elif one.path.endswith(".py"):
                compile(text, one.path, "exec")


@pytest.mark.parametrize("name", driver_names())
def test_models_of_hosts_that_a_driver_names_exist(name: str) -> None:
    hosts = {host.name: host for host in find_hosts().hosts}
    for mode in read_driver(name).modes:
        assert set(mode.models) <= set(mode.commands)
        for model in mode.models.values():
            host = hosts[model.partition(":")[0]]
            assert model in {one.name for one in host.variants}


def test_unattended_is_the_first_mode_in_a_pipe() -> None:
    driver = read_driver("codex")
    assert driver.mode("unattended").name == "exec"
    assert driver.mode("").name == driver.modes[0].name
    with pytest.raises(DriverError, match="codex has no mode nothing; it has exec"):
        driver.mode("nothing")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ('title = "Host"', "title: missing"),
        ('program = "host"', "program: missing"),
        ('headless = ["{program}", "{prompt}"]', "no command for any of"),
        ('name = "run"', "name: missing"),
    ],
)
def test_a_mistake_is_named(change: str, words: str) -> None:
    with pytest.raises(DriverError, match=words):
        parse_driver("host", MINIMAL.replace(change, ""))


def test_an_unknown_key_is_named() -> None:
    with pytest.raises(DriverError, match=r"host.toml: colour: unknown key"):
        parse_driver("host", 'colour = "red"\n' + MINIMAL)


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


@pytest.mark.parametrize("name", driver_names())
def test_a_slow_tool_is_waited_for_with_the_limits_of_the_host_itself(name: str) -> None:
    driver = read_driver(name)
    for mode in driver.modes:
        assert driver.patience.keys() <= mode.values.keys()
        texts = [one.text for one in driver.files]
        for key, value in {**mode.values, **driver.patience}.items():
            texts = [text.replace(f"{{{key}}}", value) for text in texts]
        limits = [line.strip() for text in texts for line in text.splitlines() if "timeout" in line]
        assert limits in ([], ["startup_timeout_sec = 30"]), "put it into [values] and [patience]"
