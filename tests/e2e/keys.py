"""What a terminal sends for keys, pastes and the mouse: xterm's codes, SGR mouse reports."""

from __future__ import annotations

_PLAIN = {
    "enter": "\r",
    "tab": "\t",
    "space": " ",
    "escape": "\x1b",
    "backspace": "\x7f",
    "shift+tab": "\x1b[Z",
    "ctrl+space": "\x00",
    "ctrl+@": "\x00",
    "ctrl+backslash": "\x1c",
    "ctrl+right_square_bracket": "\x1d",
    "ctrl+underscore": "\x1f",
}
# The last letter of `CSI 1 ; modifier letter`.
_LETTERED = {"up": "A", "down": "B", "right": "C", "left": "D", "home": "H", "end": "F"}
# The number of `CSI number ; modifier ~`.
_NUMBERED = {
    "insert": 2,
    "delete": 3,
    "pageup": 5,
    "pagedown": 6,
    "f5": 15,
    "f6": 17,
    "f7": 18,
    "f8": 19,
    "f9": 20,
    "f10": 21,
    "f11": 23,
    "f12": 24,
}
_F1_TO_F4 = {"f1": "P", "f2": "Q", "f3": "R", "f4": "S"}
# Keys that have a code point but no old encoding together with these modifiers: `CSI code ; m u`.
_CODE_POINTS = {"enter": 13, "tab": 9, "space": 32, "escape": 27, "backspace": 127}
_MODIFIERS = {"shift": 1, "alt": 2, "ctrl": 4}


def encode_key(key: str) -> str:
    """The text a terminal sends for a key in Textual's spelling: "ctrl+y", "f1", "shift+tab", "a".

    Combinations without a code of old (ctrl+enter) use the CSI u form of newer terminals.

    Raises:
        ValueError: no such key.
    """
    if key in _PLAIN:
        return _PLAIN[key]
    if len(key) == 1:
        return key
    *modifiers, base = key.split("+")
    try:
        bits = sum(_MODIFIERS[modifier] for modifier in modifiers)
    except KeyError as error:
        raise ValueError(f"no such key: {key}") from error
    suffix = f";{bits + 1}" if bits else ""
    if base in _LETTERED:
        return f"\x1b[{'1' if bits else ''}{suffix}{_LETTERED[base]}"
    if base in _NUMBERED:
        return f"\x1b[{_NUMBERED[base]}{suffix}~"
    if base in _F1_TO_F4:
        return f"\x1b[1{suffix}{_F1_TO_F4[base]}" if bits else f"\x1bO{_F1_TO_F4[base]}"
    if modifiers == ["ctrl"] and len(base) == 1 and base.isalpha():
        return chr(ord(base.upper()) - 64)
    if modifiers == ["alt"] and len(base) == 1:
        return f"\x1b{base}"
    if base in _CODE_POINTS or len(base) == 1:
        return f"\x1b[{_CODE_POINTS.get(base, ord(base[0]))}{suffix}u"
    raise ValueError(f"no such key: {key}")


def encode_paste(text: str, *, bracketed: bool) -> str:
    """What a terminal sends for a paste. Newlines arrive as carriage returns, as from xterm."""
    typed = text.replace("\r\n", "\r").replace("\n", "\r")
    return f"\x1b[200~{typed}\x1b[201~" if bracketed else typed


def encode_mouse(button: int, x: int, y: int, *, down: bool) -> str:
    """An SGR mouse report for cell (x, y), counted from 0. Buttons: 0 left, 1 middle, 2 right."""
    return f"\x1b[<{button};{x + 1};{y + 1}{'M' if down else 'm'}"
