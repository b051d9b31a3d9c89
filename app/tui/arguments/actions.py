"""Actions on kept arguments: name, forget, load from and save to a file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from ....widgets.lists.argument_list import InForm, Row
from ...calls.argument_history import KeptArguments, read_name, secrets_words
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, pretty
from ...content.text import sentence, visible
from ...engine.past_arguments import PastArguments
from ...schemas.secrets.places import mask_arguments
from ...schemas.secrets.secrets import Place
from ...storage.arguments import Exists, load_arguments, path_of, save_arguments


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
