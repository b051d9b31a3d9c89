"""Variables in the texts of an entry, filled as its host fills them, and the forms of other hosts.

Nothing is run and no file is read for a value. Values that only the host, a person or a store has
are listed as needs, and variables that are not set here as unset.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Final

from ...content.files.tree import NOWHERE, SourceLocation, Tree
from ...content.frozen import frozen
from ...schemas.secrets.names import is_secret_name
from ..files.masking import is_default
from ..files.problems import ERROR, NOTE, WARNING, ProblemList, listed, named
from ..files.servers import ServerEntry
from ..table import Host
from .commands import base_name

LONGEST: Final = 10_000
"""Characters of a text that are searched."""
MOST_USES: Final = 200
"""Variables of an entry that are looked at."""
USE: Final = re.compile(
    r"\$\{\{\s*+(?:secrets|inputs)\.(?P<secrets>[\w.-]++)\s*+\}\}"
    r"|\$\{input:(?P<input>[^{}]*+)\}"
    r"|\$\{env:(?P<env>[^{}]*+)\}"
    r"|\$\{file:(?P<file>[^{}]*+)\}"
    r"|\$\{(?:config|command):(?P<editor>[^{}]*+)\}"
    r"|\$\{user_config\.(?P<bundle>[^{}]*+)\}"
    r"|\$\{(?P<default>[A-Za-z_]\w*+):-"
    r"|\$\{(?P<brace>[A-Za-z_]\w*+|/)\}"
    r"|(?<!\$)\{env:(?P<braced_env>[^{}]*+)\}"
    r"|(?<!\$)\{file:(?P<braced_file>[^{}]*+)\}"
    r"|\$\((?P<command>[^()]*+)\)?"
    r"|(?<![^\s=:/\"'])\$(?P<bare>[A-Z_][A-Z0-9_]*+)(?![\w{])"
    r"|(?<![\w%])%(?P<percent>[A-Z][A-Z0-9_]{2,}+)%"
)
WHOLE: Final = re.compile(r"\$(?P<bare>[A-Za-z_]\w*+)")
WRITTEN: Final = {
    "env": "${env:NAME}",
    "brace": "${NAME}",
    "bare": "$NAME",
    "braced-env": "{env:NAME}",
    "percent": "%NAME%",
    "secrets": "${{ secrets.NAME }}",
}
"""How each form of a variable of the environment is written."""
OF_OTHERS: Final = {
    "input": "VS Code",
    "editor": "VS Code",
    "bundle": "MCP bundles",
    "secrets": "Continue",
    "file": "Windsurf",
    "braced-file": "OpenCode",
}
EDITOR_WORDS: Final = frozenset(
    (
        *("workspaceFolder", "workspaceFolderBasename", "userHome", "workspaceRoot", "/"),
        *("pathSeparator", "file", "cwd", "extensionPath", "workspacePath", "fileDirname"),
        *("CLAUDE_PLUGIN_ROOT", "__dirname"),
    )
)
_SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash", "fish", "cmd", "powershell", "pwsh"})
_WRAPPERS: Final = re.compile(r"(?:^|/)mcp-remote(?:@|$)")


@frozen
class VariableUse:
    """One variable in a text."""

    form: str
    name: str
    spot: SourceLocation
    field: str
    """command, args, env, url, headers, cwd or envFile."""


def uses_in(text: str, field: str, spot: SourceLocation) -> Iterator[VariableUse]:
    """The variables of a text, in any form."""
    if whole := WHOLE.fullmatch(text):
        yield VariableUse("bare", whole["bare"], spot, field)
        return
    for found in USE.finditer(text[:LONGEST]):
        form = (found.lastgroup or "").replace("_", "-")
        name = found[found.lastgroup or 0] or ""
        yield VariableUse(form, name, spot, field)


def uses_of(entry: ServerEntry) -> list[VariableUse]:
    """The variables of all texts of an entry."""
    found: list[VariableUse] = []
    for field, text, spot in _texts(entry):
        if "$" in text or "%" in text or "{" in text:
            found += uses_in(text, field, spot)
            if len(found) > MOST_USES:
                break
    return found[:MOST_USES]


def _texts(entry: ServerEntry) -> Iterator[tuple[str, str, SourceLocation]]:
    yield "command", entry.command or "", entry.command_spot
    for text, spot in entry.args:
        yield "args", text, spot
    yield "cwd", entry.cwd or "", entry.spot_of("cwd")
    for one in entry.env.values():
        yield "env", _text(one), one.spot
    yield "url", entry.url or "", entry.url_spot
    for one in entry.headers.values():
        yield "headers", _text(one), one.spot
    yield "envFile", entry.env_file or "", entry.spot_of("envFile")
    helper = entry.tree.members.get("headersHelper")
    if helper is not None:
        yield "headersHelper", _text(helper), helper.spot


def _text(tree: Tree) -> str:
    return tree.value if isinstance(tree.value, str) else ""


def check_variables(
    entry: ServerEntry, environ: Mapping[str, str], platform: str, problems: ProblemList
) -> None:
    """Find the variables of an entry; note those that are unset, or of another host's form."""
    if entry.host.described == "registry":
        return
    unset: dict[str, SourceLocation] = {}
    for use in uses_of(entry):
        _check_use(entry, use, environ, platform, unset, problems)
    _copied(entry, environ, unset)
    if unset:
        words = f"{listed(list(unset))} {'is' if len(unset) == 1 else 'are'} not set here"
        if entry.host.unset:
            words = f"{words}; {entry.host.title} {entry.host.unset}"
        spot = next(iter(unset.values()))
        fix = f"set {'it' if len(unset) == 1 else 'them'} before the server starts"
        problems.add("variable-unset", WARNING, words, spot, fix=fix, server=entry.name)
    _check_home(entry, problems)


