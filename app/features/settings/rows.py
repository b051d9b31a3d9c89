"""The rows of the screen of settings: the value that counts now, its source, the next one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ...approval.policies.policy import Policy
from ...content.frozen import frozen
from ...content.texts.sheet_line import SheetLine, labelled
from ...engine.session_config import SessionConfig
from ...presentation.settings import MISTAKE, counting, source_words, value_words
from ...protocol.extensions.register import read_names
from ...storage.settings.settings import SETTINGS, Setting
from ...storage.settings.values import Settings, SourcedValue

OPTION: Final = "option"
CHANGED: Final = "changed on the screen"
AT_ONCE: Final = ("theme", "grouping", "hosts", "files")
"""Settings whose change in the file counts while the program runs."""
_SECONDS: Final = ("decision_seconds", "timeout", "max_time", "connect_timeout")
_INDENT: Final = 11


@frozen
class SettingRow:
    """One setting; `value` and `source` are safe to show."""

    setting: Setting
    value: str
    source: str
    later: str = ""
    """The value that counts from the next start, if that is another one."""
    mistakes: tuple[str, ...] = ()


@frozen
class InUse:
    """What the values in use are read from."""

    begun: Settings
    """The settings of the start, with those that were changed since and count at once."""
    changed: Mapping[str, object]
    """The look that was changed on the screen and is not in the file."""
    theme: str
    """The theme of the start, or the one that was chosen in the file since."""
    session: SessionConfig
    policy: Policy
    """The policy that decides now."""

    def of(self, name: str) -> SourcedValue:
        """The value that counts now."""
        found = counting(self.begun, name)
        if name in self.changed:
            return SourcedValue(self.changed[name], CHANGED)
        if name == "theme" and self.theme != self.begun.text(name):
            return SourcedValue(self.theme, OPTION)
        if name in _SECONDS and getattr(self.session, name) != self.begun.seconds(name):
            return SourcedValue(getattr(self.session, name), OPTION)
        if name == "experimental":
            in_use = self.session.target.experimental
            if in_use != read_names(self.begun.text(name)):
                return SourcedValue(",".join(sorted(in_use)), OPTION)
        return self._policy(found) if name == "policy" else found

    def _policy(self, found: SourcedValue) -> SourcedValue:
        """The policy that decides now. A policy of a file has another name than its file."""
        begun, start = self.session.policy, self.session.start
        if begun is not None and self.policy.name != begun.name:
            return SourcedValue(self.policy.name, CHANGED)
        if begun is None and self.policy.name != found.value:
            return SourcedValue(self.policy.name, CHANGED)
        given = start.policy[1:] if start is not None else ()
        if found.source != MISTAKE and given and given != (found.value,):
            return SourcedValue(given[0], OPTION)
        return found


def setting_rows(now: InUse, next_time: Settings) -> Iterator[SettingRow]:
    """Every setting; `next_time` is what the file and the environment have by now."""
    for one in SETTINGS:
        found, coming = now.of(one.name), counting(next_time, one.name)
        is_other = coming.value not in (counting(now.begun, one.name).value, found.value)
        mistakes = [
            each.words
            for each in next_time.mistakes
            if each.place == one.variable or _is_about(each.problem.message, one.name)
        ]
        yield SettingRow(
            one,
            value_words(one.name, found.value) or "(none)",
            source_words(found),
            (value_words(one.name, coming.value) or "(none)") if is_other else "",
            tuple(mistakes),
        )


def _is_about(message: str, name: str) -> bool:
    return message.startswith((f"{name} ", f"{name}:"))


def setting_lines(row: SettingRow) -> Iterator[SheetLine]:
    """The details of a setting."""
    one = row.setting
    yield SheetLine(((one.about, ""),))
    yield labelled("in use", _INDENT, (row.value, "strong"), (f"  ({row.source})", "dim"))
    if row.later:
        yield labelled("next start", _INDENT, (row.later, "strong"))
    for words in row.mistakes:
        yield labelled("mistake", _INDENT, (words, "warning"))
    yield labelled("default", _INDENT, (value_words(one.name, one.default) or "(none)", ""))
    yield labelled("variable", _INDENT, (one.variable, ""), (", counts before the file", "dim"))
    counts = "at once" if one.name in AT_ONCE else "from the next start"
    yield labelled("a change", _INDENT, (f"counts {counts}", ""))
