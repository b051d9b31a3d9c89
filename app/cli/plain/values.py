"""One place of the arguments: the line that was typed, what becomes of it, what is wrong with it.

A line is the value. What begins with `!` is for Signoff: `HELP` says what there is.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

from ...calls.checks import argument_problems
from ...content.json.jsonio import JsonValue
from ...content.suggest import did_you_mean
from ...content.text import cut, visible
from ...headless.argument_mistakes import exact_or_text, wanted
from ...headless.arguments import read_document, read_value
from ...headless.targets import UsageError
from ...protocol.tool import ToolDefinition
from ...sandbox.worker import judge_arguments_in_worker
from ...schemas.form.drafts import arguments_of, draft_from_arguments, initial_draft
from ...schemas.form.edits import put_entry, set_group_present, set_value
from ...schemas.form.entries import NOT_SENT, Draft, Entry, Origin, entry_for, read_json
from ...schemas.form.fields import Field, Kind
from ...schemas.form.form import Form, build_form
from ...schemas.form.reading import Reading
from ...schemas.schema import Answer
from .dialogue import Cancelled, Dialogue
from .field_words import (
    HELP,
    SHOWN,
    field_lines,
    label,
    standing,
    whole_description,
)


class Back(Exception):
    """To the question before."""


class Done(Exception):
    """The rest stays as it is."""


class Values:
    """Takes values for a form; `draft` is what stands in it so far."""

    def __init__(
        self, tool: ToolDefinition, dialogue: Dialogue, draft: Draft | None = None
    ) -> None:
        self.tool = tool
        self.form: Form = build_form(tool.input_schema)
        self.draft = draft if draft is not None else initial_draft(self.form)
        self._dialogue = dialogue
        self._say = dialogue.console.say

    async def _value(self, one: Field) -> None:
        """One field until what stands in it is right, or is kept although it is not."""
        if one.is_only and one.place not in self.draft.entries and one.is_filled_in:
            shown = visible(cut(exact_or_text(cast("JsonValue", one.suggestion)), SHOWN).text)
            self._say(f"{label(one)}: {shown}, which is all that it can be")
            return
        self._describe(one)
        is_told = False
        while True:
            field = self._field(one)
            entry = Reading(self.form, self.draft).entry(field)
            typed = await self._ask(field, standing(field, entry))
            if typed is None:
                pass
            elif not typed:
                is_missing = not entry.present and field.required
                if not is_missing or is_told:
                    return
                self._say("  required: type a value, or - to leave it out although it is required")
                is_told = True
                continue
            elif not self._put_typed(field, typed):
                continue
            if not await self._is_wrong(field):
                return

    def _field(self, one: Field) -> Field:
        """The field at a place as it is now; of a union the alternative that was chosen."""
        reading = Reading(self.form, self.draft)
        found = reading.at(one.place)
        if found is not None and found.kind is Kind.UNION and one.kind is not Kind.UNION:
            found = reading.chosen(found)[1]
        return found or one

    def _put_typed(self, field: Field, typed: str) -> bool:
        """Put a typed value there; False where it says nothing that could stand there."""
        if field.kind in (Kind.ENUM, Kind.CHOICES):
            return self._choose(field, typed)
        if field.kind is Kind.BOOLEAN and typed.casefold() in ("yes", "no", "y", "n"):
            typed = "true" if typed[0] in "yY" else "false"
        if field.kind is Kind.JSON or field.is_group:
            value, problem = read_value(self.form, field, typed)
            if problem:
                self._wrong(problem, field)
                return False
            self._put_value(field, cast("JsonValue", value))
            return True
        text = typed if field.kind is Kind.STRING else typed.strip()
        self._put_entry(field, Entry(text))
        return True

    def _choose(self, field: Field, typed: str) -> bool:
        names = [exact_or_text(one) for one in field.choices]
        several = field.kind is Kind.CHOICES
        words = [word.strip() for word in typed.split(",")] if several else [typed.strip()]
        found: list[JsonValue] = []
        for word in words:
            if word in names:
                found.append(field.choices[names.index(word)])
            elif word.isascii() and word.isdigit() and 0 < int(word[:9]) <= len(names):
                found.append(field.choices[int(word) - 1])
            else:
                hint = did_you_mean(word, names)
                shown = visible(cut(word, SHOWN).text)
                self._wrong(f"“{shown}” is none of the choices{hint}", field)
                return False
        self._put_entry(field, entry_for(field, found if several else found[0], Origin.TYPED))
        return True

    async def _ask(self, field: Field, stands: str, what: str = "") -> str | None:
        """A typed value, empty for Enter alone; None where an order was carried out."""
        aside = f", {what}" if what else ""
        while True:
            typed = await self._dialogue.ask(f"{label(field) or 'arguments'}{aside} [{stands}]>")
            order = typed.strip()
            if order == "-":
                self._leave_out(field)
                return None
            if order.startswith("!text "):
                return typed.lstrip()[len("!text ") :]
            if not order.startswith("!"):
                return typed if field.kind is Kind.STRING and typed.strip() else order
            if order == "!help":
                self._dialogue.console.say_all(HELP)
                self._dialogue.console.say_all(whole_description(field))
                continue
            self._look_for_orders(order)
            try:
                self._put_value(field, _json(order[1:]))
            except UsageError as problem:
                self._say(f"  wrong: {visible(str(problem))}")
                continue
            return None

    def _look_for_orders(self, typed: str) -> None:
        order, _, rest = typed.strip().partition(" ")
        if order == "!cancel":
            raise Cancelled
        if order == "!back":
            raise Back
        if order == "!done":
            raise Done
        if order == "!all":
            try:
                given = read_document(rest.strip())
            except UsageError as problem:
                self._say(f"  wrong: {visible(str(problem))}")
            else:
                self.draft = draft_from_arguments(self.form, given)
                raise Done

    def _put_entry(self, field: Field, entry: Entry) -> None:
        self.draft = put_entry(self.draft, field.place, entry)

    def _put_value(self, field: Field, value: JsonValue) -> None:
        self.draft = set_value(self.form, self.draft, field.place, value)

    def _leave_out(self, field: Field) -> None:
        if not field.place:
            self._say("  wrong: the arguments are always sent, if only as {}")
        elif field.is_group:
            self.draft = set_group_present(self.form, self.draft, field.place, False)
        else:
            self._put_entry(field, NOT_SENT)
            if field.required:
                self._say("  left out although it is required")

    async def _is_wrong(self, field: Field) -> bool:
        """Whether what stands in a field is not what is wanted; then it is said what is wrong."""
        if not Reading(self.form, self.draft).entry(field).present and not field.is_group:
            return False
        built = arguments_of(self.form, self.draft)
        size = len(field.place)
        for place, problem in built.problems.items():
            if place[:size] == field.place:
                self._wrong(problem, field)
                return True
        for place, note in built.notes.items():
            if place[:size] == field.place:
                self._say(f"  note: {note}")
        verdict = await judge_arguments_in_worker(self.tool.input_schema, built.arguments)
        if verdict.answer is Answer.NOT_VALIDATED:
            self._say(f"  {argument_problems(verdict)[0]}")
        for one in verdict.errors:
            if size and one.path[:size] == field.place:
                self._wrong(one.message, field)
                return True
        return False

    def _wrong(self, problem: str, field: Field) -> None:
        self._say(f"  wrong: {visible(problem)}; it wants {visible(wanted(field))}")

    def _describe(self, one: Field, words: str = "") -> None:
        self._dialogue.console.say_all(field_lines(one, words))


def _json(text: str) -> JsonValue:
    """`JSON` or `@FILE`. Raises UsageError."""
    if text.startswith("@"):
        try:
            text = Path(text[1:].strip()).expanduser().read_bytes().decode("utf-8", "replace")
        except (OSError, RuntimeError, ValueError) as problem:
            why = getattr(problem, "strerror", None) or "no file can have this name"
            raise UsageError(f"{text[1:]}: {why}") from None
    value, fault = read_json(text)
    if fault:
        raise UsageError(f"{fault} (!help says what can follow the !)")
    return cast("JsonValue", value)
