"""The trust dialog: lists the calls that will run without asking, then asks.

`Trusting` is the switch: turning trust on asks first, ending it does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from textual.screen import Screen

from ....widgets.buttons import GuardedButton
from ....widgets.key_bar import BarKey
from ...approval.questions.sheet import has_gaps, pieces_of, quoted
from ...approval.trusting import TrustEffect, warnings_of
from ...content.labels import and_more
from ...content.text import spans, visible
from ...content.texts.sheet_line import Piece, SheetLine, labelled
from ...engine.engine import Engine
from ...protocol.findings.findings import brief
from ...protocol.server import Server, Trust
from ...protocol.tool import NAME_LIMIT, ToolDefinition
from .sheet_dialog import SheetDialog, keys_of_sheet

_LABELS = 9
_EFFECTS = 17
_WARNINGS_SHOWN = 2
_HOST = "as "


class TrustDialog(SheetDialog[TrustEffect | None], inherit_bindings=False):
    """The result is the effect that was agreed to, or None; the caller compares it with the current
    one.

    `guard`: keyword arguments of SheetDialog.
    """

    BINDINGS = SheetDialog.BINDINGS
    doing = "trusting it"

    def __init__(self, server: Server, effect: TrustEffect, **guard: Any) -> None:
        self.leave = GuardedButton("Leave it untrusted", id="leave")
        self.trust = GuardedButton("Trust this server", id="trust")
        super().__init__((self.leave, self.trust), **guard)
        self._server = server
        self._effect = effect
        self._has_changed = False

    @property
    def effect(self) -> TrustEffect:
        """The shown effect."""
        return self._effect

    def show(self, effect: TrustEffect) -> None:
        """It would change something else now: asked again, about that."""
        if effect.key == self._effect.key or self.is_answered:
            return
        self._effect, self._has_changed = effect, True
        if self.is_mounted:
            self.lay_out(keep_seen=False)
            self.sheet.scroll_home(animate=False)
            self.restart()

    def title_words(self) -> str:
        return "Trust this server?"

    def lines(self, columns: int) -> Iterator[SheetLine]:
        if self._has_changed:
            words = "Its tools changed while this dialog was open. The list below is current."
            yield SheetLine(((words, "noticed"),))
            yield SheetLine()
        yield from trust_lines(self._server, self._effect, columns)

    def keys_said(self) -> tuple[BarKey, ...]:
        return keys_of_sheet("Leave it untrusted")

    def label_buttons(self, width: int) -> None:
        self.leave.label = "Leave it" if width < 48 else "Leave it untrusted"
        self.trust.label = "Trust" if width < 48 else "Trust this server"

    def result_of(self, button: GuardedButton) -> TrustEffect | None:
        return self._effect if button is self.trust else None


def trust_lines(server: Server, effect: TrustEffect, columns: int) -> Iterator[SheetLine]:
    """Name the server, the policy, and the tools that would run from now on."""
    indent = _LABELS if columns >= 40 else 0
    yield labelled(
        "server",
        indent,
        *pieces_of(spans(server.name), "strong"),
        ("  ", ""),
        *pieces_of(spans(server.command)),
        exact=has_gaps(server.name, server.command),
    )
    yield labelled("policy", indent, (_who(effect.policy), ""))
    yield SheetLine()
    if effect.is_nothing:
        yield from _nothing(effect)
    else:
        yield from _changes(effect, columns)
    yield SheetLine()
    words = "Signoff cannot check its hints. Trust also covers tools that it lists later."
    yield SheetLine(((words, ""),))
    yield SheetLine((("ctrl+t: end the trust at once. It also ends with Signoff.", "dim"),))


def _nothing(effect: TrustEffect) -> Iterator[SheetLine]:
    words = "Nothing would change now"
    if not effect.total:
        why = "it lists no tools."
    elif effect.already == effect.total:
        why = "all of its tools run without asking already."
    else:
        is_policy = _is_policy(effect.policy)
        who = f"the policy {_who(effect.policy)}" if is_policy else _who(effect.policy)
        why = f"{who} ignore{'s' * is_policy} trust."
    yield SheetLine(((f"{words}: ", "strong"), (why, "")))
    yield SheetLine((("Another policy (ctrl+o) may use its hints at once.", ""),))


def _changes(effect: TrustEffect, columns: int) -> Iterator[SheetLine]:
    indent = _EFFECTS if columns >= 60 else 0
    count = len(effect.runs)
    if count:
        would = f"{count:,} of {effect.total:,} tools will run without asking:"
        yield SheetLine((("If you trust this server, ", ""), (would, "strong")))
    else:
        yield SheetLine(
            ((f"0 of its {effect.total:,} tools will always run without asking.", "strong"),)
        )
    if doubted := len([one for one in effect.runs if warnings_of(one)]):
        which = "one: its warning is" if doubted == 1 else f"{doubted:,}: their warnings are"
        words = f"▲ Check the first {which} below the name."
        yield SheetLine(((words, "warning"),))
    if harmful := [one for one in effect.runs if one.effect.may_destroy]:
        words = f"! {len(harmful):,} of them may destroy data."
        yield SheetLine(((words, "error"),))
    if count:
        yield SheetLine()
    for tool in effect.runs:
        yield from _tool_lines(tool, indent)
    if effect.sometimes:
        yield SheetLine()
        words = f"{len(effect.sometimes):,} will run without asking for some arguments:"
        yield SheetLine(((words, "strong"),))
        for tool in effect.sometimes:
            yield from _tool_lines(tool, indent)
    if effect.reads:
        yield SheetLine()
        yield SheetLine((("Resources that it links to will be read without asking.", "strong"),))
    yield from _others(effect)


def _others(effect: TrustEffect) -> Iterator[SheetLine]:
    """Summarize the other tools in numbers."""
    rest = effect.total - len(effect.runs) - len(effect.sometimes) - effect.already
    words = []
    if rest:
        still = "others still ask or are" if rest != 1 else "other still asks or is"
        milder = f", {len(effect.milder):,} of them without a warning" if effect.milder else ""
        words.append(f"{rest:,} {still} refused{milder}.")
    if effect.already:
        run = "runs" if effect.already == 1 else "run"
        words.append(f"{effect.already:,} {run} without asking already.")
    if words:
        yield SheetLine()
        yield SheetLine(((" ".join(words), ""),))


def _tool_lines(tool: ToolDefinition, indent: int) -> Iterator[SheetLine]:
    """Describe a tool and its effect in words, with problems below."""
    name: Sequence[Piece] = quoted(tool.name, NAME_LIMIT)
    if tool.name == tool.display_name:
        name = ((tool.name, "strong"),)
    title = (("  ", ""), *quoted(tool.title)) if tool.title else ()
    yield labelled(f"{tool.effect.sign} {tool.effect.value}", indent, *name, *title, gutter=True)
    warnings = warnings_of(tool)
    for finding in warnings[:_WARNINGS_SHOWN]:
        yield brief(finding, indent)
    if more := and_more(len(warnings) - _WARNINGS_SHOWN):
        yield labelled("", indent, (f"▲ {more}, see f4", "noticed"))


def _who(policy: str) -> str:
    """`cautious`, or `the rules of VS Code`."""
    shown = visible(policy)
    return shown if _is_policy(policy) else f"the rules of {shown.removeprefix(_HOST)}"


def _is_policy(policy: str) -> bool:
    return not policy.startswith(_HOST)


class Trusting:
    """Asks over `screen`, and switches the trust in the server's hints."""

    def __init__(self, screen: Screen[None], engine: Engine) -> None:
        self._screen = screen
        self._engine = engine
        self._dialog: TrustDialog | None = None

    def switch(self) -> None:
        """Switch trust, from a key, a click or the palette."""
        engine = self._engine
        if engine.server.trust is Trust.TRUSTED:
            self._take_away()
        elif self._dialog is not None:
            return
        elif engine.is_listed:
            self._ask()
        else:
            words = "Its tools are not listed yet. Try again once they are."
            self._screen.notify(words, title="Not trusted", timeout=6, markup=False)

    def look_again(self) -> None:
        """Update the open dialog after a change of tools or rules."""
        if self._dialog is not None:
            self._dialog.show(self._engine.trust_effect())

    def _ask(self) -> None:
        engine, app = self._engine, self._screen.app
        click = getattr(app, "last_click", None)
        self._dialog = TrustDialog(engine.server, engine.trust_effect(), last_click=click)
        app.push_screen(self._dialog, self._take_answer)

    def _take_answer(self, agreed: TrustEffect | None) -> None:
        self._dialog = None
        if agreed is None:
            return
        if self._engine.trust_effect().key == agreed.key:
            self._engine.set_trust(Trust.TRUSTED)
            return
        words = "Its tools just changed. Check the new list."
        self._screen.notify(words, title="Not trusted yet", timeout=6, markup=False)
        self._ask()

    def _take_away(self) -> None:
        self._engine.set_trust(Trust.UNTRUSTED)
        if self._engine.memory.grants():
            words = (
                "Signoff's policies let no call run by its hints now. Your approvals stay valid: "
                "f10 to revoke them."
            )
            self._screen.notify(words, title="Not trusted", timeout=6, markup=False)
