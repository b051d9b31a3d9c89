"""Fills in the arguments of a tool, field by field, from the form that the screen draws."""

from __future__ import annotations

from ...content.suggest import did_you_mean
from ...content.text import visible
from ...schemas.form.drafts import draft_from_arguments
from ...schemas.form.edits import (
    add_item,
    add_key,
    choose_variant,
    has_room,
    key_problem,
    remove_item,
    set_group_present,
)
from ...schemas.form.field_making import takes_keys
from ...schemas.form.fields import Field, FieldKind, Place
from ...schemas.form.form import variants
from ...schemas.form.merging import MISSING
from ...schemas.form.reading import DraftReading
from ..options.arguments import wanted
from ..targets.targets import UsageError
from .console import InputCancelled
from .values import CHOICES, Back, RestIsKept, Values, index_of, label, label_of, typed_document


class Filling(Values):
    """Goes through a form from its first place to its last."""

    async def fill(self) -> None:
        """Ask for everything. Raises InputCancelled and InputEnded."""
        if self.form.raw_only:
            await self._document()
            return
        if not self.form.fields and not takes_keys(self.form.whole.node):
            return
        self._say("Enter: keep the value in brackets. !help: more input.")
        try:
            whole = self.form.whole
            await (self._union(whole) if whole.kind is FieldKind.UNION else self._inside(()))
        except RestIsKept:
            return
        except Back:
            raise InputCancelled from None

    async def _document(self) -> None:
        self._say(f"These arguments can only be given as JSON: {self.form.raw_only}.")
        while True:
            typed = (await self._dialogue.ask("arguments, as one JSON object [{}]>")).strip()
            if typed == "!cancel":
                raise InputCancelled
            try:
                given = typed_document(typed.removeprefix("!all").removeprefix("!").strip() or "{}")
            except UsageError as problem:
                self._say(f"  wrong: {visible(str(problem))}")
                continue
            self.draft = draft_from_arguments(self.form, given)
            return

    # One place after the other

    async def _inside(self, place: Place) -> None:
        """Ask for the fields of an object, which may change with typed values; then for further
        keys.
        """
        asked: list[Place] = []
        while True:
            reading = DraftReading(self.form, self.draft)
            group = self._group(reading, place)
            if group is None:
                return
            left = [one for one in reading.members(group) if one.place not in asked]
            if not left:
                break
            try:
                await self._place(left[0].place)
                asked.append(left[0].place)
            except Back:
                if not asked:
                    raise
                asked.pop()
        if takes_keys(group.node):
            await self._keys(place)

    def _group(self, reading: DraftReading, place: Place) -> Field | None:
        found = reading.at(place)
        one = reading.inner(found) if found is not None else None
        return one if one is not None and one.is_group else None

    async def _place(self, place: Place) -> None:
        reading = DraftReading(self.form, self.draft)
        one = reading.at(place)
        if one is None:
            return
        if not one.is_group or reading.stands_for_group(one):
            await self._value(one)
        elif one.kind is FieldKind.UNION:
            await self._union(one)
        elif one.kind is FieldKind.ARRAY:
            await self._array(one)
        else:
            await self._object(one)

    async def _union(self, union: Field) -> None:
        name = label(union) or "the arguments"
        while True:
            reading = DraftReading(self.form, self.draft)
            now, _ = reading.chosen(union)
            listed = variants(self.form, union)
            is_sent = reading.read(union).value is not MISSING or not union.place
            names = [visible(one.label) for one in listed]
            self._describe(union, f"{name}: one of {len(listed):,} kinds")
            self._dialogue.console.say_all(
                f"  {number:>3}  {name}" for number, name in enumerate(names[:CHOICES], 1)
            )
            goes_on = is_sent or union.required
            shown = f"{now + 1} {names[now]}" if goes_on else "not sent"
            typed = await self._ask(union, shown, "which kind")
            if typed is None:
                return
            if not typed and not goes_on:
                return
            index = now if not typed else index_of(typed.strip(), names)
            if index is None:
                hint = did_you_mean(typed.strip(), names)
                self._say(f"  wrong: type a number from 1 to {len(names)}, or a name{hint}")
                continue
            if index != now or not is_sent:
                self.draft = choose_variant(self.form, self.draft, union.place, index)
            try:
                await self._chosen(union)
                return
            except Back:
                continue

    async def _chosen(self, union: Field) -> None:
        reading = DraftReading(self.form, self.draft)
        one = reading.inner(reading.at(union.place) or union)
        if one.kind is FieldKind.ARRAY:
            await self._array(one)
        elif one.is_group and not reading.stands_for_group(one):
            if union.place and reading.read(one).value is MISSING:
                self.draft = set_group_present(self.form, self.draft, union.place, True)
            await self._inside(union.place)
        else:
            await self._value(one)

    async def _object(self, one: Field) -> None:
        reading = DraftReading(self.form, self.draft)
        if one.required:
            self._describe(one)
        else:
            is_sent = reading.read(one).value is not MISSING
            self._describe(one)
            prompt = "+ fills it in" if not is_sent else "+ goes through it"
            typed = await self._ask(one, "sent" if is_sent else "not sent", prompt)
            if typed is None or not typed:
                return
            if typed.strip() != "+":
                self._say("  wrong: + fills it in, Enter leaves it as it is, !JSON gives all of it")
                await self._object(one)
                return
            self.draft = set_group_present(self.form, self.draft, one.place, True)
        await self._inside(one.place)

    async def _array(self, array: Field) -> None:
        self._describe(array)
        name = label(array)
        at = 0
        while True:
            reading = DraftReading(self.form, self.draft)
            group = self._group(reading, array.place)
            if group is None:
                return
            items = reading.members(group)
            if at < len(items):
                try:
                    await self._place(items[at].place)
                    at += 1
                except Back:
                    if not at:
                        raise
                    at -= 1
                continue
            if not has_room(group, len(items)):
                return
            is_sent = reading.read(group).value is not MISSING
            count = f"{len(items):,} {'item' if len(items) == 1 else 'items'}"
            state = count if is_sent else "not sent"
            typed = await self._ask(group, state, f"+ adds item {len(items) + 1}, Enter ends")
            if typed is None or not typed:
                return
            self.draft = add_item(self.form, self.draft, array.place)
            place = (*array.place, len(items))
            item = DraftReading(self.form, self.draft).at(place)
            if item is None:
                return
            if typed.strip() == "+":
                continue
            if item.is_group:
                self._say(f"  {name}: an item is {wanted(item)}; + adds one")
                self.draft = remove_item(self.form, self.draft, array.place, len(items))
            elif self._put_typed(item, typed) and not await self._is_wrong(item):
                at += 1

    async def _keys(self, place: Place) -> None:
        name = label_of(place) or "the arguments"
        while True:
            key = await self._dialogue.ask(f"{name}: another key? (its name; Enter ends)>")
            self._look_for_orders(key)
            if not key or key == "-":
                return
            if problem := key_problem(self.form, self.draft, place, key):
                self._say(f"  wrong: {problem}")
                continue
            self.draft = add_key(self.form, self.draft, place, key)
            try:
                await self._place((*place, key))
            except Back:
                continue
