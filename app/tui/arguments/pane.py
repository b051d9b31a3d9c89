"""The arguments of the next call: typed, edited elsewhere, loaded, reused, named or saved."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from textual import on, work
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from ....widgets.forms.argument_form import ArgumentForm
from ....widgets.forms.field_editors import MAX_EDITED
from ....widgets.labels import say
from ....widgets.lists.argument_list import InForm, Row
from ...approval.snapshot import fresh_key, key_parameter
from ...calls.argument_history import KeptArguments, places_words, read_name, secrets_words
from ...calls.call import Call
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, pretty
from ...content.text import sentence, visible
from ...engine.past_arguments import PastArguments
from ...protocol.tool import ToolDefinition
from ...schemas.form.drafts import Draft, draft_from_arguments
from ...schemas.form.edits import filled_by_signoff
from ...schemas.form.entries import FieldEntry, Origin, read_json
from ...schemas.form.form import build_form
from ...schemas.secrets.arguments import mask_arguments
from ...schemas.secrets.masks import Place
from ...storage.arguments import Exists, load_arguments, path_of, save_arguments
from .checking import CheckingPane


@frozen
class PickedArguments:
    """Arguments for the form, and whether to call at once."""

    tool: str
    """The exact name of the tool that it is for."""
    arguments: dict[str, JsonValue]
    calls: bool = False
    although_invalid: bool = False
    missing: tuple[Place, ...] = ()
    """Where secrets were, which are not kept."""
    source: str = ""
    """Where they come from, in words that are safe to show."""


class ArgumentActions:
    """Performs the actions for one tool, off the event loop.

    `is_sure` gets an action and its warning, and returns True at the second request for it. Methods
    return the effect in words, "" for none; they raise FileProblem, StoreError or ValueError, in
    words, too.
    """

    def __init__(
        self,
        tool: str,
        schema: JsonValue,
        past: PastArguments,
        is_sure: Callable[[str, str], bool],
    ) -> None:
        """`schema` is the input schema of the tool, which may call some arguments secret."""
        self._tool = tool
        self._schema = schema
        self._past = past
        self._is_sure = is_sure

    async def kept(self) -> tuple[tuple[KeptArguments, ...], str]:
        """All that is kept of the tool, and why it is for this session only, "" if it is not."""
        kept = await asyncio.to_thread(self._past.all, self._tool)
        return kept, await asyncio.to_thread(lambda: self._past.problem)

    async def give_name(self, row: Row, typed: str, names: Sequence[str]) -> str:
        """Keep a row as a preset; one that is a preset gets another name. `names` are taken."""
        name = read_name(typed)
        of = row if isinstance(row, KeptArguments) else None
        is_own = of is not None and of.name == name
        words = f"The preset {visible(name)} exists. Press enter again to replace it."
        if name in names and not is_own and not self._is_sure(f"name {name}", words):
            return ""
        arguments = row.arguments if isinstance(row, InForm) else {}
        is_on_disk = await asyncio.to_thread(
            self._past.give_name, self._tool, arguments, name, of, self._schema
        )
        if of is not None and of.is_preset and not is_own:
            await asyncio.to_thread(self._past.remove, of)
        made = await asyncio.to_thread(self._past.preset, self._tool, name)
        missing = len(made.document.not_kept) if made is not None else 0
        said = f"Kept as preset {visible(name)}"
        said += f", {secrets_words(missing)}" if missing else ""
        return said + ("." if is_on_disk else ", for this session only.")

    async def remove(self, row: KeptArguments) -> str:
        """Forget one; a preset only when that is wanted twice."""
        words = f"Press delete again to forget the preset {visible(row.name)}."
        if row.is_preset and not self._is_sure(f"remove {row.id} {row.is_on_disk}", words):
            return ""
        await asyncio.to_thread(self._past.remove, row)
        return "Forgotten."

    async def clear(self) -> str:
        """Forget every call of the tool, when that is wanted twice."""
        words = "Press X again to forget every call of this tool, but not its presets."
        if not self._is_sure("clear", words):
            return ""
        count = await asyncio.to_thread(self._past.clear, self._tool)
        return f"{count:,} forgotten, presets stay."

    async def load(self, typed: str) -> PickedArguments:
        """The arguments in a file."""
        path = path_of(typed)
        arguments = await asyncio.to_thread(load_arguments, path)
        return PickedArguments(self._tool, arguments, source=visible(str(path)))

    async def save(self, row: Row, typed: str) -> str:
        """Write a row to a file; secrets, or over another file, only when that is wanted twice."""
        path = path_of(typed)
        shown = visible(str(path))
        value = row.arguments() if isinstance(row, KeptArguments) else dict(row.arguments)
        text, count = await asyncio.to_thread(
            lambda: (pretty(value), mask_arguments(value, self._schema).count)
        )
        secrets = f"{count:,} secret{'' if count == 1 else 's'}"
        words = f"{shown} will contain {secrets}. Press enter again to write it."
        if count and not self._is_sure(f"secrets {path}", words):
            return ""

        def write(*, overwrites: bool) -> None:
            save_arguments(path, f"{text}\n", overwrites=overwrites)

        try:
            await asyncio.to_thread(write, overwrites=False)
        except Exists as problem:
            if not self._is_sure(
                f"over {path}", f"{sentence(problem)} Press enter again to overwrite it."
            ):
                return ""
            await asyncio.to_thread(write, overwrites=True)
        missing = len(row.document.not_kept) if isinstance(row, KeptArguments) else 0
        left_out = f", {secrets_words(missing)} and left out" if missing else ""
        return f"Saved to {shown}, which only you can read{left_out}."


DRAFTS_KEPT = 200


class ArgumentsPane(CheckingPane):
    """Puts arguments into the form and keeps them; a subclass composes a Static `.notice`."""

    class PastWanted(Message, namespace="tool_pane"):
        """Earlier arguments, presets and files of the tool are wanted."""

        def __init__(
            self,
            tool: ToolDefinition,
            in_form: dict[str, JsonValue] | None,
            before: dict[str, JsonValue] | None,
        ) -> None:
            super().__init__()
            self.tool = tool
            self.in_form = in_form
            self.before = before

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._drafts: dict[tuple[str, str], Draft] = {}
        self._fresh: tuple[str, str] | None = None
        """The tool for which Signoff made an idempotency key, and the key."""
        self._made: set[str] = set()
        """Every idempotency key made by Signoff, wherever it comes back from."""
        self._replaced: tuple[str, dict[str, JsonValue]] | None = None
        """A tool, and what stood in its form before other arguments took its place."""
        self._unfinished: tuple[str, str] | None = None
        """A tool, and a text from an editor that could not be put into its form."""

    def focus_form(self) -> None:
        """Focus the first argument; or the text of a tool without arguments."""
        self.form.focus_field()

    # Content of the form

    def edit_again(self, arguments: dict[str, JsonValue]) -> None:
        """Put the arguments of an earlier question back into the form, and go there."""
        self.fill(arguments)
        self.focus_form()

    def fill(self, arguments: dict[str, JsonValue]) -> None:
        """Put arguments into the form, unless they are in it; the focus keeps its place."""
        if self.tool is not None and self.form.arguments != arguments:
            fields = build_form(self.tool.input_schema)
            draft = draft_from_arguments(fields, arguments, before=self.form.draft)
            self.form.load(fields, self._with_made(draft, arguments))
            self.check(self.form.arguments)

    def take(self, picked: PickedArguments | None) -> None:
        """Put arguments from the history or from a file into the form; call with them if wanted."""
        tool = self.tool
        if picked is None:
            return
        if tool is None or tool.name != picked.tool:
            self.say("The tool is not there any more; nothing was put into the form.")
            return
        if self.arguments != picked.arguments:
            self._replace_form(tool, picked.arguments)
        words = f"From {picked.source}." if picked.source else ""
        if picked.missing:
            count, places = secrets_words(len(picked.missing)), places_words(picked.missing)
            words = f"{words} {count}: {places}. Fill them in before you call."
        self.notice(words.strip())
        self.focus_form()
        if picked.missing:
            self.form.focus_field(picked.missing[0])
        if picked.calls and picked.although_invalid:
            self.submit(although_invalid=True)
        elif picked.calls:
            self.submit()

    def _replace_form(self, tool: ToolDefinition, arguments: dict[str, JsonValue]) -> None:
        """Replace the content of the form, which can be restored."""
        self._replaced = tool.name, self.arguments
        fields = build_form(tool.input_schema)
        draft = draft_from_arguments(fields, arguments)
        self.form.load(fields, self._with_made(draft, arguments))
        self.check(arguments)

    def _with_made(self, draft: Draft, arguments: Mapping[str, JsonValue]) -> Draft:
        """The draft in which a key that Signoff made is Signoff's."""
        name = key_parameter(self.tool) if self.tool is not None else None
        if name is None or arguments.get(name) not in self._made:
            return draft
        return filled_by_signoff(draft, (name,))

    def notice(self, words: str) -> None:
        """Show words over the form; empty for nothing. `words` are safe to show."""
        said = self.query_one(".notice", Static)
        say(said, Content(words))
        said.display = bool(words)

    @property
    def has_key_parameter(self) -> bool:
        """True if one of the parameters is an idempotency key."""
        return self.tool is not None and key_parameter(self.tool) is not None

    def put_fresh_key(self) -> None:
        """Fill the idempotency key with a new UUID; other entries stay."""
        name = key_parameter(self.tool) if self.tool is not None else None
        if self.tool is None or name is None:
            return
        self._fresh = (self.tool.name, self._make_key())
        fields = build_form(self.tool.input_schema)
        arguments = {**self.form.arguments, name: self._fresh[1]}
        draft = draft_from_arguments(fields, arguments, before=self.form.draft)
        self.form.load(fields, filled_by_signoff(draft, (name,)))
        self.check(self.form.arguments)

    def renew_key(self, call: Call) -> None:
        """A call was sent: a key that Signoff made is renewed for the next one."""
        tool = call.tool
        if tool is None:
            return
        name = key_parameter(tool)
        used = call.snapshot.arguments().get(name) if name is not None else None
        if name is None or (tool.name, used) != self._fresh:
            return
        if call.is_of(self.tool):
            self.put_fresh_key()
            return
        # Another tool is shown by now: the next call of this one needs a key of its own, too.
        kept = self._drafts.get((tool.name, tool.digest))
        if kept is not None and (name,) in kept.entries:
            self._fresh = (tool.name, self._make_key())
            entry = FieldEntry(self._fresh[1], Origin.FILLED)
            draft = replace(kept, entries={**kept.entries, (name,): entry})
            self._drafts[tool.name, tool.digest] = draft

    def _make_key(self) -> str:
        key = fresh_key()
        self._made.add(key)
        return key

    # Elsewhere: the editor, and what was called before

    @on(ArgumentForm.EditorWanted)
    def _editor_wanted(self, message: ArgumentForm.EditorWanted) -> None:
        message.stop()
        tool = self.tool
        if tool is not None:
            name, text = self._unfinished or ("", "")
            self._edit(tool, text if name == tool.name else message.text)

    @work(exclusive=True, group="edit", exit_on_error=False)
    async def _edit(self, tool: ToolDefinition, text: str) -> None:
        from ..base.external import NotEdited
        from .editing import edit_on_terminal

        try:
            edited = await edit_on_terminal(self.app, text)
        except NotEdited as problem:
            words = str(problem)
            self.say(f"{words[:1].upper()}{words[1:]}.")
            return
        if edited == text:
            return
        self._unfinished = None
        if self.tool is None or self.tool.name != tool.name:
            # It may come back.
            self._unfinished = tool.name, edited
            self.say(f"{tool.display_name} is not there any more; its arguments were left out.")
        elif len(edited) > MAX_EDITED:
            self._put_large(self.tool, edited)
        else:
            self.form.put_document(edited)
            self.form.focus_field()

    def _put_large(self, tool: ToolDefinition, text: str) -> None:
        """Put a text that is too long for the JSON view into the fields, if it can be read."""
        size = f"{len(text):,} characters are too many for the JSON view"
        value, problem = read_json(text)
        if isinstance(value, dict):
            self._replace_form(tool, value)
            self.say(f"{size}: they were put into the fields, which may be slow with them.")
        else:
            self._unfinished = tool.name, text
            why = problem or "not a JSON object"
            left = f"{size}, and were not put into the fields"
            self.say(f"{left}. {sentence(why, begins=True)} ctrl+e: continue editing.")

    def show_history(self) -> None:
        """Ask for earlier arguments, presets and files of the tool."""
        if self.tool is not None:
            self.form.action_history()

    @on(ArgumentForm.HistoryWanted)
    def _history_wanted(self, message: ArgumentForm.HistoryWanted) -> None:
        message.stop()
        if self.tool is None:
            return
        in_form = None if () in self.form.problems else self.form.arguments
        is_same = self._replaced is not None and self._replaced[0] == self.tool.name
        before = self._replaced[1] if self._replaced is not None and is_same else None
        if before == in_form:
            before = None
        self.post_message(self.PastWanted(self.tool, in_form, before))

    def kept_draft(self, tool: ToolDefinition) -> Draft | None:
        """Return the draft entered for a tool before another one was shown."""
        return self._drafts.get((tool.name, tool.digest))

    def keep_draft(self) -> None:
        """Another tool is about to be shown."""
        if self.tool is None:
            return
        self._drafts[self.tool.name, self.tool.digest] = self.form.draft
        while len(self._drafts) > DRAFTS_KEPT:
            del self._drafts[next(iter(self._drafts))]
