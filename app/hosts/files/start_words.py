"""The words of a start: all that could run, and as few of its secrets as that needs.

A question before a start masks only what has the form of a secret and cannot run. `servers show`
masks each secret, except a word that could be the program.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from ...schemas.secrets.commands import is_key, is_option_value
from ...schemas.secrets.looks import without_looks
from ...schemas.secrets.masks import note, tells_of
from ..entries.commands import RUNNERS, SHELLS, base_name
from .masking import is_secret, is_token, mask_arguments, mask_plain, names_header

_PLAIN: Final = re.compile(r"[A-Za-z0-9_-]{6,200}")
_SIGNLESS: Final = re.compile(r"[A-Za-z0-9_.+=:/ -]{6,2000}")
_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}+://[^\s'\"`$()|;<>\\]+")
_WRAPPERS: Final = frozenset(
    (
        *("timeout", "nice", "ionice", "xargs", "ssh", "doas", "setsid", "stdbuf", "strace"),
        *("time", "chroot", "firejail", "bwrap", "unshare", "nsenter", "kubectl", "flock", "nohup"),
        *("runuser", "su", "watch", "parallel", "script", "wsl", "start", "cmd", "docker-compose"),
    )
)
"""Programs that start another one whose place among their words is not known."""
_SUBCOMMANDS: Final = frozenset(
    ("run", "exec", "dlx", "x", "tool", "start", "compose", "container", "script", "create")
)
_SWITCHES: Final = frozenset(
    (
        *("-y", "--yes", "-q", "--quiet", "-i", "--rm", "-t", "-it", "-ti", "-d", "--init"),
        *("--silent", "--bun", "-A", "--allow-all", "--offline", "--no-install", "--isolated"),
        *("-S", "-B", "-s", "-x", "--interactive", "--tty", "--refresh", "--no-cache"),
    )
)
"""Options of launchers that take no word."""
_CODE: Final = frozenset(
    (
        *("-c", "-lc", "-ic", "-ec", "-xc", "/c", "/k", "-command", "-encodedcommand", "--command"),
        *("-e", "-ne", "-pe", "-p", "-r", "--eval", "--print", "--exec", "--call", "eval", "-s"),
        *("--import", "--require", "--loader", "--experimental-loader", "--preload", "-m", "-f"),
    )
)
"""Options of interpreters and launchers that take code, or a module to load."""
_NAMED: Final = re.compile(r"\$\{?(?:env:)?!?#?(\w+)|%(\w+)%|!(\w+)!", re.IGNORECASE)
_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9_]*=[A-Za-z0-9_-]*")
_IDENTIFIER: Final = re.compile(r"[A-Za-z_]\w*")
_LOADED: Final = frozenset(
    (
        *("PATH", "PATHEXT", "COMSPEC", "SHELL", "HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"),
        *("XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS", "GCONV_PATH"),
        *("BASH_ENV", "ENV", "ZDOTDIR", "PROMPT_COMMAND", "IFS", "PS4", "SHELLOPTS", "BASHOPTS"),
        *("EDITOR", "VISUAL", "PAGER", "MANPAGER", "BROWSER", "LESSOPEN", "LESSCLOSE", "TERMINFO"),
        *("PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONBREAKPOINT"),
        *("PYTHONINSPECT", "PYTHONWARNINGS", "PYTHONPYCACHEPREFIX", "PYTHONEXECUTABLE"),
        *("PYTHONPLATLIBDIR", "VIRTUAL_ENV", "CONDA_PREFIX", "PIPX_HOME", "PIPX_BIN_DIR"),
        *("NODE_OPTIONS", "NODE_PATH", "NODE_REPL_EXTERNAL_MODULE", "TS_NODE_PROJECT"),
        *("TSX_TSCONFIG_PATH", "NVM_DIR", "VOLTA_HOME", "PNPM_HOME", "ELECTRON_RUN_AS_NODE"),
        *("PERL5OPT", "PERL5LIB", "PERLLIB", "PERL5DB", "RUBYOPT", "RUBYLIB", "RUBYSHELL"),
        *("GEM_HOME", "GEM_PATH", "BUNDLE_GEMFILE", "BUNDLE_PATH", "PHPRC", "PHP_INI_SCAN_DIR"),
        *("COMPOSER_HOME", "LUA_PATH", "LUA_CPATH", "LUA_INIT", "R_PROFILE", "R_PROFILE_USER"),
        *("R_LIBS", "R_LIBS_USER", "R_ENVIRON", "JULIA_LOAD_PATH", "JULIA_DEPOT_PATH"),
        *("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH", "JAVA_HOME"),
        *("JAVA_OPTS", "MAVEN_OPTS", "GRADLE_OPTS", "GRADLE_USER_HOME", "CATALINA_OPTS"),
        *("DOTNET_STARTUP_HOOKS", "DOTNET_ADDITIONAL_DEPS", "DOTNET_SHARED_STORE", "DOTNET_ROOT"),
        *("CORECLR_PROFILER_PATH", "COR_PROFILER_PATH", "MSBUILDSDKSPATH", "PSMODULEPATH"),
        *("GOPROXY", "GOFLAGS", "GOENV", "GOPATH", "GOROOT", "GOTOOLCHAIN", "GONOSUMDB", "GOSUMDB"),
        *("CARGO_HOME", "RUSTC", "RUSTC_WRAPPER", "RUSTFLAGS", "RUSTUP_TOOLCHAIN", "RUSTUP_HOME"),
        *("ERL_FLAGS", "ERL_LIBS", "ELIXIR_ERL_OPTIONS", "OPENSSL_CONF", "OPENSSL_MODULES"),
        *("OPENSSL_ENGINES", "SSH_ASKPASS", "SUDO_ASKPASS", "DOCKER_HOST", "DOCKER_CONFIG"),
        *("DOCKER_CONTEXT", "KUBECONFIG", "NIX_PATH", "NIX_CONFIG", "YARN_RC_FILENAME"),
    )
)
"""Variables by which a program finds or loads other code, by interpreter."""
_LOADED_BEGIN: Final = (
    *("LD_", "DYLD_", "GIT_", "NPM_CONFIG_", "PNPM_CONFIG_", "YARN_", "UV_", "PIP_", "DENO_"),
    *("BUN_", "CARGO_", "COREPACK_", "BASH_FUNC_", "MISE_", "ASDF_", "POETRY_", "PDM_"),
)
"""How the names of others begin."""


def is_loaded(name: str) -> bool:
    """True if a variable of this name can make a program run other code."""
    upper = name.upper()
    return upper in _LOADED or upper.startswith(_LOADED_BEGIN)


def shown_words(argv: Sequence[str], *, is_for_question: bool) -> list[str]:
    """The words of a command; no word that could be the program, or loaded by it, is masked."""
    last, named = _last_that_runs(argv), _named_in(argv)
    masked = mask_arguments(list(argv))
    found, before = [], ""
    for at, word in enumerate(argv):
        is_argument = at > last and not _takes_code(before, word)
        if at == 0:
            found.append(word)
        elif is_for_question:
            found.append(_in_question(word, before, named, is_argument=is_argument))
        else:
            is_alone = "=" not in word and not word.startswith("-") and not re.search(r"\s", word)
            can_run = at <= last and is_alone and not _ADDRESS.fullmatch(word)
            found.append(word if can_run else masked[at].text)
        before = word
    return found


def _in_question(word: str, before: str, named: set[str], *, is_argument: bool) -> str:
    """A word of which is masked only what has the form of a secret and cannot run."""
    if _takes_code(before, word):
        return word
    if _ADDRESS.fullmatch(word):
        return question_url(word)
    name, equals, value = word.partition("=")
    if equals and name.lstrip("-").upper() not in named and _is_named(name, value):
        return f"{name}={note(len(value))}" if _has_form(value) else word
    if not is_argument:
        return word
    if is_option_value(before, word) and _has_form(word):
        return note(len(word))
    if names_header(before) and _SIGNLESS.fullmatch(word):
        return without_looks(word, lambda secret: note(len(secret)))
    return word


def _takes_code(option: str, word: str) -> bool:
    """True if a word after an option is code; `-e NAME=value` of containers is a variable."""
    is_variable = option == "-e" and _VARIABLE.fullmatch(word) is not None
    return option.lower() in _CODE and not is_variable


def _is_named(name: str, value: str) -> bool:
    return tells_of(name, value) or is_key(name, value)


def _has_form(value: str) -> bool:
    """True for a plain word that has the form of a known secret."""
    if not _PLAIN.fullmatch(value):
        return False
    return is_token(value) or without_looks(value, lambda _: "") == ""


def _last_that_runs(argv: Sequence[str]) -> int:
    """The place of the last word that could be what runs: of a launcher, its package or script."""
    program, before = base_name(argv[0]) if argv else "", ""
    if program in _WRAPPERS:
        return len(argv)
    if program not in RUNNERS | SHELLS:
        return 0
    for at, word in enumerate(argv[1:], 1):
        is_value = before.startswith("-") and "=" not in before and before not in _SWITCHES
        is_option = word.startswith("-") or "=" in word or word in _SUBCOMMANDS
        if not is_value and not is_option:
            inner = base_name(word)
            is_launcher = inner in RUNNERS | SHELLS | _WRAPPERS
            return at + _last_that_runs(argv[at:]) if is_launcher else at
        before = word
    return len(argv)


def _named_in(words: Sequence[str]) -> set[str]:
    """The names of variables that texts name, in upper case: `$X`, `${X}`, `%X%`; all of code."""
    found, before = set[str](), ""
    for word in words:
        found |= {next(filter(None, one.groups())) for one in _NAMED.finditer(word)}
        if _takes_code(before, word) or re.search(r"[\s;|&()]", word):
            found.update(_IDENTIFIER.findall(word))
        before = word
    return {one.upper() for one in found}


def shown_variables(
    argv: Sequence[str], env: Mapping[str, str], *, is_for_question: bool
) -> list[str]:
    """`NAME=value` of each variable that loads code, or that the command or such a value names."""
    wanted = {name for name in env if is_loaded(name)}
    named = _named_in(argv)
    while more := {name for name in env if name.upper() in named} - wanted:
        wanted |= more
        named |= _named_in([text for name in more for text in ("-c", env[name])])
    return [
        f"{name}={_whole(name, env[name], named) if is_for_question else _masked(name, env[name])}"
        for name in sorted(wanted)
    ]


def _masked(name: str, value: str) -> str:
    if "://" in value:
        return mask_plain(value)
    is_hidden = bool(value) and (is_secret(name, value) or _is_named(name, value))
    return note(len(value)) if is_hidden else mask_plain(value)


def _whole(name: str, value: str, named: set[str]) -> str:
    """The value; of a variable that the command does not name, without a plain password."""
    if name.upper() in named:
        return value
    if _is_named(name, value) and _PLAIN.fullmatch(value):
        return note(len(value))
    return question_url(value) if _ADDRESS.fullmatch(value) else value


def question_url(url: str) -> str:
    """An address; masked are a plain password, and plain values of secret names behind the path."""
    head, sign, rest = url.partition("://")
    place, slash, path = rest.partition("/")
    user, at, host = place.rpartition("@")
    name, colon, password = user.partition(":")
    if at and colon and _PLAIN.fullmatch(password):
        place = f"{name}:{note(len(password))}@{host}"
    path, *pieces = re.split(r"([?#&;])", path)
    pairs = []
    for piece in pieces:
        key, equals, value = piece.partition("=")
        is_hidden = equals and _is_named(key, value) and _PLAIN.fullmatch(value)
        pairs.append(f"{key}={note(len(value))}" if is_hidden else piece)
    return f"{head}{sign}{place}{slash}{path}{''.join(pairs)}"
