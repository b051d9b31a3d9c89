"""`signoff agent`: an agent that speaks ACP, whose permission requests come to a person here."""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from ...cli.command import Command
from ...cli.options.declared import OptionGroup, add_options, opt, options, read_values
from ...cli.options.parser import Parser, seconds
from ...cli.options.session import SessionOptions
from ...cli.output.printing import print_error, tell
from ...cli.process import why_plain
from ...cli.targets.live import print_json, run
from ...cli.targets.own_environment import own_environment_words, tell_own_environment
from ...cli.targets.session import prepared_session, read_policy_setting
from ...cli.targets.targets import UsageError, command_name
from ...content.text import visible
from ...hosts.agents import HOST_NAMES, AgentNames, acp_command
from ...hosts.folders import FactError, own_fact
from ...platforms.output import other_charset
from ...presentation.exit_status import ExitStatus
from ...storage.policy_files import find_hosts
from ...storage.settings.file import load_settings
from ...transport.acp import AUTHENTICATION, AcpError, AgentTimeout
from .lines import ANSWERS

if TYPE_CHECKING:
    from ...engine.session_config import Target
    from ..measure.drivers import Driver, HostMode
    from ..measure.scripted.prompt_script import ScriptedAgent
    from .session import AgentLaunch, AgentSession

LIMIT: Final = 600.0
_OF_SERVER: Final = ("servers", "config", "start", "values", "name", "env")
"""Options of a session that the MCP server has."""


_AGENTS: Final = ", ".join(f"{name} ({' '.join(acp_command(name))})" for name in HOST_NAMES)


@options
class AgentOptions(NamedTuple):
    """Options of `agent`."""

    acp_host: str = opt(
        "--agent NAME",
        f"start a known agent with your own configuration: {_AGENTS}",
        choices=AgentNames(),
        earlier="--host",
    )
    scripted: bool = opt(
        "--scripted",
        "play a model, without an account: type calls as the prompt, such as delete_file "
        '{"path": "a"}, and join two with + to make them at once. --agent starts in an empty home '
        "(default agent: a plain one that asks about every call)",
    )
    mcp: str = opt(
        "--mcp COMMAND",
        "give the agent this MCP server, in one pair of quotes: --mcp 'npx -y some-server' "
        "(default: the bundled server)",
    )
    """The command of the MCP server, as one word."""
    prompt: str = opt("--prompt TEXT", "send this prompt at once (default: type it)")
    mode: str = opt(
        "--agent-mode ID", "set this mode of the agent first, such as plan", earlier="--mode"
    )
    sign_in: str = opt(
        "--sign-in ID",
        "sign in by this method of the agent first (default: it is signed in already)",
    )
    answer: str = opt(
        "--reply",
        "answer every question so, without a screen (default with --json: reject)",
        choices=ANSWERS,
        earlier="--answer",
    )
    """How each question is answered without a person; empty for none."""
    limit: float | None = opt(
        "--turn-limit S",
        f"end a turn after S seconds (default: {LIMIT:g} with --json or --reply, else never)",
        type=seconds,
        earlier="--limit",
    )
    plain: bool = opt("--plain", "print lines (default without a terminal)", rivals="shapes")
    json: bool = opt("--json", "send --prompt, then print one JSON object", rivals="shapes")


class Agent(NamedTuple):
    """The command, with its options."""

    own: AgentOptions
    server: SessionOptions
    """Its server in a configuration file, or what a command is started with."""

    def run(self, argv: tuple[str, ...]) -> int:
        own = self.own
        if own.json and not own.prompt:
            raise UsageError("--json needs --prompt TEXT")
        if own.mcp and self.server.servers:
            raise UsageError("give one MCP server: --mcp COMMAND or --server NAME")
        with prepared_session(*_server_of(own, self.server)) as prepared:
            prepared.tell_mistakes()
            target = prepared.config.target
            with _agent(own, argv, target, self.server.start) as agent:
                return _run(own, _launch(own, agent, target))


def add(agent: Parser) -> None:
    name = agent.prog
    agent.usage = (
        f"{name} [OPTIONS] (--agent NAME | -- AGENT [ARG...])\n"
        f"       {name} [OPTIONS] --scripted [--agent NAME | -- AGENT [ARG...]]"
    )
    add_options(agent, AgentOptions)
    _add_server(agent)
    agent.set_defaults(read_command=_read)


