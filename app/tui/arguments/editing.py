"""Forms that are checked as they are typed, the user's own editor, and a changed definition.

The terminal is lent to the editor. Typed arguments are carried over to a changed definition.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from textual import on, work
from textual.app import SuspendNotSupported
from textual.screen import ModalScreen

from ....widgets.forms.argument_form import ArgumentForm
from ...content.json.jsonio import JsonValue
from ...content.labels import some_named
from ...content.text import cut, sentence, visible
from ...platforms.files import NO_LINK, NO_WAIT, open_file, why
from ...platforms.terminal import ForegroundProgram
from ...sandbox.worker import judge_arguments_in_worker
from ...schemas.form.drafts import (
    Draft,
    arguments_of,
    draft_from_arguments,
    field_at,
    initial_draft,
)
from ...schemas.form.edits import filled_by_signoff
from ...schemas.form.entries import Origin, entry_for
from ...schemas.form.field_making import takes_keys
from ...schemas.form.form import Field, FieldKind, Form, variants
from ..base.external import NotEdited, editor_command
from ..base.failures import NOT_DONE, TellsFailures
from ..base.screen_mixin import ScreenMixin

if TYPE_CHECKING:
    from textual.app import App


TAKEN_MAX = 2_000_000
"""Characters that are taken back from an editor."""
_LOOK_SECONDS = 0.03


async def edit_on_terminal(app: App[object], text: str) -> str:
    """`edit` with the person's editor; the app keeps running without drawing.

    Raises NotEdited.
    """
    command = editor_command(os.environ)
    edited, failure = text, None
    try:
        with app.batch_update(), app.suspend():
            try:
                edited = await edit(text, command)
            except Exception as problem:
                # The terminal would not be taken back with an exception on its way.
                failure = problem
    except SuspendNotSupported:
        raise NotEdited("this terminal cannot be lent to an editor") from None
    if failure is not None:
        raise failure
    return edited


async def edit(text: str, command: Sequence[str]) -> str:
    """Edit a text in a program that has the terminal; the text as it was saved there.

    It is in a file that only its owner can read, in a folder of its own, and both are gone
    afterwards, with whatever the editor has put beside it. Raises NotEdited.
    """
    with _private_file(text) as path:
        try:
            status = await _run([*command, str(path)])
        except OSError as problem:
            words = f"{visible(command[0])} cannot be started: {why(problem)}"
            raise NotEdited(words) from None
        if status:
            how = f"status {status}" if status > 0 else f"signal {-status}"
            raise NotEdited(f"the editor ended with {how}, the arguments are as they were")
        data = _read_back(path)
    # Bytes that are not text stay visible as escapes: the JSON view shows their place.
    edited = data.decode("utf-8", "backslashreplace").removeprefix("\ufeff")
    if not text.endswith("\n"):
        edited = edited.removesuffix("\n")
    if len(edited) > TAKEN_MAX:
        words = f"{len(edited):,} characters are too many, at most {TAKEN_MAX:,} are taken"
        raise NotEdited(f"{words}; the arguments are as they were")
    return edited


def _read_back(path: Path) -> bytes:
    """Read an editor's result: only a regular file, and up to the size limit."""
    flags = os.O_RDONLY | NO_WAIT | NO_LINK
    try:
        with open(open_file(path, flags), "rb") as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return file.read(4 * TAKEN_MAX + 1)
    except FileNotFoundError:
        raise NotEdited("the editor removed the file, the arguments are as they were") from None
    except OSError:
        pass
    raise NotEdited("the editor left no file that can be read, the arguments are as they were")


@contextlib.contextmanager
def _private_file(text: str) -> Iterator[Path]:
    folder = tempfile.mkdtemp(prefix="signoff-")
    try:
        path = Path(folder, "arguments.json")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            whole = text if text.endswith("\n") else f"{text}\n"
            file.write(whole.encode("utf-8", "backslashreplace"))
        yield path
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def _run(command: Sequence[str]) -> int:
    """Run a program that has the terminal; its exit status, negative for a signal."""
    program = ForegroundProgram(command)
    try:
        while (status := program.look()) is None:
            await asyncio.sleep(_LOOK_SECONDS)
        return status
    finally:
        program.close()


