"""Prompts for one place of the arguments: the typed line, its value, its error.

A line is the value. A line that begins with `!` is a command to Signoff: `HELP` lists them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from ...calls.checks import argument_problems
from ...cli.targets.given_files import given_text
from ...content.json.jsonio import JsonValue
from ...content.suggest import did_you_mean
from ...content.text import cut, shortened, visible
from ...protocol.tool import ToolDefinition
from ...sandbox.worker import judge_arguments_in_worker
from ...schemas.form.drafts import arguments_of, draft_from_arguments, initial_draft
from ...schemas.form.edits import put_entry, set_group_present, set_value
from ...schemas.form.entries import (
    NOT_SENT,
    Draft,
    FieldEntry,
    FieldState,
    Origin,
    entry_for,
    read_json,
    state_of,
)
from ...schemas.form.fields import Field, FieldKind, Place
from ...schemas.form.form import Form, build_form
from ...schemas.form.reading import DraftReading
from ...schemas.schema import SchemaAnswer
from ..options.arguments import (
    ARGUMENTS,
    ARGUMENTS_MAX,
    exact_or_text,
    read_document,
    read_value,
    wanted,
)
from ..targets.targets import UsageError
from .console import Dialogue, InputCancelled
from .session import gutter


class Back(Exception):
    """To the question before."""


class RestIsKept(Exception):
    """The rest stays as it is."""


class Values:
    """Takes values for a form; `draft` is its content so far."""

    def __init__(
        self, tool: ToolDefinition, dialogue: Dialogue, draft: Draft | None = None
    ) -> None:
        self.tool = tool
        self.form: Form = build_form(tool.input_schema)
        self.draft = draft if draft is not None else initial_draft(self.form)
        self._dialogue = dialogue
        self._say = dialogue.console.say

    async def _value(self, one: Field) -> None:
        """Prompt for one field until its value is valid, or is kept although invalid."""
        if one.is_only and one.place not in self.draft.entries and one.is_filled_in:
            shown = visible(cut(exact_or_text(cast("JsonValue", one.suggestion)), SHOWN).text)
            self._say(f"{label(one)}: {shown}, which is all that it can be")
            return
        self._describe(one)
        is_told = False
        while True:
            field = self._field(one)
            entry = DraftReading(self.form, self.draft).entry(field)
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
        reading = DraftReading(self.form, self.draft)
        found = reading.at(one.place)
        if found is None or one.kind is FieldKind.UNION:
            return found or one
        return reading.inner(found)

    def _put_typed(self, field: Field, typed: str) -> bool:
        """Put a typed value there; False if it does not fit."""
        if field.kind in (FieldKind.ENUM, FieldKind.CHOICES):
            return self._choose(field, typed)
        if field.kind is FieldKind.BOOLEAN and typed.casefold() in ("yes", "no", "y", "n"):
            typed = "true" if typed[0] in "yY" else "false"
        if field.kind is FieldKind.JSON or field.is_group:
            value, problem = read_value(self.form, field, typed)
            if problem:
                self._wrong(problem, field)
                return False
            self._put_value(field, cast("JsonValue", value))
            return True
        text = typed if field.kind is FieldKind.STRING else typed.strip()
        self._put_entry(field, FieldEntry(text))
        return True

    def _choose(self, field: Field, typed: str) -> bool:
        names = [exact_or_text(one) for one in field.choices]
        several = field.kind is FieldKind.CHOICES
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
        """A typed value, empty for Enter alone; None if an order was carried out."""
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
                return typed if field.kind is FieldKind.STRING and typed.strip() else order
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
            raise InputCancelled
        if order == "!back":
            raise Back
        if order == "!done":
            raise RestIsKept
        if order == "!all":
            try:
                given = typed_document(rest.strip())
            except UsageError as problem:
                self._say(f"  wrong: {visible(str(problem))}")
            else:
                self.draft = draft_from_arguments(self.form, given)
                raise RestIsKept

    def _put_entry(self, field: Field, entry: FieldEntry) -> None:
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
        """True if a field's value is invalid; prints the error."""
        if not DraftReading(self.form, self.draft).entry(field).present and not field.is_group:
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
        if verdict.answer is SchemaAnswer.NOT_VALIDATED:
            self._say(f"  {argument_problems(verdict)[0]}")
        for one in verdict.errors:
            if size and one.path[:size] == field.place:
                self._wrong(one.message, field)
                return True
        return False

    def _wrong(self, problem: str, field: Field) -> None:
        self._say(f"  wrong: {visible(problem)}; expected {visible(wanted(field))}")

    def _describe(self, one: Field, words: str = "") -> None:
        self._dialogue.console.say_all(field_lines(one, words))