def _copied(
    entry: ServerEntry, environ: Mapping[str, str], unset: dict[str, SourceLocation]
) -> None:
    """Take in the variables that Codex copies by their names."""
    spots = {"Authorization": entry.spot_of("bearer_token_env_var")}
    if by_header := entry.tree.members.get("env_http_headers"):
        spots |= {name: tree.spot for name, tree in by_header.members.items()}
    named_by = [
        (variable, spots.get(header, entry.spot))
        for header, (_, variable) in entry.header_variables.items()
    ]
    for name, _ in named_by:
        if name not in entry.variables:
            entry.variables.append(name)
    named_by += [(name, entry.spot_of("env_vars")) for name in entry.env_vars]
    for name, spot in named_by:
        if name not in environ:
            unset.setdefault(name, spot)


def _check_use(
    entry: ServerEntry,
    use: VariableUse,
    environ: Mapping[str, str],
    platform: str,
    unset: dict[str, SourceLocation],
    problems: ProblemList,
) -> None:
    host, name = entry.host, use.name
    if use.form in ("input", "editor", "bundle") and is_host_input(use.form, host):
        if use.form == "input" and name not in entry.inputs:
            entry.inputs.append(name)
        return
    if use.form == "brace" and (name in host.words or (name == "/" and host.words)):
        return
    if use.form in ("brace", "bare") and name in host.host_words:
        if name not in environ:
            words = f"{named(name)} is set by {host.title} only"
            problems.add("variable-host-only", WARNING, words, use.spot, server=entry.name)
        return
    if _is_for_program(entry, use, problems):
        return
    if use.form == "command":
        _command(entry, use, problems)
    elif use.form in ("file", "braced-file") and use.form in host.forms:
        words = "the content of a file would be put in; Signoff does not read it"
        problems.add("reads-a-file", WARNING, words, use.spot, server=entry.name)
    elif use.form == "secrets" and "secrets" in host.forms:
        _take(entry, name)
        words = f"{named(name)} is in the store of {host.title}"
        problems.add("variable-host-only", WARNING, words, use.spot, server=entry.name)
    elif use.form == "percent" and platform != "win32" and "percent" in host.forms:
        return
    elif use.form in host.forms and name not in EDITOR_WORDS:
        _take(entry, name)
        if use.form != "default" and name not in environ:
            unset.setdefault(name, use.spot)
    else:
        _complain_of_form(entry, use, problems)


def is_host_input(form: str, host: Host) -> bool:
    """True for a form whose values the host asks a person for."""
    if form == "bundle":
        return host.described == "bundle"
    return "input" in host.forms


def _take(entry: ServerEntry, name: str) -> None:
    if name not in entry.variables:
        entry.variables.append(name)


def is_shell(entry: ServerEntry) -> bool:
    return base_name(entry.command or "") in _SHELLS


def is_filled_by_program(entry: ServerEntry, use: VariableUse) -> bool:
    """True for a variable in an argument that the program itself fills: a shell, a wrapper."""
    if use.field != "args" or use.form not in ("bare", "brace", "default", "command", "percent"):
        return False
    is_wrapper = any(_WRAPPERS.search(text) for text, _ in entry.args)
    return use.form not in entry.host.forms and (is_shell(entry) or is_wrapper)


