"""Signoff's own two themes: every text has a contrast of 4.5 to 1 against what it stands on."""

from __future__ import annotations

from textual.theme import Theme

DARK_THEME = Theme(
    name="signoff-dark",
    primary="#3D9BEA",
    secondary="#004578",
    accent="#ffa62b",
    warning="#ffa62b",
    error="#ba3c5b",
    success="#4EBF71",
    foreground="#e0e0e0",
    variables={
        "text-disabled": "auto 60%",
        "block-cursor-background": "#0067B8",
        "block-cursor-foreground": "#FFFFFF",
    },
)
LIGHT_THEME = Theme(
    name="signoff-light",
    primary="#004578",
    secondary="#0178D4",
    accent="#8A4B00",
    warning="#7A4E00",
    error="#A3123A",
    success="#17602B",
    foreground="#101010",
    background="#FAFAFA",
    surface="#F1F1F1",
    panel="#E6E6E6",
    dark=False,
    variables={
        "foreground-muted": "#4A4A4A",
        "text-muted": "auto 75%",
        "text-disabled": "auto 68%",
        "footer-key-foreground": "#004578",
        # A field with the focus; Textual's own is white on what is almost white.
        "surface-lighten-1": "#CFE0F0",
    },
)
