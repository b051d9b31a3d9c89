"""The key `on` of a `[[rule]]`: what is asked of a server, or what a server asks."""

from __future__ import annotations

from typing import Final

from ...protocol.server_requests.capabilities import ELICITATION, ROOTS, SAMPLING
from .conditions import METHODS
from .policy_tables import Table

ON_KEY: Final = "on"
REQUESTS: Final = (ELICITATION, SAMPLING, ROOTS)
"""What a server asks, in the order in which it is named."""
OF_REQUESTS: Final = {
    "mode": (ELICITATION,),
    "host": (ELICITATION,),
    "asks_for_secret": (ELICITATION,),
    "gives_tools": (SAMPLING,),
}
"""Keys of rules on what a server asks, beside those of every rule; and on what each is."""


def read_on(table: Table) -> frozenset[str]:
    """On what a rule is: keys of METHODS, or some of REQUESTS, never both.

    Without the key it is on everything that is asked of a server.
    """
    chosen = frozenset(table.choices(ON_KEY, (*METHODS, *REQUESTS)))
    if chosen.intersection(METHODS) and chosen.intersection(REQUESTS):
        words = "on has both what you ask of a server and what it asks of you: write two rules"
        table.wrong(ON_KEY, words)
        return frozenset(METHODS)
    return chosen or frozenset(METHODS)


def note_keys_of_requests(table: Table) -> None:
    """In a rule on calls: keys that only say something about what a server asks."""
    for key, kinds in OF_REQUESTS.items():
        if table.take(key) is not None:
            table.wrong(key, f'{key} is about what a server asks: add on = "{kinds[0]}"')
