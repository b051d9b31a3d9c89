"""Skills screen: the skills of the server, their findings and changes, and their files.

Reading is a read of a resource like any other: the policy decides, and may ask.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType

from ....widgets.bars import FilterInput
from ....widgets.bindings import bindings_of
from ....widgets.key_bar import BarKey
from ....widgets.lists.resource_list import OfferList, OfferRow
from ...approval.skill_approvals import SkillState, skill_digest, why_not_approvable
from ...content.text import count, sentence, visible
from ...content.texts.sheet_line import SheetLine
from ...engine.calls.context import NOT_CONNECTED
from ...engine.engine import Engine
from ...protocol.extensions.skill_texts import entry_findings
from ...protocol.extensions.skills import MAIN, Skill
from ...protocol.findings.findings import brief_with_code
from ...tui.base.browser_screen import BrowserScreen
from ...tui.base.context import ScreenContext
from .approving import NOT_WHOLE, SkillStanding, give, standings_of, why_not_now
from .dialog import SkillDialog
from .reading import SkillChecked, SkillFileRead, SkillReader, why_not
from .words import INDENT, change_lines, file_lines, files_words, skill_lines

if TYPE_CHECKING:
    from ...calls.call import Call

CHANGED: Final = "changed"
UNLISTED: Final = "It may have skills that it does not list: signoff skills --show URI."
Row = OfferRow[Skill]


class SkillsScreen(BrowserScreen[Row, None]):
    """Asks for the list as it opens; reads nothing by itself ("Lazy Retrieval")."""

    DEFAULT_CSS = """
    SkillsScreen FilterInput { padding: 0 1; display: none; }
    SkillsScreen FilterInput.-shown { display: block; }
    """

    ENTER_HELP = "Read SKILL.md of this skill, verify it and show it."
    HELP = """
# Skills

Skills are a draft of the protocol (`--experimental skills`): instructions for a model, in files
with digests. The list is fetched as the screen opens, and no file is. `enter` reads `SKILL.md`,
and `v` every file of the skill. Each read has the same approval as the read of a resource.

`a` asks for your approval of a skill, after `v` verified every file of it. It ends with any other
file or frontmatter; `f10` lists and revokes it. Nothing runs because of it.

