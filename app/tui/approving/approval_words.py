"""Words of the approval dialog, for calls and for results."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ...approval.questions.questions import ByQuestion
from ...content.frozen import frozen


@frozen
class DialogWords:
    """Of several wordings the longest comes first."""

    title: tuple[str, str]
    denies: str
    """What Esc and the time limit do."""
    deny: str
    approve: str
    remembering: str
    """The label of Approve when the approval will be remembered."""
    shortest: str
    does: str
    """What pressing Approve does, for the chord's second press."""
    doing: str
    unseen: tuple[str, ...]
    """Why Approve waits while the end has not been seen."""
    void: str
    keys: tuple[str, ...]
    deny_session: tuple[str, str, str] = (
        "Deny for this session",
        "Deny for session",
        "Deny session",
    )
    denied: tuple[str, ...] = (
        "denies every call of this tool in this session",
        "denies the tool",
    )
    """What the denial for the session covers, shown while its button has the focus."""
    edit: str = "Edit"
    unready: tuple[str, ...] = ()
    """Why there is nothing to approve yet."""


CHORD = "ctrl+y, pause, ctrl+y"
"""Keys that approve without moving: the second press counts only after a moment."""

ONE_PRESS: Final = "ctrl+y"
"""The same for a harmless call: one press, which counts after a moment."""

FOR_SESSION: Final = "Approve for session"
"""The label of Approve if the policy then runs later calls of the tool."""
ABOUT_A_CALL = DialogWords(
    title=("Approve this call?", "Approve?"),
    denies="denies",
    deny="Deny",
    approve="Approve once",
    remembering="Approve + remember",
    shortest="Approve",
    does="approve",
    doing="approving",
    unseen=("scroll to the end to enable Approve", "scroll to the end", "scroll down"),
    void="Nothing was sent. Close this, and review the call again.",
    keys=(
        f"esc: deny · tab: move · PgDn: scroll · v: full details · {CHORD}: approve",
        f"esc: deny · tab: move · v: details · {CHORD}: approve",
        f"esc: deny · tab: move · {CHORD}: approve",
        "esc: deny · tab: move · v: details",
        "esc: deny · tab: move",
    ),
)
ABOUT_A_READ = replace(
    ABOUT_A_CALL,
    title=("Read this resource?", "Read it?"),
    denied=("denies every read of a resource in this session", "denies every read"),
    keys=(
        f"esc: deny · tab: move · PgDn: scroll · {CHORD}: approve",
        f"esc: deny · tab: move · {CHORD}: approve",
        "esc: deny · tab: move",
    ),
)
ABOUT_A_PROMPT = replace(
    ABOUT_A_READ,
    title=("Ask for this prompt?", "Ask for it?"),
    denied=("denies every prompt in this session", "denies every prompt"),
)
CHANGED_KEYS = (
    "esc: deny · tab: move · PgDn: scroll · v: full details",
    "esc: deny · tab: move · v: details",
    "esc: deny · tab: move",
)
ABOUT_AN_ANSWER = DialogWords(
    title=("Use this response?", "Use it?"),
    denies="withholds",
    deny="Withhold",
    approve="Use this response",
    remembering="",
    shortest="Use",
    does="use it",
    doing="using it",
    unseen=("scroll to the end to enable Use", "scroll to the end", "scroll down"),
    void="The response is withheld. Close this, and look at the call again.",
    keys=(
        f"esc: withhold · tab: move · PgDn: scroll · {CHORD}: use it",
        f"esc: withhold · tab: move · {CHORD}: use it",
        "esc: withhold · tab: move",
    ),
)


ABOUT_AN_ELICITATION = DialogWords(
    title=("The server asks you for data", "Data for the server?"),
    denies="cancels",
    deny="Decline",
    approve="Send this reply",
    remembering="",
    shortest="Send",
    does="send it",
    doing="sending it",
    unseen=("scroll to the end to enable Send", "scroll to the end", "scroll down"),
    void="Nothing was sent. Close this.",
    keys=(
        f"esc: cancel · tab: move · e: change it · v: exact JSON · {CHORD}: send",
        f"esc: cancel · tab: move · e: change it · {CHORD}: send",
        "esc: cancel · tab: move · e: change it",
    ),
    deny_session=("Decline all for this session", "Decline for session", "Session"),
    denied=("declines all requests for data", "declines all of them"),
    edit="Change",
    unready=("nothing can be sent yet", "not ready"),
)
ABOUT_A_VISIT = replace(
    ABOUT_AN_ELICITATION,
    title=("The server asks you to open a page", "Open a page?"),
    approve="Open in the browser",
    shortest="Open",
    does="open it",
    doing="opening it",
    unseen=("scroll to the end to enable Open", "scroll to the end", "scroll down"),
    keys=(
        f"esc: cancel · tab: move · PgDn: scroll · {CHORD}: open it",
        f"esc: cancel · tab: move · {CHORD}: open it",
        "esc: cancel · tab: move",
    ),
    unready=("this page cannot be opened", "cannot be opened"),
)
ABOUT_A_SAMPLING = replace(
    ABOUT_AN_ELICITATION,
    title=("The server wants a model to answer", "Answer as a model?"),
    denied=("declines all requests for a model", "declines all of them"),
    edit="Write",
    keys=(
        f"esc: cancel · tab: move · e: write it · PgDn: scroll · v: details · {CHORD}: send",
        f"esc: cancel · tab: move · e: write it · {CHORD}: send",
        "esc: cancel · tab: move · e: write it",
    ),
)


ABOUT_A_SIGN_IN = replace(
    ABOUT_A_VISIT,
    title=("Sign in at this server?", "Sign in?"),
    denies="closes",
    deny="Do not sign in",
    approve="Open the page",
    void="Nothing was opened. Close this.",
    keys=(
        f"esc: not now · tab: move · PgDn: scroll · {CHORD}: open it",
        f"esc: not now · tab: move · {CHORD}: open it",
        "esc: not now · tab: move",
    ),
)


FILLING_KEYS: Final = (
    "esc: cancel · tab: next field · f5: done, then send · ctrl+j: JSON · f11: file",
    "esc: cancel · tab, shift+tab: move · f5: done, then send",
    "esc: cancel · f5: done",
)
"""While a form is filled in, which sends nothing."""


def in_full(keys: str) -> str:
    """The keys where `v` has been pressed: it leads back."""
    for short, full in (
        ("full details", "short form"),
        ("details", "short"),
        ("exact JSON", "form"),
    ):
        keys = keys.replace(f"v: {short}", f"v: {full}")
    return keys


def while_unready(keys: str) -> str:
    """The keys while the chord would approve nothing."""
    return keys.partition(f" · {ONE_PRESS}")[0]


DIALOG_WORDS = ByQuestion(
    call=ABOUT_A_CALL,
    read=ABOUT_A_READ,
    prompt=ABOUT_A_PROMPT,
    answer=ABOUT_AN_ANSWER,
    elicitation=ABOUT_AN_ELICITATION,
    visit=ABOUT_A_VISIT,
    sampling=ABOUT_A_SAMPLING,
    sign_in=ABOUT_A_SIGN_IN,
)