def _is_for_program(entry: ServerEntry, use: VariableUse, problems: ProblemList) -> bool:
    if not is_filled_by_program(entry, use):
        return False
    who = base_name(entry.command or "") if is_shell(entry) else "mcp-remote"
    words = f"a variable in the arguments is filled by {who} itself"
    problems.add("variable-expanded-by-program", NOTE, words, use.spot, server=entry.name)
    return True


def _command(entry: ServerEntry, use: VariableUse, problems: ProblemList) -> None:
    host = entry.host
    if "command" in host.forms:
        words = f"$(...) is run by {host.title} when it loads the file; Signoff does not run it"
        fix = "use a variable"
        problems.add("command-substitution", ERROR, words, use.spot, fix=fix, server=entry.name)
        return
    words = f"$(...) is not run by {host.title}: it stays as text"
    problems.add("command-substitution", WARNING, words, use.spot, server=entry.name)


def _complain_of_form(entry: ServerEntry, use: VariableUse, problems: ProblemList) -> None:
    host, spot, server = entry.host, use.spot, entry.name
    own = [form for form in host.forms if form in WRITTEN and form != "secrets"]
    is_of_other = use.form in OF_OTHERS or use.name in EDITOR_WORDS
    level = WARNING if host.is_unsure("variables") else ERROR
    if own and not is_of_other:
        form = next((one for one in ("env", "brace", "braced-env", "bare") if one in own), own[0])
        written = WRITTEN.get("brace" if use.form == "default" else use.form, "the form")
        words = f"{_written(written, use.name)}: {host.title} does not fill this form"
        fix = f"write {_written(WRITTEN[form], use.name)}"
        level = WARNING if use.form == "bare" else level
        problems.add("variable-syntax", level, words, spot, fix=fix, server=server)
        return
    who = OF_OTHERS.get(use.form, "another host")
    if is_of_other:
        words = f"{_shown(use)} is a form of {who}; {host.title} leaves it as text"
    else:
        words = f"{_shown(use)}: {host.title} fills no variables, so it stays as text"
    fix = f"write {_written(WRITTEN[own[0]], _plain(use.name))}" if own else "write the value"
    if host.host == "codex":
        fix = "name the variable in env_vars, or write the value"
    problems.add("variable-foreign", level, words, spot, fix=fix, server=server)


def _plain(name: str) -> str:
    """A usual name of a variable for an input."""
    return re.sub(r"\W+", "_", name).upper()


def _written(form: str, name: str) -> str:
    return form.replace("NAME", named(name))


def _shown(use: VariableUse) -> str:
    """A use as it is written."""
    name = named(use.name)
    forms = {
        "input": f"${{input:{name}}}",
        "editor": f"${{command:{name}}}",
        "bundle": f"${{user_config.{name}}}",
        "file": f"${{file:{name}}}",
        "braced-file": f"{{file:{name}}}",
        "default": f"${{{name}:-...}}",
    }
    return forms.get(use.form) or _written(WRITTEN.get(use.form, "${NAME}"), use.name)


def _check_home(entry: ServerEntry, problems: ProblemList) -> None:
    """Note a ~ that only a shell would fill."""
    if is_shell(entry):
        return
    for _, text, spot in _texts(entry):
        if text.startswith(("~/", "~\\")) or text == "~":
            words = "~ is not filled without a shell"
            fix = "write the whole path"
            problems.add("not-expanded", WARNING, words, spot, fix=fix, server=entry.name)
            return


DEEPEST: Final = 5
"""Defaults within defaults that are filled."""


@frozen
class Need:
    """A value that a person has to give."""

    name: str
    why: str
    """What the value is to its host, after the name; safe to show."""


