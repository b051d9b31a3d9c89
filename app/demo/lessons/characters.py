"""A promise about the shape of an answer, kept and broken; and hints that contradict each other."""

from __future__ import annotations

import json
import random
from typing import Annotated, Any, Final

from mcp.types import CallToolResult
from pydantic import Field

from ..constant import SCHEMAS, constant
from ..declare import Json, structured, text, tool

_NAMES: Final = ("Lirael Mosswhisper", "Borin Ashhand", "Mirabel Quick", "Thal of the Fen")
_SPECIES: Final = ("elf", "dwarf", "human", "gnome")
_CLASSES: Final = ("ranger", "druid", "rogue", "bard")
_ABILITIES: Final = ("Vine Whip", "Stone Skin", "Riddles", "Healing Song", "Fire Breath")
_Theme = Annotated[
    str | None,
    Field(description="Theme of the character", max_length=100, examples=["forest"]),
]


class CharacterTools:
    """A character by promise, one that breaks it, and a contradiction."""

    @tool("Generate Fantasy Character", None, output_schema=SCHEMAS["character"])
    async def generate_fantasy_character(self, theme: _Theme = None) -> CallToolResult:
        """Generate a fantasy character that matches its output schema. It declares no hints, so by
        the defaults it may change and destroy things, and act outside."""
        return structured(_invented(theme))

    @tool("Generate Fantasy Character (Broken)", None, output_schema=SCHEMAS["character"])
    async def generate_fantasy_character_broken(self, theme: _Theme = None) -> CallToolResult:
        """Generate a fantasy character whose structured content is invalid: species is missing,
        abilities is a string, and the copy as text has another name."""
        hero = _invented(theme)
        del hero["species"]
        hero["abilities"] = ", ".join(hero["abilities"])
        copy = text(json.dumps({**hero, "name": "Somebody Else"}, indent=2, ensure_ascii=False))
        return CallToolResult(content=[copy], structured_content=hero)

    contradictory_tool = constant("contradictory_tool")


def _invented(theme: str | None) -> dict[str, Any]:
    """The same theme makes the same character."""
    dice = random.Random(theme or "")
    hero: Json = {
        "name": dice.choice(_NAMES),
        "species": dice.choice(_SPECIES),
        "characterClass": dice.choice(_CLASSES),
        "abilities": dice.sample(_ABILITIES, 2),
    }
    if theme:
        hero["abilities"].append(f"Lore of {theme}")
    return hero