STANDARD_INPUT: Final = "-"
IS_TAKEN: Final = "standard input has the commands: give a file as @FILE"


def typed_document(text: str) -> dict[str, JsonValue]:
    """The arguments as one JSON object, or `@FILE`. Raises UsageError."""
    if text == STANDARD_INPUT:
        raise UsageError(IS_TAKEN)
    return read_document(text, ARGUMENTS)


def _json(text: str) -> JsonValue:
    """`JSON` or `@FILE`. Raises UsageError."""
    if text.startswith("@"):
        text = given_text(text[1:].strip(), ARGUMENTS_MAX)
    value, fault = read_json(text)
    if fault:
        raise UsageError(f"{fault} (!help: input after the !)")
    return cast("JsonValue", value)


HELP: Final = (
    "Type a value and Enter; Enter alone keeps the value in brackets.",
    "  -              not sent",
    '  !JSON          exactly this JSON: !null, !"", !5, ![1, 2], !{"a": 1}, or !@FILE',
    "  !all JSON      all arguments as one JSON object, or !all @FILE",
    "  !done          the rest stays as it is",
    "  !back          the question before",
    "  !cancel        cancels the call (also Ctrl+C)",
    "  !text WORDS    the words as they are, where they begin with ! or -",
    "  !help          this",
)
SHOWN: Final = 60
_DESCRIPTION: Final = 300
CHOICES: Final = 40


def field_lines(one: Field, words: str = "") -> Iterator[str]:
    """Name, type and whether it is required; then the server's texts on it."""
    must = "required" if one.required else "optional"
    nullable = ", may be null" if one.nullable and "null" not in one.type_words else ""
    yield words or f"{label(one) or 'the arguments'}: {one.type_words}, {must}{nullable}"
    for text in (one.title, one.description):
        if text:
            yield from gutter(text, _DESCRIPTION, "!help")
    if one.kind in (FieldKind.ENUM, FieldKind.CHOICES):
        yield from _choices(one)
        if one.kind is FieldKind.CHOICES:
            yield "  several: their numbers or names with commas between"
    if one.shape:
        yield f"  such as {visible(one.shape)}"
    if one.examples:
        few = [visible(cut(exact_or_text(each), SHOWN).text) for each in one.examples]
        yield f"  the server's examples: {', '.join(few)}"


def _choices(one: Field) -> Iterator[str]:
    for number, choice in enumerate(one.choices[:CHOICES], 1):
        label = f" {visible(one.labels[number - 1])}" if one.labels else ""
        yield f"  {number:>3}  {visible(cut(exact_or_text(choice), SHOWN).text)}{label}"
    if len(one.choices) > CHOICES:
        yield f"       and {len(one.choices) - CHOICES:,} more; type a name or a number"


def whole_description(one: Field) -> Iterator[str]:
    if one.description:
        yield from gutter(one.description, 64_000)


def standing(one: Field, entry: FieldEntry) -> str:
    """Show the value that Enter keeps."""
    state = state_of(one, entry)
    if state in (FieldState.NOT_SENT, FieldState.NULL, FieldState.EMPTY):
        return state.value
    text = shortened(" ".join(entry.text.split()), SHOWN)
    who = {FieldState.DEFAULT: ", the server's default", FieldState.FILLED: ", the only value"}
    return f"{text}{who.get(state, '')}"


def index_of(typed: str, names: list[str]) -> int | None:
    if typed.isascii() and typed.isdigit() and 0 < int(typed[:9]) <= len(names):
        return int(typed) - 1
    folded = [name.casefold() for name in names]
    return folded.index(typed.casefold()) if typed.casefold() in folded else None


def label(one: Field) -> str:
    return label_of(one.place)


def label_of(place: Place) -> str:
    """`address.lines[2]`, safe to show."""
    words = ""
    for step in place:
        shown = f"[{step + 1}]" if isinstance(step, int) else visible(cut(step, SHOWN).text)
        words += shown if isinstance(step, int) or not words else f".{shown}"
    return words
