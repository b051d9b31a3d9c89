"""Simulated people who answer every question of a session."""

from __future__ import annotations

import argparse


def add_person(parser: argparse._ActionsContainer) -> None:
    """Who answers every question, and how late."""
    parser.add_argument(
        "--person",
        default=argparse.SUPPRESS,
        metavar="WHO",
        help="a simulated person answers every question: absent, denies, approves, slow:SECONDS or "
        "erratic:SEED; does the server survive it?",
    )
