"""How much there is in a JSON value, without going through more of it than one wants to know."""

from __future__ import annotations

from ...content.json.jsonio import JsonValue


def room_left(value: JsonValue, room: int) -> int:
    """What is left of `room` after a value: each value in it takes 1, and each hundred characters.

    Negative as soon as there is not enough, however much there is.
    """
    waiting = [value]
    while waiting and room >= 0:
        one = waiting.pop()
        room -= 1
        if isinstance(one, str):
            room -= len(one) // 100
        elif isinstance(one, dict):
            if len(one) <= room:
                room -= sum(map(len, one)) // 100
                waiting += one.values()
            else:
                room = -1
        elif isinstance(one, list):
            room = room if len(one) <= room else -1
            waiting += one if room >= 0 else ()
    return room