Result = TypeVar("Result")
AROUND_ROWS = 7
"""The frame, and the lines around the fields."""
LEAST_ROWS = 3


class FormDialog(ScreenMixin, ModalScreen[Result], TellsFailures):
    """Screen with a form: a subclass sets `_schema` and composes `_form`, which has no history."""

    FAILED = NOT_DONE
    AUTO_FOCUS = ""

    _schema: JsonValue
    _form: ArgumentForm

    def action_back(self) -> None:
        self.dismiss(None)

    @on(ArgumentForm.EditorWanted)
    def _editor_wanted(self, message: ArgumentForm.EditorWanted) -> None:
        message.stop()
        self._edit(message.text)

    @work(exclusive=True, group="check", exit_on_error=False)
    async def _check_values(self, values: dict[str, JsonValue]) -> None:
        verdict = await judge_arguments_in_worker(self._schema, values)
        self._form.show_mismatches(verdict.errors, verdict.rejected_by_clients)

    @work(exclusive=True, group="edit", exit_on_error=False)
    async def _edit(self, text: str) -> None:
        from ..base.external import NotEdited

        try:
            self._form.put_document(await edit_on_terminal(self.app, text))
        except NotEdited as problem:
            self.notify(sentence(problem), markup=False)
        self._form.focus_field()


CHANGED = "The server changed this definition."
NAMES_SHOWN = 8


def carry_over(
    old: Draft,
    arguments: Mapping[str, JsonValue],
    origins: Mapping[str, Origin],
    form: Form,
) -> tuple[Draft, str]:
    """Return a draft for the changed form, and words on the entered values.

    Typed values are kept if the new form has a field that takes them; the server's suggestions are
    its new ones. A JSON document stays as it is: the schema judges it.
    """
    fresh = initial_draft(form)
    if old.document is not None:
        return Draft(document=old.document), f"{CHANGED} Your JSON was kept."
    # A value that Signoff was asked to put there, such as a fresh key, is in the draft itself.
    asked = {name for name in arguments if old.entry((name,)).origin is Origin.FILLED}
    typed = {
        name: value for name, value in arguments.items() if origins[name].is_chosen or name in asked
    }
    if form.raw_only:
        return draft_from_arguments(form, typed), CHANGED
    start = arguments_of(form, fresh).arguments
    whole = draft_from_arguments(form, {**start, **typed})
    kept = {
        name: value
        for name, value in typed.items()
        if _fits(form, field_at(form, whole, (name,)), value)
    }
    draft = draft_from_arguments(form, {**start, **kept}, before=fresh)
    for name in asked:
        draft = filled_by_signoff(draft, (name,))
    words = _words(
        *({name: one[name] for name in one if name not in asked} for one in (typed, kept))
    )
    return draft, " ".join([CHANGED, *words])


def _fits(form: Form, one: Field | None, value: JsonValue) -> bool:
    """True if a field is of the kind of a value; the rest of the schema is judged later."""
    if one is None or (one.is_key_free and not takes_keys(form.whole.node)):
        return False
    if value is None and one.nullable:
        return True
    match one.kind:
        case FieldKind.JSON:
            return True
        case FieldKind.STRING:
            return isinstance(value, str)
        case FieldKind.OBJECT:
            return isinstance(value, dict)
        case FieldKind.ARRAY:
            return isinstance(value, list)
        case FieldKind.UNION:
            return any(_fits(form, variant.field, value) for variant in variants(form, one))
        case _:
            return not entry_for(one, value, Origin.TYPED).as_json


def _words(typed: Mapping[str, JsonValue], kept: Mapping[str, JsonValue]) -> list[str]:
    lost = [name for name in typed if name not in kept]
    words = [f"Kept from what you typed: {names_line(list(kept))}."] if kept else []
    return [*words, f"No longer taken: {names_line(lost)}."] if lost else words


def names_line(names: Sequence[str], most: int = NAMES_SHOWN) -> str:
    """The first of them, and how many more there are; safe to show."""
    return some_named(names, most, lambda name: visible(cut(name, 40).text))