def _add_server(agent: Parser) -> None:
    add_options(
        agent,
        SessionOptions,
        names=_OF_SERVER,
        group=OptionGroup("options for the MCP server", "the MCP server"),
        help={
            "servers": "give the agent the server of this name in the configuration files of "
            "hosts, once you agree; see `signoff servers`",
            "name": "give the server this name",
            "env": "give the server this variable",
            "start": "start --server, or an agent of yours, without a question if its digest is "
            "this one",
        },
    )


def _read(given: argparse.Namespace) -> Command:
    return Agent(read_values(AgentOptions, given), read_values(SessionOptions, given, _OF_SERVER))


class _Started(NamedTuple):
    """How the agent is started."""

    name: str
    command: tuple[str, ...]
    folder: str
    env: Mapping[str, str]
    scripted: ScriptedAgent | None = None


@contextlib.contextmanager
def _agent(
    own: AgentOptions, argv: tuple[str, ...], target: Target, digests: Sequence[str]
) -> Iterator[_Started]:
    """The agent that was chosen. Raises UsageError, NotStarted."""
    if own.acp_host and argv:
        raise UsageError("give --agent NAME or -- AGENT [ARG...]; the MCP server comes with --mcp")
    if not own.scripted:
        command = _agent_command(own, argv, digests)
        tell_own_environment(own_environment_words(command, os.environ))
        name = own.acp_host or visible(command_name(command))
        yield _Started(name, command, os.getcwd(), os.environ)
        return
    from ..measure.drivers import DriverError
    from ..measure.scripted.prompt_script import PromptError, read_calls, scripted_agent

    try:
        if own.prompt:
            read_calls(own.prompt)
        driver, mode, words = (
            _driver_of(own.acp_host, digests) if own.acp_host else (None, None, argv)
        )
        with scripted_agent(driver, mode, words, target.name) as made:
            name = own.acp_host or (visible(command_name(argv)) if argv else "plain")
            yield _Started(name, made.command, made.folder, made.environment, made)
    except PromptError as problem:
        raise UsageError(f"--prompt: {problem}") from None
    except DriverError as problem:
        raise UsageError(visible(str(problem))) from None


def _driver_of(name: str, digests: Sequence[str]) -> tuple[Driver, HostMode, tuple[str, ...]]:
    """The driver of a host, its first mode with ACP, and the command. Raises UsageError."""
    from ..measure.consent import require_driver
    from ..measure.drivers import read_driver

    driver = read_driver(name)
    mode = next((one for one in driver.modes if "acp" in one.commands), None)
    if mode is None:
        raise UsageError(f"--scripted: the driver of {name} has no mode with ACP")
    program = shutil.which(driver.program)
    if program is None:
        raise UsageError(f"{driver.program} is not in PATH; install it with: {driver.get}")
    # It is started in another folder.
    program = os.path.abspath(program)
    require_driver(driver, digests)
    return replace(driver, program=program), mode, mode.commands["acp"]


def _agent_command(
    own: AgentOptions, argv: tuple[str, ...], digests: Sequence[str]
) -> tuple[str, ...]:
    """The command of an agent with a model of its own. Raises UsageError."""
    if argv:
        return argv
    if not own.acp_host:
        known = ", ".join(AgentNames())
        raise UsageError(
            f"which agent? Give --agent NAME ({known}), -- AGENT [ARG...] for any other that "
            "speaks ACP on its standard input, or --scripted to try it without a model"
        )
    try:
        command = acp_command(own.acp_host)
    except FactError as problem:
        raise UsageError(visible(str(problem))) from None
    if shutil.which(command[0]) is None:
        words = f"{command[0]} is not in PATH: install {own.acp_host}, or give its command after --"
        raise UsageError(words)
    from ..measure.consent import require_agent

    require_agent(own.acp_host, command, digests)
    return command


def _server_of(own: AgentOptions, given: SessionOptions) -> tuple[SessionOptions, tuple[str, ...]]:
    """The options and the command of the MCP server. Raises UsageError."""
    try:
        words = tuple(shlex.split(own.mcp))
    except ValueError as problem:
        raise UsageError(f"--mcp: {problem}".lower()) from None
    given = given._replace(is_bundled=not (words or given.servers))
    if not given.servers and _is_own(own.acp_host):
        # A digest is then of the agent alone.
        given = given._replace(start=())
    return given, words


