"""`signoff config`: the settings file, effective settings with their source, and mistakes."""

from __future__ import annotations

import math
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ...approval.approval import OFF
from ...platforms.files import why
from ...presentation.exit_status import ExitStatus
from ...presentation.settings import counting, source_words, value_words
from ...storage.settings.actions import actions, shown_key
from ...storage.settings.file import VARIABLE, load_settings, make_file, settings_file
from ...storage.settings.reading import template
from ...storage.settings.settings import SETTINGS
from ...storage.settings.values import Settings, SourcedValue
from ...storage.state_dir import StoreError, shown
from ...tui.base.external import NotEdited, editor_command
from ..command import without_server
from ..options.declared import opt, options
from ..options.parser import Parser, add_described, verbs
from ..options.server import AS_JSON
from ..output.printing import print_error, say
from ..targets.live import print_json
from ..targets.session import print_mistakes, read_policy_setting

_NAME, _VALUE = 18, 24


@options
class ConfigOptions(NamedTuple):
    """Options of all verbs of `config`."""

    verb: str
    json: bool = AS_JSON._replace(only=frozenset(("show", "keys")))
    file: str = opt(
        "FILE", "check this file (default: the settings file)", nargs="?", only=("check",)
    )
    """Another file than the usual, to check."""


def add(parser: Parser) -> None:
    kinds = verbs(parser)
    for name, words in (
        ("path", "print the path of the settings file"),
        ("show", "show each setting, its value and its source"),
        ("check", "list every mistake with its line"),
        ("edit", "open the settings file in $EDITOR, then check it"),
        ("keys", "list the actions whose keys can be set in [keys]"),
    ):
        add_described(kinds, name, words, _add_verb)


def _add_verb(parser: Parser) -> None:
    without_server(parser, ConfigOptions, _run, parser.prog.split()[-1:])


def _run(wanted: ConfigOptions) -> int:
    return run_check_of(wanted.file) if wanted.file else run(wanted.verb, wanted.json)


def run(verb: str, as_json: bool = False) -> int:
    """One of the verbs of `signoff config`; returns the exit status."""
    if verb == "keys":
        return _run_keys(as_json)
    try:
        path = settings_file(os.environ)
    except (StoreError, RuntimeError) as problem:
        print_error(str(problem))
        return ExitStatus.USAGE
    if verb == "path":
        return _run_path(path)
    if verb == "edit":
        return _run_edit(path)
    settings = read_policy_setting(load_settings(os.environ))[0]
    if verb == "check":
        return _run_check(settings, path)
    return _run_show(settings, path, as_json)


def run_check_of(file: str) -> int:
    """`signoff config check FILE`: another file, by itself, before it is the one that counts."""
    path = Path(file).expanduser().absolute()
    if not os.path.lexists(path):
        print_error(f"{shown(path)}: no such file")
        return ExitStatus.USAGE
    others = {name: one for name, one in os.environ.items() if not name.startswith("SIGNOFF_")}
    settings = read_policy_setting(load_settings({**others, VARIABLE: str(path)}))[0]
    if not settings.mistakes:
        return _run_check(settings, path)
    for one in settings.mistakes:
        print_error(one.words)
    return ExitStatus.USAGE


def _run_path(path: Path | None) -> int:
    if path is None:
        print_error(f"no settings file is used, because {VARIABLE} is empty")
        return ExitStatus.USAGE
    say(shown(path))
    return ExitStatus.OK


def _run_show(settings: Settings, path: Path | None, as_json: bool) -> int:
    is_there = path is not None and path.exists()
    if as_json:
        print_json(
            {
                "file": shown(path) if path is not None else None,
                "exists": is_there,
                "settings": {one.name: _report(counting(settings, one.name)) for one in SETTINGS},
                "keys": {id_: keys.split(",") for id_, keys in settings.keys.items()},
                "mistakes": [
                    {
                        "place": one.place,
                        "line": one.problem.line or None,
                        "message": one.problem.message,
                    }
                    for one in settings.mistakes
                ],
                "policy_is_known": settings.is_policy_sure,
            }
        )
        return ExitStatus.OK
    for one in SETTINGS:
        found = counting(settings, one.name)
        value = value_words(one.name, found.value)
        say(f"{one.name:<{_NAME}}{value:<{_VALUE}} {source_words(found)}")
    for id_, keys in settings.keys.items():
        listed = ", ".join(shown_key(key) for key in keys.split(","))
        say(f"{'key of ' + id_:<{_NAME + 10}} {listed}")
    if path is not None:
        say(
            f"file: {shown(path)}{'' if is_there else ' (not there: signoff config edit makes it)'}"
        )
    print_mistakes(settings)
    return ExitStatus.OK


def _run_check(settings: Settings, path: Path | None) -> int:
    if settings.mistakes:
        print_mistakes(settings)
        return ExitStatus.USAGE
    kept = len(settings.found) + len(settings.keys)
    if path is None or not path.exists():
        place = shown(path) if path is not None else VARIABLE
        say(f"{place}: not found, so the defaults count; signoff config edit creates it")
    else:
        say(f"{shown(path)}: sound, {kept} {'setting' if kept == 1 else 'settings'}")
    return ExitStatus.OK


def _run_edit(path: Path | None) -> int:
    if path is None:
        print_error(f"no settings file is used, because {VARIABLE} is empty")
        return ExitStatus.USAGE
    try:
        command = editor_command(os.environ)
        if not os.path.lexists(path):
            make_file(path, template())
        status = subprocess.run([*command, str(path)], check=False).returncode
    except (NotEdited, StoreError) as problem:
        print_error(str(problem))
        return ExitStatus.USAGE
    except OSError as problem:
        print_error(f"the editor cannot be started: {why(problem)}")
        return ExitStatus.USAGE
    found = _run_check(read_policy_setting(load_settings(os.environ))[0], path)
    if status:
        print_error(f"the editor ended with status {status}")
        return found or ExitStatus.DOUBTFUL
    return found


def _run_keys(as_json: bool) -> int:
    settings = load_settings(os.environ)
    keys = {id_: settings.keys.get(id_, ",".join(one.keys)) for id_, one in actions().items()}
    if as_json:
        print_json(
            {
                id_: {"keys": keys[id_].split(","), "does": one.about}
                for id_, one in actions().items()
            }
        )
        return ExitStatus.OK
    for id_, one in actions().items():
        listed = ", ".join(shown_key(key) for key in keys[id_].split(","))
        say(f"{id_:<28} {listed:<20} {one.about}")
    return ExitStatus.OK


def _report(found: SourcedValue) -> Mapping[str, Any]:
    value = found.value
    if isinstance(value, float) and math.isinf(value):
        value = OFF
    report: dict[str, Any] = {"value": value, "from": found.source}
    return report | ({"line": found.line} if found.line else {})