A file is compared with its size and digest, and the frontmatter with the entry. A match proves no
more than that both come from the same server. Text that addresses a model is marked `▲`. A skill
that is another than at the last look is marked `changed`.
"""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("skills")

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self._engine = engine
        self._reader = SkillReader(engine)
        self._is_listed = False
        self._read: dict[str, SkillFileRead] = {}
        """`SKILL.md` as it was read last, by URI."""
        self._checked: dict[str, SkillChecked] = {}
        self._reading = ""
        """The URI of the skill that is read now."""
        self._standings: dict[str, SkillStanding] = {}
        """By URI."""

    def compose_list(self) -> ComposeResult:
        yield FilterInput(placeholder="filter", compact=True, id="filter")
        yield OfferList[Skill]()

    def on_mount(self) -> None:
        self._draw()
        self._look(tells=False)

    @work(exclusive=True, group="look", exit_on_error=False)
    async def _look(self, *, tells: bool) -> None:
        """Fetch the list; `tells`: a person has pressed a key for it."""
        await self._reader.look()
        self._is_listed = True
        self._draw()
        self.draw_detail()
        if tells:
            self.say(f"Refreshed: {count(len(self._reader.listing.skills), 'skill')}.")

    def action_look(self) -> None:
        if words := self._no_server():
            self.say(f"Nothing can be asked. {words}", "error")
        else:
            self._look(tells=True)

    def choose(self, row: Row) -> None:
        if words := self._no_server():
            self.say(f"Nothing can be asked. {words}", "error")
        elif not row.item.uri:
            self.say("This skill has no URI, so that no file of it can be read.", "warning")
        else:
            self._read_main(row.item)

    def action_check(self) -> None:
        if words := self._no_server():
            self.say(f"Nothing can be asked. {words}", "error")
        elif self.current is None:
            self.say("No skill is selected.", "warning")
        else:
            self._check(self.current.item)

    def action_approve(self) -> None:
        if self.current is None:
            self.say("No skill is selected.", "warning")
            return
        skill = self.current.item
        checked, listed = self._checked.get(skill.uri), self._reader.listing.skills
        if words := self._no_server():
            self.say(f"Nothing can be approved. {words}", "error")
        elif why := why_not_approvable(skill, listed):
            self.say(f"It cannot be approved: {why}.", "error")
        elif checked is None or why_not_now(checked, listed) == NOT_WHOLE:
            self.say("Press v first: every file has to be read and verified.", "warning")
        elif skill_digest(checked.skill) != skill_digest(skill):
            self.say("Press v again: the skill has changed since.", "warning")
        elif why := why_not_now(checked, listed) or self._engine.memory.problem:
            self.say(f"It cannot be approved: {why}.", "error")
        else:
            self._ask(checked)

    @work(exclusive=True, group="read", exit_on_error=False)
    async def _ask(self, checked: SkillChecked) -> None:
        """Ask for an approval of what was read, and remember it."""
        reader, engine = self._reader, self._engine
        [standing] = standings_of(engine, [checked.skill], reader.runs)
        dialog = SkillDialog(
            engine.server,
            checked,
            standing,
            reader.texts,
            last_click=getattr(self.app, "last_click", None),
        )
        remember = await self.app.push_screen_wait(dialog)
        if remember is None:
            return
        if why := await give(engine, checked, reader.listing.skills, remember):
            self.say(f"Not approved: {why}.", "error")
        else:
            self.say("Approved. f10 on the main screen lists and revokes it.")
        self._draw()
        self.draw_detail()

    @work(exclusive=True, group="read", exit_on_error=False)
    async def _read_main(self, skill: Skill) -> None:
        self._reading = skill.uri
        self.draw_detail()
        try:
            call = await self._call(skill.uri)
            self._read[skill.uri] = await self._reader.file_of(skill, skill.uri, call)
            self._reader.keep()
        finally:
            self._reading = ""
        self._draw()
        self.draw_detail()

    @work(exclusive=True, group="read", exit_on_error=False)
    async def _check(self, skill: Skill) -> None:
        self._reading = skill.uri
        self.draw_detail()
        try:
            found = await self._reader.check(skill, self._call)
            self._checked[skill.uri] = found
            main = next((one for one in found.files if one.uri == skill.uri), None)
            if main is not None:
                self._read[skill.uri] = main
            self._reader.keep()
        finally:
            self._reading = ""
        self._draw()
        self.draw_detail()

    async def _call(self, uri: str) -> Call:
        return await self._engine.ended(self._engine.read(uri))

    def filter_changed(self, words: str) -> None:
        self._draw()

    def describe(self, row: Row | None) -> list[SheetLine]:
        reader = self._reader
        uris = {one.uri for one in reader.listing.skills}
        listed = reader.listing.findings
        about_all = [brief_with_code(one, INDENT) for one in listed if one.path not in uris]
        if row is None:
            is_empty = self._is_listed and not reader.listing.skills
            return [*about_all, SheetLine(((UNLISTED, "dim"),))] if is_empty else about_all
        skill = row.item
        lines: list[SheetLine] = []
        if self._reading == skill.uri:
            lines.append(SheetLine((("reading; the policy may ask first", "noticed"),)))
        standing = self._standings.get(skill.uri)
        lines += self._since_approval(standing)
        for change in reader.changes if not lines else ():
            if change.uri == skill.uri:
                lines += change_lines(change, skill, reader.old.get(skill.uri), reader.texts)
        checked, read = self._checked.get(skill.uri), self._read.get(skill.uri)
        found = (*skill.findings, *entry_findings(skill))
        if checked is not None:
            found = checked.findings
        found += tuple(one for one in listed if one.path == skill.uri)
        shown = () if read is None else read.findings
        lines += skill_lines(skill, standing=standing)
        if about := [brief_with_code(one, INDENT) for one in found if one not in shown]:
            lines += [SheetLine(), *about]
        if read is not None:
            lines += [SheetLine(), *file_lines(read, skill)]
        return [*lines, *about_all]

    def _since_approval(self, standing: SkillStanding | None) -> list[SheetLine]:
        """The difference from what was approved; empty if there is none."""
        if standing is None or standing.before is None or standing.change is None:
            return []
        old, texts = standing.before, self._reader.texts
        known = {**texts, **old.texts}
        since = standing.why
        return [*change_lines(standing.change, standing.skill, old.skill, known, since=since)]

    def draw_detail(self) -> None:
        row = self.current
        key = None if row is None else (row.key, self._reading == row.key, row.mark)
        self.show_detail(self.describe(row), about=key)

    def name_of(self, row: Row) -> str:
        return visible(row.title)

    def keys_of(self, row: Row) -> Sequence[BarKey]:
        return (BarKey("enter", f"Read {MAIN}"),)

    def _no_server(self) -> str:
        """Why the server can be asked nothing; empty if it can."""
        server = self._engine.server
        if server.is_open:
            return ""
        return sentence(server.ended_words or NOT_CONNECTED, begins=True)

    def _mark(self, skill: Skill) -> str:
        checked, read = self._checked.get(skill.uri), self._read.get(skill.uri)
        files = checked.files if checked is not None else () if read is None else (read,)
        if any(one.data is None for one in files):
            return "not read"
        if any(not one.is_verified for one in files):
            return "DIFFERS"
        standing = self._standings.get(skill.uri)
        if standing is not None and standing.state in (SkillState.APPROVED, SkillState.CHANGED):
            return standing.state.value
        if files:
            return "read" if skill.is_dynamic else "verified"
        return CHANGED if any(one.uri == skill.uri for one in self._reader.changes) else ""

    def _draw(self) -> None:
        if not self.query("#head"):
            # It is being closed.
            return
        skills, server = self._reader.listing.skills, visible(self._engine.server.name)
        found = standings_of(self._engine, skills, self._reader.runs)
        self._standings = {one.skill.uri: one for one in found}
        listed = f" · {count(len(skills), 'skill')} of {server}" if self._is_listed else ""
        self.draw_head(("Skills", "bold"), f"{listed} · experimental: a draft")
        words = self.filter_words.lower().split()
        rows = [
            OfferRow(
                one,
                one.uri or str(at),
                one.name or "(no name)",
                one.description or one.uri,
                "dynamic" if one.is_dynamic else files_words(one),
                self._mark(one),
            )
            for at, one in enumerate(skills)
            if all(word in f"{one.uri} {one.description}".lower() for word in words)
        ]
        self.row_list.empty = (
            "asking the server"
            if not self._is_listed
            else "no skill has these words"
            if skills
            else "the server lists no skill"
        )
        self.row_list.show(rows)


def show(context: ScreenContext) -> None:
    """List the server's skills."""
    context.screen.app.push_screen(SkillsScreen(context.engine))


def can_show(engine: Engine) -> bool:
    """True if the extension is turned on, and the server declares it."""
    return not why_not(engine)