def _is_own(name: str) -> bool:
    """True for an agent that is started by a file of the person's."""
    return any(own_fact(name, fact) is not None for fact in ("agent.toml", "driver.toml"))


def _launch(own: AgentOptions, agent: _Started, target: Target) -> AgentLaunch:
    """Everything that the session needs. Raises UsageError for a server that has a URL."""
    from ...transport.stdio.process import server_environment
    from .session import AgentLaunch

    if not target.argv:
        raise UsageError("the agent needs a server with a command: one with a URL has no tap")
    extra = dict(target.env)
    # An agent may keep most variables from its servers; the bundled one needs its folder.
    needed = {"SIGNOFF_DEMO_DIR"} & os.environ.keys()
    extra |= {name: server_environment()[name] for name in needed}
    launch = AgentLaunch(
        name=agent.name,
        command=agent.command,
        cwd=agent.folder,
        env=dict(agent.env),
        server=target.name,
        server_command=target.argv,
        server_env=extra,
        server_folder=target.folder or os.getcwd(),
        hosts=tuple(find_hosts().hosts),
        mode=own.mode,
        sign_in=own.sign_in,
    )
    if agent.scripted is None:
        return launch
    from ..measure.scripted.prompt_script import EXAMPLE

    return replace(launch, hint=EXAMPLE, suggests_tools=True, compose=agent.scripted.compose)


def _run(own: AgentOptions, launch: AgentLaunch) -> int:
    if own.json:
        return _run_json(own, launch)
    if own.plain or own.answer or not _has_screen():
        return _run_plain(own, launch)
    return _run_screen(own, launch)


def _run_json(own: AgentOptions, launch: AgentLaunch) -> int:
    from .lines import run_silently
    from .words import session_json

    async def work() -> int:
        session, reasons, failure = await run_silently(
            launch, own.answer, own.prompt, own.limit or LIMIT
        )
        status = _status(session, failure)
        report = session_json(session, reasons)
        error = str(failure) if failure is not None else None
        print_json({**report, "error": error, "exit_status": int(status)})
        _tell_failure(session, failure)
        return status

    return run(work())


def _run_plain(own: AgentOptions, launch: AgentLaunch) -> int:
    from .lines import AgentLines

    async def work() -> int:
        lines, failure = AgentLines(launch, own.answer), None
        limit = own.limit or (LIMIT if own.answer else None)
        try:
            await lines.run(own.prompt, limit)
        except AcpError as problem:
            failure = problem
        _tell_failure(lines.session, failure)
        status = _status(lines.session, failure)
        # A person at the keyboard has seen it.
        is_wrong = lines.unsent and status is ExitStatus.OK and not sys.stdin.isatty()
        return ExitStatus.USAGE if is_wrong else status

    return run(work())


def _run_screen(own: AgentOptions, launch: AgentLaunch) -> int:
    from ...cli.output.printing import Hiding
    from ...cli.output.readable import Out
    from ...platforms.vanishing import hang_up_with_terminal
    from ...protocol.server import Server, Trust
    from .screen import run as run_screen
    from .words import summary_lines

    hang_up_with_terminal()
    settings = read_policy_setting(load_settings(os.environ))[0]
    status, session = run_screen(launch, own.prompt, settings)
    if session is None:
        return status
    command = shlex.join(launch.server_command)
    hiding = Hiding(False, Server(launch.server, command, command, Trust.UNTRUSTED))
    Out(hiding).sheet(summary_lines(session))
    return status or _status(session, None)


def _status(session: AgentSession, failure: AcpError | None) -> ExitStatus:
    if isinstance(failure, AgentTimeout):
        return ExitStatus.TIME_LIMIT
    if failure is not None:
        return ExitStatus.LOST
    is_wrong = session.refused_count or any(one.loud for one in session.stories)
    return ExitStatus.BROKEN if is_wrong else ExitStatus.OK


def _tell_failure(session: AgentSession, failure: AcpError | None) -> None:
    if failure is None:
        return
    print_error(str(failure))
    for line in session.agent.stderr[-5:]:
        tell(f"  {visible(line)}")
    if failure.code == AUTHENTICATION:
        ways = session.info.sign_ins if session.info is not None else ()
        named = ", ".join(visible(one) for one in ways) or "none"
        tell(f"  Sign in with the agent's own command first, or by --sign-in ID ({named}).")


def _has_screen() -> bool:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    return not why_plain(os.environ.get("TERM", "")) and not other_charset()