class Filler:
    """Fills the texts of one entry; `unset` and `needs` are what stops it from being started."""

    def __init__(
        self,
        entry: ServerEntry,
        environ: Mapping[str, str],
        folders: Mapping[str, str],
        given: Mapping[str, str],
    ) -> None:
        """`folders` are the values of names such as `workspaceFolder`; `given` are by their needs'
        names."""
        self._entry = entry
        self._environ = environ
        self._folders = folders
        self._given = given
        self.unset: list[str] = []
        self.needs: list[Need] = []
        self.used: list[str] = []
        """Variables of the environment whose values were filled in."""
        self.secrets: set[str] = set()
        """Values that were filled in and may be secret: what a person gave, and by their names."""
        self.defaults: set[str] = set()
        """Defaults of the file that were filled in and may be secret; the file chooses them."""

    def text(self, text: str, field: str) -> str:
        """Fill one text of a field: command, args, env, url, headers, cwd, envFile."""
        return self._filled(text, field, 0) if len(text) <= LONGEST else text

    def variable(self, name: str) -> str:
        """The value of a variable of the environment, which the entry names."""
        if name not in self._environ and name not in self.unset:
            self.unset.append(name)
        value = self._environ.get(name, "")
        self.used.append(name)
        if is_secret_name(name):
            self.secrets.add(value)
        return value

    def needed(self, name: str, why: str) -> str:
        """The value that a person gave; noted as needed if there is none."""
        if name not in self._given and all(one.name != name for one in self.needs):
            self.needs.append(Need(name, why))
        self.secrets.add(self._given.get(name, ""))
        return self._given.get(name, "")

    def _filled(self, text: str, field: str, depth: int) -> str:
        if whole := WHOLE.fullmatch(text):
            value = self._value(VariableUse("bare", whole["bare"], NOWHERE, field))
            return text if value is None else value
        pieces, at = [], 0
        for found in USE.finditer(text):
            if found.start() < at:
                continue
            form = (found.lastgroup or "").replace("_", "-")
            use = VariableUse(form, found[found.lastgroup or 0] or "", NOWHERE, field)
            end = found.end()
            if use.form == "default":
                closing = closing_brace(text, end)
                if closing is None:
                    continue
                value = self._default(use, text[end:closing], depth)
                end = closing + 1
            else:
                value = self._value(use)
            if value is not None:
                pieces += [text[at : found.start()], value]
                at = end
        return "".join((*pieces, text[at:]))

    def _default(self, use: VariableUse, default: str, depth: int) -> str | None:
        host = self._entry.host
        if use.form not in host.forms or is_filled_by_program(self._entry, use):
            return None
        if self._environ.get(use.name):
            return self.variable(use.name)
        if is_default(use.name, default):
            self.defaults.add(default)
        # Claude Code fills a default within a default in headers alone (measured, 2.1.278).
        is_nested = host.host != "claude-code" or use.field == "headers"
        return (
            self._filled(default, use.field, depth + 1)
            if is_nested and depth < DEEPEST
            else default
        )

    def _value(self, use: VariableUse) -> str | None:
        """The value of one variable; None if the text stays as it is."""
        entry, host, name = self._entry, self._entry.host, use.name
        if is_host_input(use.form, host) and use.form in ("input", "editor", "bundle"):
            return self.needed(name, f"{host.title} asks for it")
        if use.form == "brace" and (name in host.words or (name == "/" and host.words)):
            return self._folders.get(name)
        if use.form in ("brace", "bare") and name in host.host_words:
            known = self._environ.get(name) or self._folders.get(name)
            return known or self.needed(name, f"only {host.title} sets it")
        if is_filled_by_program(entry, use):
            return None
        if use.form not in host.forms:
            return None
        if use.form == "command":
            return self.needed(f"$({name})", "Signoff does not run a command for a value")
        if use.form in ("file", "braced-file"):
            return self.needed(name, "Signoff does not read a file for a value")
        if use.form == "secrets":
            return self.needed(name, f"it is in the store of {host.title}")
        if use.form == "percent" and os.name != "nt":
            return None
        return None if name in EDITOR_WORDS else self.variable(name)


def closing_brace(text: str, start: int) -> int | None:
    """The place of the brace that closes a default; None if there is none."""
    depth = 0
    for at in range(start, len(text)):
        if text.startswith("${", at):
            depth += 1
        elif text[at] == "}":
            if depth == 0:
                return at
            depth -= 1
    return None


def folder_words(folder: str, home: str) -> dict[str, str]:
    """Names of folders and signs that hosts fill, for a project in `folder`."""
    return {
        "workspaceFolder": folder,
        "workspaceRoot": folder,
        "fileWorkspaceFolder": folder,
        "workspacePath": folder,
        "cwd": folder,
        "workspaceFolderBasename": os.path.basename(folder),
        "userHome": home,
        "pathSeparator": os.sep,
        "/": os.sep,
        "HOME": home,
        "CLAUDE_PROJECT_DIR": folder,
    }


def need_words(needs: list[Need]) -> str:
    """List the needs: `github_key (VS Code asks for it)`."""
    return ", ".join(f"{named(one.name)} ({one.why})" for one in needs)
